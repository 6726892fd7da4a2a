"""Score differences, for games with points: the number of points by which A is ahead of B, on average.

The difference of a pair is A's points minus B's points, averaged over the matches of the pair. If wins are very rare or
very frequent, differences are more informative than results. Differences and results can disagree: a player that wins
seldom, but by many points, is ahead in points and behind in Elo.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from lapilli.arena.statistics.student import t_quantile
from lapilli.core.errors import LapilliError


@dataclass(frozen=True, slots=True)
class DifferenceEstimate:
    """An estimate of the mean number of points by which player A is ahead of player B in a match.

    Attributes:
        mean: mean difference, in points per match; 0 without pairs.
        low, high: 95 % interval of the mean; None with fewer than two pairs.
    """

    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Differences:
    """Sums over the score differences of pairs of matches. The sums over two sets of pairs can be added.

    Attributes:
        pairs: number of pairs.
        total: sum of the differences, in points.
        squares: sum of the squared differences.
    """

    pairs: int = 0
    total: float = 0.0
    squares: float = 0.0

    @classmethod
    def of(cls, differences: Iterable[float]) -> Differences:
        """Returns the sums over some pairs; `differences` contains the difference of each pair, in points."""
        values = [float(value) for value in differences]
        return cls(len(values), math.fsum(values), math.fsum(value * value for value in values))

    @classmethod
    def from_plain(cls, data: object) -> Differences:
        """Returns the sums from data that `to_plain` returned. Raises LapilliError for other data."""
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
        """Returns the sums as data for JSON: number of pairs, sum, sum of squares."""
        return [self.pairs, self.total, self.squares]

    def __add__(self, other: Differences) -> Differences:
        """Returns the sums over the pairs of both operands."""
        return Differences(self.pairs + other.pairs, self.total + other.total, self.squares + other.squares)

    def estimate(self) -> DifferenceEstimate:
        """Returns the mean difference, and its 95 % interval by Student's t distribution.

        If all pairs have the same difference, the interval is as wide as if one pair differed by a point from the
        others. Points are whole numbers, so equal differences so far do not prove that later pairs have the same
        difference.
        """
        if not self.pairs:
            return DifferenceEstimate(0.0, None, None)
        mean = self.total / self.pairs
        if self.pairs == 1:
            return DifferenceEstimate(mean, None, None)
        squares_about_mean = max(self.squares - self.total * mean, 1 - 1 / self.pairs)
        error = math.sqrt(squares_about_mean / (self.pairs - 1) / self.pairs)
        half = t_quantile(0.975, self.pairs - 1) * error
        return DifferenceEstimate(mean, mean - half, mean + half)
