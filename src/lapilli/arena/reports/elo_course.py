"""Computes how the Elo of a tournament's contestants changed while its matches were played."""

from __future__ import annotations

import msgspec

from lapilli.arena.reports.curve_samples import CurveSamples
from lapilli.arena.statistics import PairCounts, ratings, results_of_match
from lapilli.store.results import MatchResult

_Counts = dict[tuple[int, int], PairCounts]
"""Results between two contestants, seen from the first, by their indices. Each match counts as a pair of its own."""


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
        points: smallest number of samples in a long tournament. The number of samples is at most twice as large.

    Attributes:
        matches: number of matches counted.
    """

    def __init__(self, points: int) -> None:
        self.matches = 0
        self._counts: _Counts = {}
        self._samples: CurveSamples[_Counts] = CurveSamples(points)
        self._known: dict[int, EloPoint] = {}

    def add(self, result: MatchResult) -> None:
        """Adds the result of a match to the counts; the result of an abandoned match is ignored.

        The caller must add matches in the order of storage.
        """
        if result.abandoned:
            return
        seats = sorted(result.seats, key=lambda seat: seat.contestant)
        for first, second, score in results_of_match([seat.rank or 0 for seat in seats]):
            two = seats[first].contestant, seats[second].contestant
            counts = PairCounts.of([[score]], 1)
            self._counts[two] = self._counts[two] + counts if two in self._counts else counts
        self.matches += 1
        self._samples.offer(self.matches, self._counts.copy)

    def path(self) -> list[EloPoint]:
        """Returns the course of the Elo: a point for each sample of the counts, and one for all matches so far."""
        samples = self._samples.taken | ({self.matches: self._counts.copy()} if self.matches else {})
        self._known = {number: self._point(number, counts) for number, counts in samples.items()}
        return list(self._known.values())

    def _point(self, matches: int, counts: _Counts) -> EloPoint:
        """Returns the point for a sample: the Elo after `matches` matches, from the `counts` at that time.

        The point of each sample is computed only once.
        """
        if matches in self._known:
            return self._known[matches]
        rated = ratings({(str(one), str(other)): results for (one, other), results in counts.items()})
        return EloPoint(matches=matches, elo={int(rating.name): rating.elo for rating in rated})
