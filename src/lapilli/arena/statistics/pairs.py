"""Pairs: the matches on one seed with seats exchanged, and how many of them had which score.

The matches of a pair share a start, so their results are not independent: a start that favours one seat, or suits one
player, moves both. Whole pairs are independent of each other, and so a pair is the unit of all statistics here.

A pair of n matches (2 for two players; as many as there are seats for three or four, in all rotations) scores the mean
over its matches of what A scored against B: 1 for a win, 1/2 for a draw, 0 for a loss. That is a multiple of 1/(2n);
with n = 2 it is one of five values, the pentanomial of chess. Only whole pairs count: one with an abandoned match is
played again or left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lapilli.core.errors import LapilliError

MAX_MATCHES = 64
"""Matches that a pair may have."""
MAX_PAIRS = 10**15
"""Pairs that may be counted: sums of them stay exact in floating point."""


def match_score(own_rank: int, other_rank: int) -> float:
    """What one player scored against another in one match, by their ranks (1 is best): 1, 1/2 or 0."""
    return 0.5 * ((own_rank < other_rank) + (own_rank <= other_rank))


@dataclass(frozen=True, slots=True)
class PairCounts:
    """How many pairs had which score, seen from one player's side.

    Attributes:
        counts: counts[i] pairs scored i / (2n), where n is the number of matches of a pair; so 2n + 1 numbers.
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
        """Counts pairs.

        Args:
            pairs: of each pair what A scored in its matches against B, `matches` numbers that are 1, 1/2 or 0.
            matches: how many matches a pair has.

        Raises:
            LapilliError: a pair has another number of matches, or a match another score.
        """
        counts = [0] * (2 * matches + 1)
        for pair in pairs:
            if len(pair) != matches or not {*pair} <= {0, 0.5, 1}:
                raise LapilliError(f"a pair of {matches} matches has {matches} scores, each 0, 0.5 or 1, not {pair}")
            counts[int(2 * sum(pair))] += 1
        return cls(tuple(counts))

    @classmethod
    def from_plain(cls, data: object) -> PairCounts:
        """What `to_plain` gave. Raises LapilliError where it is something else."""
        if not isinstance(data, list) or any(isinstance(count, bool) for count in data):
            raise LapilliError("results of pairs are a list of whole numbers")
        return cls(tuple(data))

    def to_plain(self) -> list[int]:
        """The counts as a list, for JSON."""
        return list(self.counts)

    def __add__(self, other: PairCounts) -> PairCounts:
        """Both together. Raises LapilliError where their pairs have different numbers of matches."""
        if len(self.counts) != len(other.counts):
            raise LapilliError(f"pairs of {self.matches} and of {other.matches} matches cannot be counted together")
        return PairCounts(tuple(mine + theirs for mine, theirs in zip(self.counts, other.counts, strict=True)))

    def swapped(self) -> PairCounts:
        """The same pairs seen from the other side."""
        return PairCounts(self.counts[::-1])

    @property
    def matches(self) -> int:
        """Matches in a pair."""
        return len(self.counts) // 2

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return sum(self.counts)

    @property
    def wins(self) -> int:
        """Pairs in which A scored more than half."""
        return sum(self.counts[self.matches + 1 :])

    @property
    def draws(self) -> int:
        """Pairs in which both scored the same."""
        return self.counts[self.matches]

    @property
    def losses(self) -> int:
        """Pairs in which A scored less than half."""
        return sum(self.counts[: self.matches])

    @property
    def score(self) -> float:
        """The mean over the pairs, from 0 to 1; 1/2 where there is none."""
        points = sum(place * count for place, count in enumerate(self.counts))
        return points / (2 * self.matches * self.pairs) if self.pairs else 0.5

    @property
    def variance(self) -> float:
        """Of a pair's score, around the mean (divided by the number of pairs); 0 where there is none."""
        if not self.pairs:
            return 0.0
        return float(np.dot(self.counts, (cells(len(self.counts)) - self.score) ** 2)) / self.pairs


def cells(number: int) -> NDArray[np.float64]:
    """The scores that a pair can have, from 0 to 1, for so many cells of counts."""
    return np.arange(number) / (number - 1)


def spread(counts: NDArray[np.float64], pairs: float, score: float) -> NDArray[np.float64]:
    """Counts with some pairs more, which together have this score: all of it in wins and losses of whole pairs.

    That is how estimates of the variance are kept from being 0, or far too small, while there are few pairs: the
    pairs that are added vary as much as any of that score can. Shape of the counts: (…, cells).
    """
    more = counts.copy()
    more[..., 0] += pairs * (1 - score)
    more[..., -1] += pairs * score
    return more
