"""A sequential probability ratio test: play until it is clear which of two strengths explains the results better.

After each pair (or whenever one likes: looking less often is never wrong) the log-likelihood ratio of elo1 against elo0
is held against two bounds, log(beta / (1 - alpha)) and log((1 - beta) / alpha). The first one that it passes decides:
H1, A is stronger than elo0, or H0, it is not as strong as elo1. Where A is exactly elo0 strong, H1 is said with a
probability of at most alpha; where it is exactly elo1 strong, H0 with one of at most beta; in between either may come.

While there are few pairs their variance is easily underestimated, and the plain ratio then errs a little more often
than it should. So one pair is added to those played, whose score is half-way between the hypotheses: it speaks for
neither, and varies as much as a pair of that score can. Its weight is gone after some dozens of pairs.
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
"""The strongest difference that a hypothesis may claim, in Elo: 99 % of the points."""
MAX_NORMALIZED = 300.0
"""The same in normalized Elo."""
_MORE = 1.0
_PRIOR = 1.5


class Decision(StrEnum):
    """What a test says so far."""

    H0 = "H0"
    """A is not as strong as elo1 says."""
    H1 = "H1"
    """A is stronger than elo0 says."""
    CONTINUE = "continue"
    """Not enough is known yet."""


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test between two strengths of A against B; the defaults fit the development of bots (docs/statistics.md).

    Attributes:
        elo0: the strength of H0.
        elo1: the strength of H1, greater than elo0.
        alpha: the greatest probability of H1 where A is elo0 strong.
        beta: the greatest probability of H0 where A is elo1 strong.
        model: what both strengths are given in.

    Raises:
        LapilliError: they contradict each other, or are out of range.
    """

    elo0: float = 0.0
    elo1: float = 40.0
    alpha: float = 0.05
    beta: float = 0.05
    model: EloModel = EloModel.LOGISTIC

    def __post_init__(self) -> None:
        most = MAX_BOUND if self.model == EloModel.LOGISTIC else MAX_NORMALIZED
        for name, elo in (("elo0", self.elo0), ("elo1", self.elo1)):
            if not abs(elo) <= most:  # written so that it holds for nan
                raise LapilliError(f"{name} must lie between {-most:g} and {most:g}, not {elo:g}")
        if not self.elo1 - self.elo0 >= 0.01:
            raise LapilliError(f"elo1 must be greater than elo0: {self.elo1:g} is not greater than {self.elo0:g}")
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 1e-6 <= rate < 0.5:
                raise LapilliError(f"{name} is how often the test may err: from 0.000001 to below 0.5, not {rate:g}")

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which H0 is decided."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which H1 is decided."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, pairs: PairCounts) -> float:
        """The log-likelihood ratio that decides: of the pairs and the neutral one."""
        return float(self.llrs(np.array(pairs.counts, dtype=np.float64)))

    def llrs(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same for many tables at once, shape (…, cells); for simulations."""
        return log_likelihood_ratio(self._with_more(counts), self.elo0, self.elo1, self.model)

    def decide(self, pairs: PairCounts) -> Decision:
        """What the test says. It is over at the first decision: one that pairs played later undo stands."""
        llr = self.llr(pairs)
        if llr >= self.upper:
            return Decision.H1
        return Decision.H0 if llr <= self.lower else Decision.CONTINUE

    def pairs_left(self, pairs: PairCounts) -> float:
        """How many pairs more may be expected until the test decides; 0 where it has.

        The ratio is taken for a Brownian motion whose drift is uncertain. Before any pair, A's strength is thought to
        lie around the middle of the hypotheses, with a standard deviation of one and a half times what is between
        them; the pairs correct this. The forecast is the mean over all that remains possible: a single test may well
        take half or twice as long. Until some dozens of pairs are played it is rather too high.
        """
        counts = filled(self._with_more(np.array(pairs.counts, dtype=np.float64)))
        jumps = likelihood_jumps(counts, self.elo0, self.elo1, self.model)
        number = float(counts.sum())
        llr = float(counts @ jumps)
        if not self.lower < llr < self.upper:
            return 0.0
        variance = float(counts @ (jumps - llr / number) ** 2) / number
        precision = number / variance + 1 / (_PRIOR * variance) ** 2  # the variance is the drift from elo0 to elo1
        drifts, weights = np.polynomial.hermite_e.hermegauss(16)
        drifts = llr / variance / precision + drifts / math.sqrt(precision)
        times = [_exit_time(llr - self.lower, self.upper - llr, float(drift), variance) for drift in drifts]
        return float(np.average(times, weights=weights))

    def _with_more(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        matches = counts.shape[-1] // 2
        return spread(counts, _MORE, neutral_score(self.elo0, self.elo1, self.model, matches))


def _exit_time(below: float, above: float, drift: float, variance: float) -> float:
    """Mean time in which a Brownian motion goes down by `below` or up by `above`; variance per unit of time."""
    bend = 2 * drift / variance
    if abs(bend) * (below + above) < 1e-4:
        return below * above / variance
    upwards = math.expm1(-bend * below) / math.expm1(-bend * (below + above))
    return (upwards * (below + above) - below) / drift
