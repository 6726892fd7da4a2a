"""Kernels that parse the text of a grid, which is a territory in the format of the bot input.

The text consists of the joined lines of the grid, as bytes. A square has two bytes, terrain and crowns; `_` is an empty
square, and `*` is the castle, which must be in the centre and nowhere else. The grid may be larger than the greatest
territory that the game allows (the record's `extent`); the territory in the grid may not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.games.kingdomino.board import MAX_CROWNS, TERRAINS
from lapilli.games.kingdomino.rules import territory
from lapilli.games.kingdomino.rules.torus import first_zone
from lapilli.kernels.kernel import Ints, Position, kernel, popcount

_NO_SIGN, _EMPTY, _CASTLE = -3, -2, -1
_GROUND = np.full(256, _NO_SIGN, np.int64)
"""By the first byte of a square's text: the terrain's number, or _NO_SIGN, _EMPTY or _CASTLE."""
_GROUND[ord("_")], _GROUND[ord("*")] = _EMPTY, _CASTLE
for _number, _letter in enumerate(TERRAINS):
    _GROUND[ord(_letter)] = _number
_ZERO = ord("0")

GOOD, TOO_LARGE = 0, -1


@kernel
def read(p: Position, text: Any, side: int, player: int) -> int:
    """Parses the text of a territory; writes the territory, its bounding box and its score into a record.

    Args:
        p: the record. Its extent must be set, and the player's territory must be empty.
        text: the text of the grid.
        side: number of lines of the grid.
        player: owner of the territory.

    Returns:
        GOOD; or TOO_LARGE if the territory exceeds the extent (its bounding box is still written); or the number of the
        first wrong square, counted from 1. A square is wrong if it is malformed, or if it is a castle outside the
        centre, or if it is the centre and not a castle.
    """
    land, box = p.land[player], p.box[player]
    centre = side // 2
    left = right = top = bottom = 0
    for place in range(side * side):
        ground, crowns = _GROUND[text[2 * place]], int(text[2 * place + 1]) - _ZERO
        x, y = place % side - centre, place // side - centre
        if ground == _NO_SIGN or crowns < 0 or crowns > MAX_CROWNS or (ground == _CASTLE) != (x == 0 and y == 0):
            return place + 1
        if ground >= 0:
            territory.add(land, ground, crowns, x, y)
            left, right, top, bottom = min(left, x), max(right, x), min(top, y), max(bottom, y)
    box[0], box[1], box[2], box[3] = left, right, top, bottom
    if max(right - left, bottom - top) >= p.extent:
        return TOO_LARGE
    total = 0
    for terrain in range(len(TERRAINS)):
        total += territory.worth(land[terrain], land)
    p.score[player] = total
    return GOOD


@kernel
def placements_in(p: Position, text: Any, side: int, first: int, second: int, out: Ints) -> int:
    """Parses the text of a territory and writes the legal PUT actions of a tile into `out`.

    The actions are ascending, in the coordinates of the smallest grid for the record's extent. `side` is the number of
    lines of the grid. `first` and `second` are the terrains of the tile's squares.

    Returns:
        The number of actions; -1 if the text is malformed or the territory too large.
    """
    if read(p, text, side, 0) != GOOD:
        return -1
    return territory.ascending(p, 0, first, second, out)


@kernel
def zones_in(p: Position, text: Any, side: int, out: Ints) -> int:
    """Parses the text of a territory and writes terrain, size and crowns of each zone into `out[0]`, `out[1]`, ….

    `side` is the number of lines of the grid.

    Returns:
        The number of zones; -1 if the text is malformed or the territory too large.
    """
    if read(p, text, side, 0) != GOOD:
        return -1
    land = p.land[0]
    count = 0
    for terrain in range(len(TERRAINS)):
        left = land[terrain]
        while left:
            zone = first_zone(left)
            left &= ~zone
            out[count, 0], out[count, 1], out[count, 2] = terrain, popcount(zone), territory.crowns(zone, land)
            count += 1
    return count
