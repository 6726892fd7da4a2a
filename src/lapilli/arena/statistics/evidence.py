"""Evidence that one player is stronger than another. It stays valid if it is checked after every pair of matches.

The evidence is the capital of an imagined gambler, who starts with 1 and bets on this player in each pair of matches. A
bet with stake s multiplies the capital by 1 + s * (score - 1/2). If both players are equally strong, these bets are
fair: the expected capital stays 1, and the capital ever reaches 20 in at most 1 of 20 cases (Ville's inequality). So an
evidence of 20 means a probability of error of at most 5 %, without any assumption about draws, seats or the length of
the test. The capital is divided equally among several stakes: small stakes detect small differences, and large stakes
detect large differences quickly.

Scores must be those of whole pairs, because a single match favours one seat.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

STAKES = np.linspace(0.1, 1.9, 10)
"""The stake of each part of the capital. Each stake is below 2, so that no part can be lost completely."""
_MOST = 700.0
"""Limit for the logarithm of each part of the capital, so that the evidence is a finite number."""


def log_growth(scores: ArrayLike) -> NDArray[np.float64]:
    """Returns by how much pairs of matches change the evidence that a player is stronger, as logarithms.

    The evidence is the capital of an imagined gambler, who bets on the player in each pair. The gambler divides the
    capital into equal parts, and bets each part with one of the STAKES.

    Args:
        scores: scores of pairs, from 0 to 1, shape (…).

    Returns:
        For each pair and each stake, the change of the logarithm of this part; shape (…, len(STAKES)).
    """
    return np.log1p(np.multiply.outer(np.asarray(scores, dtype=np.float64) - 0.5, STAKES))


def evidence(logs: ArrayLike) -> NDArray[np.float64]:
    """Returns the evidence: the gambler's capital after some pairs of matches, which was 1 at the start; shape (…).

    Args:
        logs: logarithm by stake: the sum of the results of `log_growth` for all pairs, shape (…, len(STAKES)).
    """
    capital: NDArray[np.float64] = np.exp(np.minimum(logs, _MOST)).mean(axis=-1)
    return capital
