"""Computes how the Elo of a tournament's contestants changed while its matches were played."""

from __future__ import annotations

import msgspec

from lapilli.arena.statistics import PairCounts, ratings, results_of_match
from lapilli.store.results import MatchResult

_Counts = dict[tuple[int, int], tuple[int, int, int]]
"""Numbers of lost, drawn and won matches between two contestants, seen from the first, by their indices."""


class EloPoint(msgspec.Struct, frozen=True, kw_only=True):
    """The Elo of all rated contestants after some matches of a tournament.

    Attributes:
        matches: number of matches played.
        elo: Elo by the contestant's index; the mean of all rated contestants is 0.
    """

    matches: int
    elo: dict[int, float]


class EloCourse:
    """Counts the matches of a tournament, and takes samples of the counts at regular intervals.

    Args:
        points: smallest number of samples of a long tournament. The number of samples is at most twice as large.

    Attributes:
        matches: number of matches counted.
    """

    def __init__(self, points: int) -> None:
        self.matches = 0
        self._points, self._step = points, 1
        self._counts: _Counts = {}
        self._samples: dict[int, _Counts] = {}
        self._known: dict[int, EloPoint] = {}

    def add(self, result: MatchResult) -> None:
        """Counts a match. The caller must add the matches in the order of storage. An abandoned match is ignored."""
        if result.abandoned:
            return
        seats = sorted(result.seats, key=lambda seat: seat.contestant)
        for first, second, score in results_of_match([seat.rank or 0 for seat in seats]):
            two = seats[first].contestant, seats[second].contestant
            lost, drawn, won = self._counts.get(two, (0, 0, 0))
            self._counts[two] = lost + (score == 0), drawn + (score == 0.5), won + (score == 1)
        self.matches += 1
        if self.matches % self._step == 0:
            self._samples[self.matches] = dict(self._counts)
        if len(self._samples) > 2 * self._points:
            self._step *= 2
            self._samples = {number: one for number, one in self._samples.items() if number % self._step == 0}

    def path(self) -> list[EloPoint]:
        """Returns a point for each sample, and a point for all matches counted so far."""
        samples = self._samples | ({self.matches: dict(self._counts)} if self.matches else {})
        self._known = {number: self._point(number, counts) for number, counts in samples.items()}
        return list(self._known.values())

    def _point(self, matches: int, counts: _Counts) -> EloPoint:
        """Returns the point for a sample. It is computed only once."""
        if matches in self._known:
            return self._known[matches]
        rated = ratings({(str(one), str(other)): PairCounts(three) for (one, other), three in counts.items()})
        return EloPoint(matches=matches, elo={int(rating.name): rating.elo for rating in rated})
