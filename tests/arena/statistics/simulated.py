"""Simulated comparisons: pairs drawn from games with draws, strong seats, and starts that suit one player."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lapilli.arena.statistics import Sprt, expected_score

Floats = NDArray[np.float64]

LIMIT = 20_000


@dataclass(frozen=True)
class Play:
    """A kind of game between two players.

    Attributes:
        draws: share of matches between equals that are drawn.
        seats: Elo that the best seat is worth; the worst takes as much away. Strong seats: pairs are mostly even.
        together: share of pairs whose start decides, so that all matches end alike.
        matches: in a pair.
    """

    draws: float = 0.0
    seats: float = 0.0
    together: float = 0.0
    matches: int = 2

    def pair_scores(self, elo: float) -> Floats:
        """How likely a pair has each score, where A is so much stronger over both seats together."""
        wanted, low, high = expected_score(elo), -4000.0, 4000.0
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if self._scores(middle).mean() < wanted else (low, middle)
        matches = [self._results(score) for score in self._scores(low)]
        apart = matches[0]
        for match in matches[1:]:
            apart = np.convolve(apart, match)
        alike = np.zeros(len(apart))
        alike[:: self.matches] = np.mean(matches, axis=0)
        return (1 - self.together) * apart + self.together * alike

    def _scores(self, elo: float) -> Floats:
        return np.array([expected_score(elo + seat) for seat in np.linspace(-self.seats, self.seats, self.matches)])

    def _results(self, score: float) -> Floats:
        drawn = self.draws * 2 * min(score, 1 - score)
        return np.array([1 - score - drawn / 2, drawn, score - drawn / 2])


class Run(NamedTuple):
    """What tests decided, each after how many pairs; and all their pairs, shape (tests, cells)."""

    decisions: NDArray[np.int64]
    """1 for H1, -1 for H0, 0 for none within LIMIT pairs."""
    lengths: NDArray[np.int64]
    counts: Floats

    @property
    def h1(self) -> float:
        return float((self.decisions == 1).mean())

    @property
    def h0(self) -> float:
        return float((self.decisions == -1).mean())


def run(test: Sprt, shares: Floats, number: int, rng: np.random.Generator, start: NDArray[Any] | None = None) -> Run:
    """So many tests, each looked at after every pair until it decides.

    Args:
        test: what is decided.
        shares: how likely each score of a pair is; for all tests, or a row for each.
        number: how many tests.
        rng: what draws the pairs.
        start: a row for each test with the pairs that it goes on from.
    """
    below = np.broadcast_to(np.cumsum(shares, axis=-1)[..., :-1], (number, shares.shape[-1] - 1))
    counts = np.zeros((number, shares.shape[-1])) if start is None else start.astype(np.float64)
    decisions, lengths = np.zeros((2, number), np.int64)
    going = np.arange(number)
    for played in range(1, LIMIT + 1):
        counts[going, (rng.random((len(going), 1)) > below[going]).sum(-1)] += 1
        llrs = _llrs(test, counts[going])
        decided = np.where(llrs >= test.upper, 1, np.where(llrs <= test.lower, -1, 0))
        decisions[going], lengths[going] = decided, played
        going = going[decided == 0]
        if not len(going):
            break
    return Run(decisions, lengths, counts)


def _llrs(test: Sprt, counts: Floats) -> Floats:
    """Of equal tables only once, which saves most of the time."""
    radix = (counts.max() + 1) ** np.arange(counts.shape[-1])
    key = counts @ radix if radix[-1] < 2**40 else np.arange(len(counts))
    _, first, same = np.unique(key, return_index=True, return_inverse=True)
    return test.llrs(counts[first])[same]
