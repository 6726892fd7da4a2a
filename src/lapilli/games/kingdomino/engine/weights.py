"""What the networks of `value` have learned, from a file beside this one."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

HIDDEN = 20
BEYOND = 24
"""Units of the first and of the second layer."""


class Weights(NamedTuple):
    """One network for each form of the game: 2, 3, 4 players, and the duel. float64; biases come last.

    Attributes:
        first: (4, OF_TERRAIN + 1, HIDDEN), the same for each terrain.
        second: (4, HIDDEN + OF_ALL + 1, BEYOND). third: (4, BEYOND + 1).
        spread: (4, 25), by tiles that still come to each player: the standard deviation of how much a lead changes.
    """

    first: Any
    second: Any
    third: Any
    spread: Any


@cache
def read_weights() -> Weights:
    """Those that come with the game."""
    file = resources.files("lapilli.games.kingdomino") / "content" / "weights.npz"
    with resources.as_file(file) as path, np.load(path) as kept:
        return Weights(*(np.ascontiguousarray(kept[name], np.float64) for name in Weights._fields))
