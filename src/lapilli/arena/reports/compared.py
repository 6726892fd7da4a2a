"""Computes the result of a stored comparison by counting its matches one after the other."""

from __future__ import annotations

import msgspec
import numpy as np

from lapilli.arena.progress.comparison import stored_test
from lapilli.arena.progress.scoreboard import Scoreboard
from lapilli.arena.reports.curve_samples import CurveSamples
from lapilli.arena.statistics import DifferenceEstimate, EloEstimate, PairCounts, Sprt, estimate
from lapilli.store import Event, Store, Tally
from lapilli.store.results import MatchResult


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a comparison: contestant 0 against contestant 1.

    The result covers the pairs of matches that the event's verdict counts. If the event has no verdict yet, the result
    covers all complete pairs.

    Attributes:
        counts: number of pairs by score.
        elo: score and Elo with 95 % intervals.
        difference: mean difference of the game's points, per match.
        curve: course of `elo` over the pairs: tuples (number of pairs, estimate after these pairs). The last tuple is
            for all pairs.
        test: the sequential test; None without a stored test.
        path: course of the test over the pairs: tuples (number of pairs, log-likelihood ratio after these pairs).
        repeats: whether both players always play the same moves, so that further pairs from the same start positions
            do not count.
        tallies: for each contestant, in the event's order, its sums over the matches of the counted pairs.
    """

    counts: PairCounts
    elo: EloEstimate
    difference: DifferenceEstimate
    curve: tuple[tuple[int, EloEstimate], ...]
    test: Sprt | None
    path: tuple[tuple[int, float], ...]
    repeats: bool
    tallies: tuple[Tally, ...]


class ComparisonFold:
    """Counts the matches of a stored comparison, in the order of storage.

    For the curves of the result, samples of the counts are taken at regular intervals. With at least `points` pairs,
    the number of samples is between `points` and twice `points`.

    Args:
        event: the comparison.
        points: smallest number of points on the curves; 0 for no curves.
    """

    def __init__(self, event: Event, points: int = 0) -> None:
        self._board = Scoreboard(len(event.contestants), None, event.counted, event.plan.get("starts", 0))
        self._points = points
        step = max(1, event.played // len(event.contestants) // max(points, 1))
        self._samples: CurveSamples[PairCounts] = CurveSamples(points, step)
        self._elo: dict[int, EloEstimate] = {}

    def add(self, result: MatchResult) -> None:
        """Adds the result of a match to the counts. The caller must add matches in the order of storage."""
        self._board.add(result)
        counts = self._board.counts
        if self._points and counts.pairs:
            self._samples.offer(counts.pairs, lambda: counts)

    def fits(self, event: Event) -> bool:
        """Returns whether the result so far is still valid for a newer state of the event. If it is, adopts that state.

        The event's verdict may by now be based on a fixed number of pairs (`event.counted`). If this result has not
        counted more pairs than that, it will count no pairs beyond that number either.
        """
        if self._board.most == event.counted:
            return True
        fits = self._board.most is None and event.counted is not None and self._board.counts.pairs <= event.counted
        if fits:
            self._board.most = event.counted
        return fits

    def compared(self, event: Event) -> Compared:
        """Returns the result of the matches counted so far; `event` is the comparison, with its stored test."""
        board = self._board
        samples = list(self._samples.taken.values())
        if self._points and board.counts.pairs and samples[-1:] != [board.counts]:
            samples = [*samples, board.counts]
        test = stored_test(event)
        return Compared(
            counts=board.counts,
            elo=estimate(board.counts),
            difference=board.differences.estimate(),
            curve=tuple((sample.pairs, self._estimate(sample)) for sample in samples),
            test=test,
            path=_path(test, samples),
            repeats=board.repeats,
            tallies=tuple(side.tally(number) for number, side in enumerate(board.sides)),
        )

    def _estimate(self, sample: PairCounts) -> EloEstimate:
        """Returns the Elo estimate for one point of the curve, from `sample`, the counts of pairs at that point.

        Results are cached, because the same points are shown again and again.
        """
        if sample.pairs not in self._elo:
            self._elo[sample.pairs] = estimate(sample)
        return self._elo[sample.pairs]


def _path(test: Sprt | None, samples: list[PairCounts]) -> tuple[tuple[int, float], ...]:
    if test is None or not samples:
        return ()
    ratios = test.llrs(np.array([sample.counts for sample in samples], dtype=np.float64))
    return tuple((sample.pairs, float(ratio)) for sample, ratio in zip(samples, ratios, strict=True))


def compared(store: Store, event: Event, points: int = 0) -> Compared:
    """Computes the result of contestant 0 against contestant 1 from all stored matches of a comparison.

    Args:
        store: the store.
        event: the comparison.
        points: approximate number of points on the curves; 0 for no curves.
    """
    fold = ComparisonFold(event, points)
    for match in store.results(event.id):
        fold.add(match.result)
    return fold.compared(event)
