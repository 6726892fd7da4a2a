"""Score differences, for games with points: by how many points A is ahead of B, on average.

A pair's difference is the mean of A's points minus B's points over its matches. If wins are rare or certain, it tells
more than the results do. It also measures something else: a player that wins seldom, but by many points, is ahead here
and behind in Elo.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from lapilli.arena.statistics.student import t_quantile
from lapilli.core.errors import LapilliError


@dataclass(frozen=True, slots=True)
class DifferenceEstimate:
    """An estimate of the points by which A is ahead of B.

    Attributes:
        mean: mean difference in points per match; 0 if there is no pair.
        low, high: 95 % interval of the mean; None with fewer than two pairs.
    """

    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Differences:
    """Sums over the differences of pairs. Two such sums can be added.

    Attributes:
        pairs: number of pairs.
        total: sum of their differences, in points.
        squares: sum of the squared differences.
    """

    pairs: int = 0
    total: float = 0.0
    squares: float = 0.0

    @classmethod
    def of(cls, differences: Iterable[float]) -> Differences:
        """Returns the sums over the differences of pairs."""
        values = [float(value) for value in differences]
        return cls(len(values), math.fsum(values), math.fsum(value * value for value in values))

    @classmethod
    def from_plain(cls, data: object) -> Differences:
        """Reverses `to_plain`. Raises LapilliError for invalid data."""
        if not (
            isinstance(data, list)
            and len(data) == 3
            and all(isinstance(value, int | float) and math.isfinite(value) for value in data)
            and data[0] == int(data[0]) >= 0
            and data[2] >= 0
        ):
            raise LapilliError("sums of score differences are three numbers")
        return cls(int(data[0]), float(data[1]), float(data[2]))

    def to_plain(self) -> list[float]:
        """Returns number of pairs, sum and sum of squares, for JSON."""
        return [self.pairs, self.total, self.squares]

    def __add__(self, other: Differences) -> Differences:
        """Returns the sums over both sets of pairs."""
        return Differences(self.pairs + other.pairs, self.total + other.total, self.squares + other.squares)

    def estimate(self) -> DifferenceEstimate:
        """Returns the mean with its 95 % interval by Student's t.

        If all pairs have the same difference, the interval is as wide as if one pair were a point away from the
        others: points are whole numbers, and equal differences so far do not mean that there will be no others.
        """
        if not self.pairs:
            return DifferenceEstimate(0.0, None, None)
        mean = self.total / self.pairs
        if self.pairs == 1:
            return DifferenceEstimate(mean, None, None)
        about_mean = max(self.squares - self.total * mean, 1 - 1 / self.pairs)
        error = math.sqrt(about_mean / (self.pairs - 1) / self.pairs)
        half = t_quantile(0.975, self.pairs - 1) * error
        return DifferenceEstimate(mean, mean - half, mean + half)
