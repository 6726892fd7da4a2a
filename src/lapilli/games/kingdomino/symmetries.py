"""The eight symmetries of a territory: rotations and reflections around the castle, of all territories at once."""

from __future__ import annotations

from functools import cache

import numpy as np

from lapilli.core.rules.symmetry import Symmetry, mapped_places
from lapilli.core.setup import Setup
from lapilli.games.kingdomino.board import DISCARD, MAX_SIDE, NUM_ACTIONS, VARIANTS
from lapilli.games.kingdomino.rules.observation import OBSERVATION

_HEADINGS = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""Direction, as a column and a row, from a tile's first square to its second; by rotation."""
_MAPS = tuple((a, b, c, d) for a, b, c, d in ((1, 0, 0, 1), (0, -1, 1, 0), (-1, 0, 0, -1), (0, 1, -1, 0)))
_MAPS += tuple((-a, -b, c, d) for a, b, c, d in _MAPS)
"""The symmetries as matrices: (x, y) is mapped to (a x + b y, c x + d y). The identity is first."""


@cache
def symmetries_of_form(side: int) -> tuple[Symmetry, ...]:
    """Returns the symmetries of territories in a grid of `side` columns and rows, the identity first."""
    return tuple(_symmetry(matrix, side) for matrix in _MAPS)


def symmetries(setup: Setup) -> tuple[Symmetry, ...]:
    """Returns the symmetries of the game, the identity first. `setup`: a setup with defaults filled in."""
    return symmetries_of_form(VARIANTS[setup.variant or "standard", setup.players or 2].side)


def _symmetry(matrix: tuple[int, int, int, int], side: int) -> Symmetry:
    a, b, c, d = matrix
    centre = side // 2
    squares, actions = np.arange(MAX_SIDE * MAX_SIDE), np.arange(NUM_ACTIONS)
    for x in range(side):
        for y in range(side):
            right, down = x - centre, y - centre
            to_x, to_y = centre + a * right + b * down, centre + c * right + d * down
            squares[to_x * MAX_SIDE + to_y] = x * MAX_SIDE + y
            for rotation, (step_x, step_y) in enumerate(_HEADINGS):
                heading = _HEADINGS.index((a * step_x + b * step_y, c * step_x + d * step_y))
                actions[(x * MAX_SIDE + y) * 4 + rotation] = (to_x * MAX_SIDE + to_y) * 4 + heading
    assert actions[DISCARD] == DISCARD
    order = squares.tolist()
    return Symmetry(actions, mapped_places(OBSERVATION, {"territories": order, "castle": order}))
