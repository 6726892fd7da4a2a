"""Quantiles of Student's t distribution, for confidence intervals from few values."""

from __future__ import annotations

import math
from statistics import NormalDist

_ENOUGH = 60
"""Smallest number of degrees of freedom for which `_series` is exact to eight digits."""


def t_quantile(probability: float, freedom: int) -> float:
    """Returns the value below which a variable with Student's t distribution lies with this probability.

    Args:
        probability: the probability, from 0.5 to below 1.
        freedom: degrees of freedom, at least 1.
    """
    if freedom >= _ENOUGH:
        return _series(probability, freedom)
    low, high = 0.0, 1.0
    while _below(high, freedom) < probability:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _below(middle, freedom) < probability else (low, middle)
    return (low + high) / 2


def _below(t: float, freedom: int) -> float:
    """Returns the probability that a variable with Student's t distribution is below `t`.

    `freedom`: degrees of freedom. As this is a whole number, the probability is a finite sum.
    """
    angle = math.atan(t / math.sqrt(freedom))
    square, odd = math.cos(angle) ** 2, freedom % 2
    term = math.sin(angle) * (math.cos(angle) if odd else 1.0)
    total = 0.0
    for k in range(2 + odd, freedom + 1, 2):
        total += term
        term *= square * (k - 1) / k
    return 0.5 + ((angle + total) / math.pi if odd else total / 2)


def _series(probability: float, freedom: int) -> float:
    """Returns the value below which a variable with Student's t distribution lies with this probability.

    It is computed by a series around the normal quantile (Fisher and Cornish, 1960), which is exact enough only for
    many degrees of freedom. `freedom`: degrees of freedom.
    """
    z = NormalDist().inv_cdf(probability)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / math.pow(freedom, power) for power, term in enumerate(terms, 1))
