"""Ratings of many contestants from the results of pairs between them: Bradley and Terry's model, in Elo.

Each contestant has a strength, and the expected score between two depends on the difference of theirs alone; draws
count as half a win. The strengths are those that explain all results best (maximum likelihood), and everybody has
drawn one match more against a player of mean strength: so one that won or lost everything has a finite rating, and
contestants who never met have ratings at all.

Of a match between three or four, every two players have a result of their own: who came before whom. Those results are
counted like matches between two; that they hang together is not taken into account.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lapilli.arena.statistics.elo import ELO_OF_LOGIT, Z95, expected_score
from lapilli.arena.statistics.pairs import PairCounts, match_score
from lapilli.core.errors import LapilliError, UnknownName

Floats = NDArray[np.float64]

_STEPS = 1000


@dataclass(frozen=True, slots=True)
class Rating:
    """How strong a contestant is among the others.

    Attributes:
        name: whose rating it is.
        elo: its strength, where the anchor (the mean of all, or one of them) is 0.
        low, high: its 95 % interval.
        matches: results that it has, against anybody.
        score: its share of the points in them, from 0 to 1; 1/2 without any.
    """

    name: str
    elo: float
    low: float
    high: float
    matches: int
    score: float


def results_of_match(ranks: Sequence[int]) -> Iterator[tuple[int, int, float]]:
    """The results between every two players of a match: a player, a later one, and what the first scored against it.

    Args:
        ranks: one per player, 1 is best; ties share a rank.
    """
    for first, own in enumerate(ranks):
        for second in range(first + 1, len(ranks)):
            yield first, second, match_score(own, ranks[second])


def ratings(results: Mapping[tuple[str, str], PairCounts], anchor: str | None = None) -> tuple[Rating, ...]:
    """Rates all contestants, the strongest first.

    The intervals are those of a normal distribution around the estimate. How much results vary is estimated from all
    pairs together: with many draws, or where seats decide, less than decisive matches would.

    Args:
        results: of each two contestants the pairs between them, seen from the first one's side; a pair may be a
            single match. (A, B) and (B, A) may both be there.
        anchor: who has 0 Elo; without, the mean of all is 0.

    Raises:
        UnknownName: the anchor is not among the contestants.
        LapilliError: somebody is said to have played against itself.
    """
    names = sorted({name for two in results for name in two})
    if not names:
        return ()
    if anchor is not None and anchor not in names:
        raise UnknownName("contestant", anchor, names)
    points, matches = _tables(results, names)
    logits, curvature = _strengths(points, matches)
    covariance = _dispersion(results, dict(zip(names, logits, strict=True))) * np.linalg.inv(curvature)
    size = len(names)
    weight = np.full(size, 1 / size) if anchor is None else np.eye(size)[names.index(anchor)]
    from_anchor = np.eye(size) - weight
    elos = ELO_OF_LOGIT * from_anchor @ logits
    errors = ELO_OF_LOGIT * np.sqrt(np.diag(from_anchor @ covariance @ from_anchor.T))
    found = [
        Rating(
            name,
            float(elos[row]),
            float(elos[row] - Z95 * errors[row]),
            float(elos[row] + Z95 * errors[row]),
            int(matches[row].sum()),
            float(points[row].sum() / matches[row].sum()) if matches[row].any() else 0.5,
        )
        for row, name in enumerate(names)
    ]
    return tuple(sorted(found, key=lambda rating: (-rating.elo, rating.name)))


def _tables(results: Mapping[tuple[str, str], PairCounts], names: Sequence[str]) -> tuple[Floats, Floats]:
    """Points of each (row) against each other (column), and matches between them."""
    place = {name: row for row, name in enumerate(names)}
    points, matches = np.zeros((2, len(names), len(names)))
    for (first, second), pairs in results.items():
        if first == second:
            raise LapilliError(f"{first} cannot be rated by matches against itself")
        row, column = place[first], place[second]
        number = pairs.pairs * pairs.matches
        points[row, column] += pairs.score * number
        points[column, row] += (1 - pairs.score) * number
        matches[row, column] += number
        matches[column, row] += number
    return points, matches


def _strengths(points: Floats, matches: Floats) -> tuple[Floats, Floats]:
    """The most likely strengths, in logits, and how the log-likelihood bends there (negative second derivatives)."""
    logits = np.zeros(len(points))
    for _ in range(_STEPS):
        expected = _logistic(logits[:, None] - logits[None, :])
        own = _logistic(logits)  # against a player of mean strength
        slope = (points - matches * expected).sum(1) + 0.5 - own
        bend = -matches * expected * (1 - expected)
        np.fill_diagonal(bend, -bend.sum(1) + own * (1 - own))
        step = np.linalg.solve(bend, slope)
        largest = np.abs(step).max(initial=0)
        logits = logits + step * min(1.0, 1 / max(largest, 1e-300))  # Newton's, held short: far off it goes too far
        if largest < 1e-9:
            break
    return logits, bend


def _dispersion(results: Mapping[tuple[str, str], PairCounts], logits: Mapping[str, float]) -> float:
    """How much pairs vary, as a share of what pairs of independent decisive matches would."""
    seen = expected = 0.0
    number = 0
    for (first, second), pairs in results.items():
        chance = expected_score(ELO_OF_LOGIT * (logits[first] - logits[second]))
        number += pairs.pairs
        seen += pairs.pairs * pairs.matches**2 * (pairs.variance + (pairs.score - chance) ** 2)
        expected += pairs.pairs * pairs.matches * chance * (1 - chance)
    free = number - len(logits) + 1  # pairs less what was fitted to them
    seen *= number / free if free > 0 else 1.0
    return (seen + 0.25) / (expected + 0.25)  # a decisive match between equals more, so that it is never 0


def _logistic(logits: Floats) -> Floats:
    return np.asarray(0.5 + 0.5 * np.tanh(logits / 2))
