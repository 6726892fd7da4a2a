"""Computes Elo differences from scores, with a 95 % interval and the likelihood of superiority.

Elo is logistic: a player that is E Elo stronger has an expected score of 1 / (1 + 10^(-E/400)).

The interval is Wilson's interval for a proportion. Wilson's formula needs a number of trials: here, the number of
independent decisive matches (scores 0 and 1) whose mean score has the same variance as the mean score of the pairs.
Unlike mean ± 1.96 standard errors, this interval stays within 0 … 1, and is also right for lopsided results. Before the
variance is estimated, a quarter of a pair is added to the played pairs, half of it won and half of it lost. So the
variance is never 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from lapilli.arena.statistics.pairs import PairCounts, cells, spread

MAX_ELO = 1200.0
"""Largest absolute value of an Elo estimate; it means a score of 0.999.

A few hundred matches cannot measure larger differences.
"""
ELO_OF_LOGIT = 400 / math.log(10)
"""Elo per unit of the logit of the score: Elo = ELO_OF_LOGIT · ln(score / (1 - score))."""
NORMALIZED = 2 * ELO_OF_LOGIT
"""Normalized Elo of a player whose score is above 1/2 by one standard deviation of a single match's score."""
_ADDED_PAIRS = 0.25
"""Number of pairs that are added to the played pairs when the variance is estimated."""
_NORMAL = NormalDist()
Z95 = _NORMAL.inv_cdf(0.975)
"""Half the width of a 95 % interval, in standard deviations of a normal distribution (1.96)."""


@dataclass(frozen=True, slots=True)
class EloEstimate:
    """An estimate of the strength of player A against player B.

    Attributes:
        score: A's share of the points, from 0 to 1.
        score_low, score_high: 95 % interval of the score.
        elo, low, high: the score and its interval, converted to Elo, and limited to ±MAX_ELO.
        los: likelihood of superiority, from 0 to 1: the probability that A is stronger than B, if all strengths are
            equally likely beforehand.
    """

    score: float
    score_low: float
    score_high: float
    elo: float
    low: float
    high: float
    los: float


def expected_score(elo: float) -> float:
    """Returns the expected score, from 0 to 1, of a player that is `elo` Elo stronger than its opponent."""
    return 0.5 + 0.5 * math.tanh(elo / (2 * ELO_OF_LOGIT))


def elo_of(score: float) -> float:
    """Returns the Elo difference that has this expected score, limited to ±MAX_ELO."""
    clipped = min(max(score, 1e-6), 1 - 1e-6)
    return min(max(400 * math.log10(clipped / (1 - clipped)), -MAX_ELO), MAX_ELO)


def estimate(pairs: PairCounts) -> EloEstimate:
    """Estimates A's score and Elo against B, with 95 % intervals and the likelihood of superiority.

    Without pairs, the score is 1/2.
    """
    if not pairs.pairs:
        return EloEstimate(0.5, 0.0, 1.0, 0.0, -MAX_ELO, MAX_ELO, 0.5)
    score = pairs.score
    centre, pair_variance, number = _with_added_pairs(pairs)
    variance = pair_variance / (number - 1)  # variance of the mean score
    decisive = centre * (1 - centre) / variance  # number of trials, see the module's docstring
    square = Z95**2 / decisive
    middle = (score + square / 2) / (1 + square)
    half = math.sqrt(square * (score * (1 - score) + square / 4)) / (1 + square)
    # If all matches were won or all lost, one end of the interval is the score; rounding could move this end beyond it.
    low, high = max(min(middle - half, score), 0.0), min(max(middle + half, score), 1.0)
    los = _NORMAL.cdf((score - 0.5) / math.sqrt(variance))
    return EloEstimate(score, low, high, elo_of(score), elo_of(low), elo_of(high), los)


def normalized_elo(pairs: PairCounts) -> float:
    """Returns normalized Elo: (score - 1/2), in standard deviations of a single match, times NORMALIZED.

    The number of pairs that are needed to detect a difference depends only on its normalized Elo, not on the frequency
    of draws or the influence of the seats. So a given normalized Elo needs the same number of pairs in every game.
    """
    if not pairs.pairs:
        return 0.0
    variance = pairs.variance or _with_added_pairs(pairs)[1]
    return NORMALIZED * (pairs.score - 0.5) / math.sqrt(pairs.matches * variance)


def _with_added_pairs(pairs: PairCounts) -> tuple[float, float, float]:
    """Adds `_ADDED_PAIRS` pairs to played pairs, half of them won and half of them lost.

    Returns the mean and the variance of the score of a pair, and the number of pairs, all with the added pairs.
    """
    counts = spread(np.array(pairs.counts, dtype=np.float64), _ADDED_PAIRS, 0.5)
    scores, number = cells(len(counts)), pairs.pairs + _ADDED_PAIRS
    mean = float(counts @ scores) / number
    return mean, float(counts @ (scores - mean) ** 2) / number, number
