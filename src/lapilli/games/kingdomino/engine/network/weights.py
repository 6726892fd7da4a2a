"""Reads the trained weights of the neural networks in the module `value` from the file `content/weights.npz`."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

HIDDEN = 24
BEYOND = 32
"""`HIDDEN`: number of units in a network's first layer. `BEYOND`: number of units in its second layer."""


class Weights(NamedTuple):
    """Weights of four networks, one for each form of the game: 2, 3, 4 players, and the duel.

    All arrays are float32, and their first index is the network. The last input of each layer is the constant 1, so its
    weights are the biases.

    Attributes:
        first: weights of the first layer, shape (4, OF_TERRAIN + 1, HIDDEN); the same for each terrain.
        second: weights of the second layer, shape (4, HIDDEN + OF_ALL + 1, BEYOND).
        third: weights of the output, shape (4, BEYOND + 1).
        spread: standard deviation of the change of a lead until the end, in points, by the number of tiles that each
            player will still get; shape (4, 25).
    """

    first: Any
    second: Any
    third: Any
    spread: Any


@cache
def read_weights() -> Weights:
    """Returns the weights from the file `content/weights.npz` of the game. The file is read once per process."""
    file = resources.files("lapilli.games.kingdomino") / "content" / "weights.npz"
    with resources.as_file(file) as path, np.load(path) as arrays:
        return Weights(*(np.ascontiguousarray(arrays[name], np.float32) for name in Weights._fields))
