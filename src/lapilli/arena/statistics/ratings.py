"""Ratings of many contestants from the results of pairs between them: the Bradley-Terry model, in Elo.

Each contestant has a strength, and the expected score between two contestants depends only on the difference of their
strengths; a draw counts as half a win. The estimated strengths are those that explain all results best (maximum
likelihood). One match is added for each contestant: a draw against a player of mean strength. So contestants that won
or lost all matches have a finite rating, and contestants that never met can be compared.

A match of three or four players yields one result for every two of the players: the player ranked before the other has
won. These results count like matches of two players; their correlation is ignored.
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
class FittedRating:
    """The rating of a contestant.

    Attributes:
        name: name of the contestant.
        elo: Elo of the contestant, relative to the mean of all contestants or to the anchor of `ratings`.
        low, high: 95 % interval of the Elo.
        matches: number of results of the contestant against all others; a match with more players has several results.
        score: the contestant's share of the points in these results, from 0 to 1; 1/2 without results.
    """

    name: str
    elo: float
    low: float
    high: float
    matches: int
    score: float


def results_of_match(ranks: Sequence[int]) -> Iterator[tuple[int, int, float]]:
    """Yields a result for every two players of a match: (first player, second player, score of the first one).

    Args:
        ranks: rank of each player; 1 is best, ties share a rank.
    """
    for first, own in enumerate(ranks):
        for second in range(first + 1, len(ranks)):
            yield first, second, match_score(own, ranks[second])


def table_ratings(results: Mapping[tuple[str, str], PairCounts]) -> tuple[FittedRating, ...]:
    """Returns the ratings that a table of results shows, the strongest contestant first.

    The mean Elo of all contestants is 0. But if there are only two, the weaker contestant has 0: then the Elo of the
    stronger contestant, with its interval, is the difference between both.

    `results`: counts of the pairs between two contestants, by (name of A, name of B), seen from A.
    """
    found = ratings(results)
    return ratings(results, anchor=found[-1].name) if len(found) == 2 else found


def ratings(results: Mapping[tuple[str, str], PairCounts], anchor: str | None = None) -> tuple[FittedRating, ...]:
    """Returns the ratings of all contestants, the strongest first.

    The intervals assume a normal distribution around the estimate. The variance of results is estimated from all pairs
    together. With many draws, or if seats matter much, this variance is lower than that of independent matches without
    draws.

    Args:
        results: counts of the pairs between two contestants, seen from A. The key is (name of A, name of B). A pair may
            consist of a single match. Both (A, B) and (B, A) may be present.
        anchor: name of the contestant whose Elo is set to 0; None to set the mean of all contestants to 0.

    Raises:
        UnknownName: the anchor is not among the contestants.
        LapilliError: a contestant has results against itself.
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
    fitted = [
        FittedRating(
            name,
            float(elos[row]),
            float(elos[row] - Z95 * errors[row]),
            float(elos[row] + Z95 * errors[row]),
            int(matches[row].sum()),
            float(points[row].sum() / matches[row].sum()) if matches[row].any() else 0.5,
        )
        for row, name in enumerate(names)
    ]
    return tuple(sorted(fitted, key=lambda rating: (-rating.elo, rating.name)))


def rating_against(name: str, results: Mapping[str, PairCounts], elos: Mapping[str, float]) -> FittedRating:
    """Returns the rating of one contestant from its results against others whose Elo is known.

    One match is added to the results: a draw against a player of the others' mean strength. So a contestant that has
    won or lost all matches has a finite rating. The interval assumes that the others' Elo is exact.

    Args:
        name: name of the contestant.
        results: counts of the pairs against each other contestant, by the other's name, seen from the rated
            contestant. At least one.
        elos: Elo of the others, by name.
    """
    others = np.array([elos[other] for other in results]) / ELO_OF_LOGIT
    matches = np.array([float(pairs.pairs * pairs.matches) for pairs in results.values()])
    points = np.array([pairs.score for pairs in results.values()]) * matches
    strength = mean = float(others.mean())
    for _ in range(_STEPS):
        expected, usual = _logistic(strength - others), float(_logistic(np.array(strength - mean)))
        bend = float((matches * expected * (1 - expected)).sum()) + usual * (1 - usual)
        step = (float((points - matches * expected).sum()) + 0.5 - usual) / bend
        strength += step * min(1.0, 1 / max(abs(step), 1e-300))
        if abs(step) < 1e-9:
            break
    logits = dict(zip(results, others, strict=True)) | {name: strength}
    dispersion = _dispersion({(name, other): pairs for other, pairs in results.items()}, logits, fitted=1)
    elo, error = ELO_OF_LOGIT * strength, ELO_OF_LOGIT * float(np.sqrt(dispersion / bend))
    played = int(matches.sum())
    score = float(points.sum()) / played if played else 0.5
    return FittedRating(name, elo, elo - Z95 * error, elo + Z95 * error, played, score)


def _tables(results: Mapping[tuple[str, str], PairCounts], names: Sequence[str]) -> tuple[Floats, Floats]:
    """Returns two square arrays: points of each contestant (row) against each other (column), and number of matches.

    `results`: counts of the pairs between two contestants, by (name of A, name of B), seen from A. `names`: names of
    the contestants, in the order of rows and columns.
    """
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
    """Returns the most likely strength of each contestant, in logits.

    Also returns the negative Hessian of the log-likelihood at these strengths, shape (contestants, contestants).
    `points`, `matches`: points, and number of matches, of each contestant (row) against each other (column).
    """
    logits = np.zeros(len(points))
    for _ in range(_STEPS):
        expected = _logistic(logits[:, None] - logits[None, :])
        own = _logistic(logits)  # against a player of mean strength
        slope = (points - matches * expected).sum(1) + 0.5 - own
        bend = -matches * expected * (1 - expected)
        np.fill_diagonal(bend, -bend.sum(1) + own * (1 - own))
        step = np.linalg.solve(bend, slope)
        largest = np.abs(step).max(initial=0)
        logits = logits + step * min(1.0, 1 / max(largest, 1e-300))  # Newton's step, limited: far away it is too long
        if largest < 1e-9:
            break
    return logits, bend


def _dispersion(
    results: Mapping[tuple[str, str], PairCounts], logits: Mapping[str, float], fitted: int | None = None
) -> float:
    """Returns the variance of the pairs' results, divided by the variance that independent decisive matches would have.

    Args:
        results: counts of the pairs between two contestants, by (name of A, name of B), seen from A.
        logits: strength of each contestant, in logits.
        fitted: number of strengths that were fitted to the results; by default all but one.
    """
    observed = expected = 0.0
    number = 0
    for (first, second), pairs in results.items():
        chance = expected_score(ELO_OF_LOGIT * (logits[first] - logits[second]))
        number += pairs.pairs
        observed += pairs.pairs * pairs.matches**2 * (pairs.variance + (pairs.score - chance) ** 2)
        expected += pairs.pairs * pairs.matches * chance * (1 - chance)
    free = number - (len(logits) - 1 if fitted is None else fitted)  # degrees of freedom
    observed *= number / free if free > 0 else 1.0
    return (observed + 0.25) / (expected + 0.25)  # adds a decisive match between equals, so that the result is above 0


def _logistic(logits: Floats) -> Floats:
    return np.asarray(0.5 + 0.5 * np.tanh(logits / 2))
