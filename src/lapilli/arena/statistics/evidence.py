"""Evidence that a player is stronger than another, valid however often one looks at it.

Somebody who holds both players for equally strong would accept a fair bet on each pair: a stake s on the player wins
s * (score - 1/2) of the capital. Between equals the expected capital stays 1 however one bets, and it ever reaches 20
in at most 1 of 20 cases (Ville's inequality). So the capital is the evidence, and 20 of it mean a probability of error
of at most 5 %, without any assumption about draws, seats or the length of the test. The capital starts in equal parts
on several stakes: small ones find small differences, large ones find large differences quickly.

Scores must be those of whole pairs, because a single match favours one seat.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

STAKES = np.linspace(0.1, 1.9, 10)
"""The stakes of the parts of the capital. Each is below 2, so that no part can be lost completely."""
_MOST = 700.0
"""Largest logarithm of the evidence, so that it is finite."""


def log_growth(scores: ArrayLike) -> NDArray[np.float64]:
    """Returns by how much a pair changes the logarithm of each part of the capital; shape (…, len(STAKES)).

    Args:
        scores: scores of pairs from 0 to 1, shape (…).
    """
    return np.log1p(np.multiply.outer(np.asarray(scores, dtype=np.float64) - 0.5, STAKES))


def evidence(logs: ArrayLike) -> NDArray[np.float64]:
    """Returns the evidence from the sum of `log_growth` over all pairs: the mean of the parts; shape (…).

    Args:
        logs: logarithms of the parts, shape (…, len(STAKES)).
    """
    capital: NDArray[np.float64] = np.exp(np.minimum(logs, _MOST)).mean(axis=-1)
    return capital
