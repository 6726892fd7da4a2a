"""Differences of scores, for games that have them: by how many points A is ahead of B, on average.

A pair's difference is the mean over its matches of A's points less B's. It says more than who won where wins are
rare or certain, and something else: a player that wins seldom but high is ahead here, and behind in Elo.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from lapilli.arena.statistics.student import t_quantile
from lapilli.core.errors import LapilliError


@dataclass(frozen=True, slots=True)
class DifferenceEstimate:
    """By how much A is ahead.

    Attributes:
        mean: points a match, 0 where there is no pair.
        low, high: its 95 % interval; None while there are fewer than two pairs.
    """

    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Differences:
    """Sums over the differences of pairs; two of them can be added.

    Attributes:
        pairs: how many.
        total: the sum of their differences, in points.
        squares: the sum of the squares.
    """

    pairs: int = 0
    total: float = 0.0
    squares: float = 0.0

    @classmethod
    def of(cls, differences: Iterable[float]) -> Differences:
        """Sums up the differences of pairs."""
        values = [float(value) for value in differences]
        return cls(len(values), math.fsum(values), math.fsum(value * value for value in values))

    @classmethod
    def from_plain(cls, data: object) -> Differences:
        """What `to_plain` gave. Raises LapilliError where it is something else."""
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
        """Number, sum and sum of squares, for JSON."""
        return [self.pairs, self.total, self.squares]

    def __add__(self, other: Differences) -> Differences:
        """Both together."""
        return Differences(self.pairs + other.pairs, self.total + other.total, self.squares + other.squares)

    def estimate(self) -> DifferenceEstimate:
        """The mean with its 95 % interval by Student's t.

        Where all pairs have the same difference, the interval is as wide as if one were a point away from the
        others: points are whole, and equal ones do not say that there are no others.
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
