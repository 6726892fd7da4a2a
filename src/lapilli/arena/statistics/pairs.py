"""Pairs of matches with the same seed and exchanged seats, and counts of pairs by score.

The matches of a pair have the same start position, so their results are not independent: a position that favours a seat
or a player affects all matches of the pair. Different pairs are independent of each other, so the unit of all
statistics is the pair.

A pair has n matches: 2 for two players; for three or four players, one for each rotation of the seats. The score of a
pair is the mean of A's scores against B in these matches: 1 for a win, 1/2 for a draw, 0 for a loss. So the score of a
pair is a multiple of 1/(2n). With n = 2 there are five possible scores: this is the pentanomial model of chess testing.
Only complete pairs count: an abandoned match is played again, or its pair does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lapilli.core.errors import LapilliError

MAX_MATCHES = 64
"""Largest number of matches in a pair."""
MAX_PAIRS = 10**15
"""Largest number of pairs in a `PairCounts`, so that sums are exact in floating point."""


def match_score(own_rank: int, other_rank: int) -> float:
    """Returns the score of one player against another in one match (1, 1/2 or 0), from their ranks (1 is best)."""
    return 0.5 * ((own_rank < other_rank) + (own_rank <= other_rank))


@dataclass(frozen=True, slots=True)
class PairCounts:
    """The number of pairs of matches by their score, seen from player A.

    Attributes:
        counts: 2n + 1 numbers, where n is the number of matches in a pair; counts[i] pairs have the score i / (2n).
    """

    counts: tuple[int, ...] = (0, 0, 0, 0, 0)

    def __post_init__(self) -> None:
        cells = len(self.counts)
        if cells % 2 == 0 or not 3 <= cells <= 2 * MAX_MATCHES + 1:
            raise LapilliError(f"results of pairs are 3, 5, 7 … numbers, not {cells}")
        if not all(isinstance(count, int) and count >= 0 for count in self.counts) or self.pairs > MAX_PAIRS:
            raise LapilliError("results of pairs are whole numbers from 0 upwards")

    @classmethod
    def of(cls, pairs: Iterable[Sequence[float]], matches: int = 2) -> PairCounts:
        """Counts pairs by their score, and returns the counts.

        Args:
            pairs: for each pair, A's scores against B in its matches: `matches` numbers, each 1, 1/2 or 0.
            matches: number of matches in a pair.

        Raises:
            LapilliError: a pair has another number of matches, or a score is not 1, 1/2 or 0.
        """
        counts = [0] * (2 * matches + 1)
        for pair in pairs:
            if len(pair) != matches or not {*pair} <= {0, 0.5, 1}:
                raise LapilliError(f"a pair of {matches} matches has {matches} scores, each 0, 0.5 or 1, not {pair}")
            counts[int(2 * sum(pair))] += 1
        return cls(tuple(counts))

    @classmethod
    def from_plain(cls, data: object) -> PairCounts:
        """Returns the counts from data that `to_plain` returned. Raises LapilliError for other data."""
        if not isinstance(data, list) or any(isinstance(count, bool) for count in data):
            raise LapilliError("results of pairs are a list of whole numbers")
        return cls(tuple(data))

    def to_plain(self) -> list[int]:
        """Returns the counts as a list, for JSON."""
        return list(self.counts)

    def __add__(self, other: PairCounts) -> PairCounts:
        """Returns the counts over the pairs of both operands.

        Raises LapilliError if their pairs have different numbers of matches.
        """
        if len(self.counts) != len(other.counts):
            raise LapilliError(f"pairs of {self.matches} and of {other.matches} matches cannot be counted together")
        return PairCounts(tuple(first + second for first, second in zip(self.counts, other.counts, strict=True)))

    def swapped(self) -> PairCounts:
        """Returns the counts of the same pairs, seen from player B."""
        return PairCounts(self.counts[::-1])

    @property
    def matches(self) -> int:
        """Number of matches in a pair."""
        return len(self.counts) // 2

    @property
    def pairs(self) -> int:
        """Number of pairs."""
        return sum(self.counts)

    @property
    def wins(self) -> int:
        """Number of pairs in which A scored more than half of the points."""
        return sum(self.counts[self.matches + 1 :])

    @property
    def draws(self) -> int:
        """Number of pairs in which both players scored the same."""
        return self.counts[self.matches]

    @property
    def losses(self) -> int:
        """Number of pairs in which A scored less than half of the points."""
        return sum(self.counts[: self.matches])

    @property
    def score(self) -> float:
        """Mean score of the pairs, from 0 to 1; 1/2 if there are no pairs."""
        points = sum(place * count for place, count in enumerate(self.counts))
        return points / (2 * self.matches * self.pairs) if self.pairs else 0.5

    @property
    def variance(self) -> float:
        """Variance of a pair's score around the mean (sum of squares / number of pairs); 0 if there are no pairs."""
        if not self.pairs:
            return 0.0
        return float(np.dot(self.counts, (cells(len(self.counts)) - self.score) ** 2)) / self.pairs


def cells(number: int) -> NDArray[np.float64]:
    """Returns the possible scores of a pair, in the order of `PairCounts.counts`.

    Args:
        number: number of possible scores. They are evenly spaced from 0 to 1.
    """
    return np.arange(number) / (number - 1)


def spread(counts: NDArray[np.float64], pairs: float, score: float) -> NDArray[np.float64]:
    """Adds extreme pairs to counts of pairs, and returns the new counts.

    In an extreme pair, all matches are won, or all are lost. Such pairs have the largest variance that is possible with
    their mean score. So an estimate of the variance from few pairs is not 0 or much too small.

    Args:
        counts: number of pairs by score, shape (…, cells).
        pairs: number of pairs to add, not necessarily whole.
        score: mean score of the added pairs.
    """
    result = counts.copy()
    result[..., 0] += pairs * (1 - score)
    result[..., -1] += pairs * score
    return result
