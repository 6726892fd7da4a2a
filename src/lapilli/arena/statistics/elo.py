"""Elo: how much stronger, from a score; with a 95 % interval and the likelihood that it is stronger at all.

Elo is logistic here: a player who is E Elo stronger scores 1 / (1 + 10^(-E/400)) on average.

The interval is Wilson's for a proportion, on the number of matches of 0 and 1 that would tell as much as the pairs do:
a pair's score varies less than a single decisive match, by how much is estimated. Other than mean ± 1.96 standard
errors it stays in 0 … 1, and is right for lopsided results, too. For the estimate of the variance a quarter of a pair
is added, half of it won and half of it lost, so that it is never 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from lapilli.arena.statistics.pairs import PairCounts, cells, spread

MAX_ELO = 1200.0
"""What is beyond is given as this: a score of 0.999. Nobody can tell from a few hundred matches how far beyond."""
ELO_OF_LOGIT = 400 / math.log(10)
"""Elo of one unit of the logit."""
NORMALIZED = 2 * ELO_OF_LOGIT
"""Normalized Elo of a score that is one standard deviation of a single match above 1/2."""
_MORE = 0.25
_NORMAL = NormalDist()
Z95 = _NORMAL.inv_cdf(0.975)
"""Standard deviations to each side that hold 95 % of a normal distribution."""


@dataclass(frozen=True, slots=True)
class EloEstimate:
    """How A did against B.

    Attributes:
        score, score_low, score_high: A's share of the points, from 0 to 1, and its 95 % interval.
        elo, low, high: the same in Elo, held within ±MAX_ELO.
        los: likelihood of superiority, from 0 to 1: how likely it is that A is the stronger one, if all
            strengths were equally likely beforehand.
    """

    score: float
    score_low: float
    score_high: float
    elo: float
    low: float
    high: float
    los: float


def expected_score(elo: float) -> float:
    """What a player scores on average who is so much stronger."""
    return 0.5 + 0.5 * math.tanh(elo / (2 * ELO_OF_LOGIT))


def elo_of(score: float) -> float:
    """How much stronger one is who scores so much on average, held within ±MAX_ELO."""
    held = min(max(score, 1e-6), 1 - 1e-6)
    return min(max(400 * math.log10(held / (1 - held)), -MAX_ELO), MAX_ELO)


def estimate(pairs: PairCounts) -> EloEstimate:
    """Score, Elo, their 95 % intervals and the likelihood of superiority, from any number of pairs."""
    if not pairs.pairs:
        return EloEstimate(0.5, 0.0, 1.0, 0.0, -MAX_ELO, MAX_ELO, 0.5)
    score = pairs.score
    centre, variance, number = _with_more(pairs)
    variance /= number - 1  # of the mean
    decisive = centre * (1 - centre) / variance  # matches of 0 and 1 that tell as much as all the pairs
    square = Z95**2 / decisive
    middle = (score + square / 2) / (1 + square)
    half = math.sqrt(square * (score * (1 - score) + square / 4)) / (1 + square)
    # Where all was won or lost, one end is the score itself, which rounding could miss.
    low, high = max(min(middle - half, score), 0.0), min(max(middle + half, score), 1.0)
    los = _NORMAL.cdf((score - 0.5) / math.sqrt(variance))
    return EloEstimate(score, low, high, elo_of(score), elo_of(low), elo_of(high), los)


def normalized_elo(pairs: PairCounts) -> float:
    """Normalized Elo: the score above 1/2 in standard deviations of a single match, times NORMALIZED.

    Equal values take equally many pairs to tell apart, whatever the game's draws and however strong its seats.
    """
    if not pairs.pairs:
        return 0.0
    variance = pairs.variance or _with_more(pairs)[1]
    return NORMALIZED * (pairs.score - 0.5) / math.sqrt(pairs.matches * variance)


def _with_more(pairs: PairCounts) -> tuple[float, float, float]:
    """With a part of a pair more: the mean, a pair's variance around it, and the number of pairs."""
    counts = spread(np.array(pairs.counts, dtype=np.float64), _MORE, 0.5)
    scores, number = cells(len(counts)), pairs.pairs + _MORE
    mean = float(counts @ scores) / number
    return mean, float(counts @ (scores - mean) ** 2) / number, number
