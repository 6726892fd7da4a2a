"""The trained weights of the networks in `value`, read from a file beside this module."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

HIDDEN = 20
BEYOND = 24
"""Number of units of the first and of the second layer."""


class Weights(NamedTuple):
    """Weights of the networks, one network for each form of the game: 2, 3, 4 players, and the duel.

    All are float64; biases are in the last place of a layer's inputs.

    Attributes:
        first: shape (4, OF_TERRAIN + 1, HIDDEN), the same for each terrain.
        second: shape (4, HIDDEN + OF_ALL + 1, BEYOND).
        third: shape (4, BEYOND + 1).
        spread: shape (4, 25), by number of tiles that each player will still get: standard deviation of the change of a
            lead.
    """

    first: Any
    second: Any
    third: Any
    spread: Any


@cache
def read_weights() -> Weights:
    """Returns the weights that come with the game."""
    file = resources.files("lapilli.games.kingdomino") / "content" / "weights.npz"
    with resources.as_file(file) as path, np.load(path) as kept:
        return Weights(*(np.ascontiguousarray(kept[name], np.float64) for name in Weights._fields))
