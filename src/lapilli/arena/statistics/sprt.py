"""A sequential probability ratio test (SPRT): matches are played until one of two strengths explains them better.

After each pair of matches, the log-likelihood ratio of elo1 against elo0 is compared with two bounds. (Less frequent
comparisons are also allowed.)

    lower bound    log(beta / (1 - alpha))    decides for H0: A is not as strong as elo1
    upper bound    log((1 - beta) / alpha)    decides for H1: A is stronger than elo0

The first bound that the ratio reaches decides. If A's strength is exactly elo0, the probability of H1 is at most alpha.
If A's strength is exactly elo1, the probability of H0 is at most beta. If A's strength is between elo0 and elo1, both
decisions are possible.

The variance of few pairs is easily underestimated, and the test would err slightly more often than alpha and beta
allow. So one pair is added to the played pairs. Its score is half-way between the hypotheses, so that the added pair
favours neither, and its variance is the largest possible for this score. After some dozens of pairs, the added pair has
hardly any effect.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from lapilli.arena.statistics.likelihood import (
    EloModel,
    filled,
    likelihood_jumps,
    log_likelihood_ratio,
    neutral_score,
)
from lapilli.arena.statistics.pairs import PairCounts, spread
from lapilli.core.errors import LapilliError

MAX_BOUND = 800.0
"""Largest absolute value of elo0 and elo1 in logistic Elo; it means a score of 99 %."""
MAX_NORMALIZED = 300.0
"""Largest absolute value of elo0 and elo1 in normalized Elo."""
_ADDED_PAIRS = 1.0
"""Number of neutral pairs that are added to the played pairs, so that the variance is not underestimated."""
_PRIOR = 1.5
"""Standard deviation of the prior in `Sprt.pairs_left`, as a multiple of the distance between the hypotheses."""
FORECAST_PAIRS = 20
"""Smallest number of pairs from which the length of a test is forecast. Fewer pairs say too little about both bots."""
SHORTEST, LONGEST = 0.2, 1.5
"""Shortest and longest likely length of the rest of a test, as multiples of the mean that `Sprt.pairs_left` returns.
Between two thirds and four fifths of simulated tests ended within these bounds.
"""


class Decision(StrEnum):
    """The state of a sequential test of player A against player B, see `Sprt`."""

    H0 = "H0"
    """Decided: A is not as strong against B as elo1."""
    H1 = "H1"
    """Decided: A is stronger against B than elo0."""
    CONTINUE = "continue"
    """Undecided: more matches are needed."""


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential test of A's strength against B. The defaults suit the development of bots (docs/sequential-test.md).

    Attributes:
        elo0: strength of A under H0, as Elo difference to B.
        elo1: strength of A under H1, greater than elo0.
        alpha: largest probability of deciding H1 if A's strength is elo0.
        beta: largest probability of deciding H0 if A's strength is elo1.
        model: Elo scale of both strengths.

    Raises:
        LapilliError: a value is out of range, or elo1 is not greater than elo0.
    """

    elo0: float = 0.0
    elo1: float = 40.0
    alpha: float = 0.05
    beta: float = 0.05
    model: EloModel = EloModel.LOGISTIC

    def __post_init__(self) -> None:
        most = MAX_BOUND if self.model == EloModel.LOGISTIC else MAX_NORMALIZED
        for name, elo in (("elo0", self.elo0), ("elo1", self.elo1)):
            if not abs(elo) <= most:  # written so that nan is refused, too
                raise LapilliError(f"{name} must lie between {-most:g} and {most:g}, not {elo:g}")
        if not self.elo1 - self.elo0 >= 0.01:
            raise LapilliError(f"elo1 must be greater than elo0: {self.elo1:g} is not greater than {self.elo0:g}")
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 1e-6 <= rate < 0.5:
                raise LapilliError(f"{name} is how often the test may err: from 0.000001 to below 0.5, not {rate:g}")

    @property
    def lower(self) -> float:
        """Log-likelihood ratio at or below which the test decides for H0; below 0."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """Log-likelihood ratio at or above which the test decides for H1; above 0."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, pairs: PairCounts) -> float:
        """Returns the log-likelihood ratio after these pairs, including the neutral pair that the test adds."""
        return float(self.llrs(np.array(pairs.counts, dtype=np.float64)))

    def llrs(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the log-likelihood ratio (`llr`) for many sets of counts at once, shape (…).

        Args:
            counts: number of pairs by score, shape (…, cells); cells is the number of possible scores.
        """
        return log_likelihood_ratio(self._with_added_pairs(counts), self.elo0, self.elo1, self.model)

    def decide(self, pairs: PairCounts) -> Decision:
        """Returns the decision after these pairs. The first decision is final, so the caller must stop then."""
        llr = self.llr(pairs)
        if llr >= self.upper:
            return Decision.H1
        return Decision.H0 if llr <= self.lower else Decision.CONTINUE

    def pairs_left(self, pairs: PairCounts) -> float:
        """Returns the expected number of further pairs until the test decides; 0 if it has decided.

        The ratio is modelled as a Brownian motion with an unknown drift. The prior of A's strength is a normal
        distribution around the middle of the hypotheses, with a standard deviation of `_PRIOR` times their distance.
        The played pairs update the prior, and the result is the mean over the posterior. The true number is likely to
        be between `SHORTEST` and `LONGEST` times the result. Before some dozens of pairs, the result is usually too
        high.
        """
        counts = filled(self._with_added_pairs(np.array(pairs.counts, dtype=np.float64)))
        jumps = likelihood_jumps(counts, self.elo0, self.elo1, self.model)
        number = float(counts.sum())
        llr = float(counts @ jumps)
        if not self.lower < llr < self.upper:
            return 0.0
        variance = float(counts @ (jumps - llr / number) ** 2) / number
        precision = (
            number / variance + 1 / (_PRIOR * variance) ** 2
        )  # `variance` is also the difference between the drifts for elo1 and elo0
        drifts, weights = np.polynomial.hermite_e.hermegauss(16)
        drifts = llr / variance / precision + drifts / math.sqrt(precision)
        times = [_exit_time(llr - self.lower, self.upper - llr, float(drift), variance) for drift in drifts]
        return float(np.average(times, weights=weights))

    def _with_added_pairs(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        matches = counts.shape[-1] // 2
        return spread(counts, _ADDED_PAIRS, neutral_score(self.elo0, self.elo1, self.model, matches))


def _exit_time(below: float, above: float, drift: float, variance: float) -> float:
    """Returns the mean time until a Brownian motion has moved down by `below` or up by `above`.

    Args:
        below, above: distances from where the motion begins to the lower and the upper bound.
        drift, variance: drift and variance per unit of time.
    """
    bend = 2 * drift / variance
    if abs(bend) * (below + above) < 1e-4:
        return below * above / variance
    upwards = math.expm1(-bend * below) / math.expm1(-bend * (below + above))
    return (upwards * (below + above) - below) / drift
