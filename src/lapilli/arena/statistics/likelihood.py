"""The generalised log-likelihood ratio: how much better one strength explains the results of pairs than another does.

The score of a pair of matches has one of a few values, with unknown probabilities. A hypothesis about A's strength
fixes one property of these probabilities. For logistic Elo, this property is the mean score. For normalized Elo, it is
the distance of the mean score from 1/2, in standard deviations. A hypothesis does not fix the share of draws, or the
correlation between the matches of a pair. So the likelihood of a hypothesis is the largest likelihood of all
probabilities with this property. The log-likelihood ratio is the difference between the logarithms of two hypotheses'
likelihoods.

Theory: M. Van den Bergh, "The generalized maximum likelihood ratio for the expectation value of a distribution"
(Proposition 1.1) and "Normalized Elo, a practical guide" (section 4.1), both at www.cantate.be/Fishtest. The test
servers of chess (fishtest, OpenBench, fastchess) compute the same ratio; our tests compare with their values.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from lapilli.arena.statistics.elo import NORMALIZED, expected_score
from lapilli.arena.statistics.pairs import cells

Floats = NDArray[np.float64]

EMPTY = 1e-3
"""Count that replaces 0 in counts of pairs, so that no strength is impossible; the same number as in fishtest."""
_STEPS = 200
_CLOSE = 1e-9


class EloModel(StrEnum):
    """The Elo scale in which the two hypotheses of a sequential test are stated."""

    LOGISTIC = "logistic"
    """Elo from the mean score: 100 Elo means 64 % of the points."""
    NORMALIZED = "normalized"
    """Elo from the distance of the mean score from 1/2, in standard deviations.

    On this scale, a test takes the same number of pairs in every game.
    """


def log_likelihood_ratio(counts: Floats, elo0: float, elo1: float, model: EloModel = EloModel.LOGISTIC) -> Floats:
    """Returns the log-likelihood of the strength `elo1` minus that of `elo0`, given the results of pairs.

    Args:
        counts: number of pairs by score, as in PairCounts, shape (…, cells); cells is the number of possible scores.
            One call with many sets of counts is much faster than many calls.
        elo0: strength under one hypothesis, in Elo.
        elo1: strength under the other hypothesis, in Elo.
        model: Elo scale of both strengths.

    Returns:
        One number for each set of counts, shape (…).
    """
    positive = filled(counts)
    return np.asarray((positive * likelihood_jumps(positive, elo0, elo1, model)).sum(-1))


def filled(counts: Floats) -> Floats:
    """Returns the counts with each 0 replaced by the small number EMPTY, because likelihoods need logarithms."""
    return np.where(counts == 0, EMPTY, counts)


def likelihood_jumps(counts: Floats, elo0: float, elo1: float, model: EloModel) -> Floats:
    """Returns by how much one pair with each possible score adds to the log-likelihood ratio; shape (…, cells).

    Args:
        counts: number of pairs by score, none of them 0 (see `filled`), shape (…, cells).
        elo0, elo1: strengths under the two hypotheses, in Elo.
        model: Elo scale of both strengths.
    """
    share = np.broadcast_to(counts / counts.sum(-1, keepdims=True), (2, *counts.shape))
    elos = np.array([elo0, elo1]).reshape(2, *(1 for _ in counts.shape))
    best = _at_mean(share, elos) if model == EloModel.LOGISTIC else _at_t_value(share, elos)
    return np.asarray(np.log(best[1] / best[0]))


def neutral_score(elo0: float, elo1: float, model: EloModel, matches: int) -> float:
    """Returns the mean score of pairs that favours neither of two hypotheses: it is half-way between them.

    It is assumed that the matches of a pair are either all won or all lost.

    Args:
        elo0, elo1: strengths under the two hypotheses, in Elo.
        model: Elo scale of both strengths.
        matches: number of matches in a pair.
    """
    if model == EloModel.LOGISTIC:
        return (expected_score(elo0) + expected_score(elo1)) / 2
    return float(_two_point_score(_t_value(np.array((elo0 + elo1) / 2), matches)))


def _t_value(elo: Floats, matches: int) -> Floats:
    """Converts normalized Elo to a t-value: (score - 1/2), in standard deviations of a pair of `matches` matches."""
    return np.asarray(elo * (matches**0.5 / NORMALIZED))


def _two_point_score(t_value: Floats) -> Floats:
    """Returns the mean of the distribution over the scores 0 and 1 that has this t-value (see `_t_value`)."""
    return np.asarray(0.5 + 0.5 * t_value / np.sqrt(1 + t_value**2))


def _at_mean(share: Floats, elo: Floats) -> Floats:
    """Returns the most likely probabilities of a pair's scores, among those whose mean score fits a logistic Elo.

    Args:
        share: observed share of each score, shape (…, cells).
        elo: logistic Elo.
    """
    means = np.vectorize(expected_score)(elo)
    return _tilted(share, cells(share.shape[-1]) - means)


def _at_t_value(share: Floats, elo: Floats) -> Floats:
    """Returns the most likely probabilities of a pair's scores, among those whose t-value fits a normalized Elo.

    The condition on the probabilities is not linear. It is linearised around a guess, and the solution is the next
    guess.

    Args:
        share: observed share of each score, shape (…, cells).
        elo: normalized Elo.
    """
    scores = cells(share.shape[-1])
    wanted = _t_value(elo, len(scores) // 2)
    most = _two_point_score(wanted)
    guess = np.zeros(share.shape)  # all pairs won or lost: fits the t-value, so the first step has a solution
    guess[..., :1], guess[..., -1:] = 1 - most, most
    for _ in range(_STEPS):
        mean = (guess * scores).sum(-1, keepdims=True)
        deviation = np.sqrt((guess * (scores - mean) ** 2).sum(-1, keepdims=True))
        slope = scores - 0.5 - wanted * deviation * (1 + ((mean - scores) / deviation) ** 2) / 2
        better = _tilted(share, slope)
        if np.abs(better - guess).max(initial=0) < _CLOSE:
            return better
        guess = better
    return guess


def _tilted(share: Floats, value: Floats) -> Floats:
    """Returns the most likely probabilities p for the observed shares `share`, among those with sum(p * value) = 0.

    They are share / (1 + x * value). Here x solves sum(share * value / (1 + x * value)) = 0 between the two poles of
    this sum, which belong to the smallest and the largest value. Multiplied by the distances to both poles, the sum is
    nearly linear in x, so that Newton's method converges fast. If a step leaves the bracket around x, the bracket is
    halved instead.
    """
    value = np.broadcast_to(value, share.shape)
    least, most = value.min(-1), value.max(-1)
    low, high = -1 / most, -1 / least
    x = np.zeros(share.shape[:-1])
    for _ in range(_STEPS):
        term = value / (1 + x[..., None] * value)
        total, slope = (share * term).sum(-1), -(share * term**2).sum(-1)
        left, right = 1 + x * most, 1 + x * least
        low, high = np.where(total > 0, x, low), np.where(total > 0, high, x)
        line = slope * left * right + total * (most * right + least * left)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = x - total * left * right / line
        # Convergence is checked before the bracket: rounding may move so small a step out of the bracket.
        converged = np.abs(step - x) <= 1e-12 * (1 + np.abs(x))
        if converged.all():
            break
        inside = (step > low) & (step < high)
        x = np.where(converged, x, np.where(inside, step, (low + high) / 2))
    return np.asarray(share / (1 + x[..., None] * value))
