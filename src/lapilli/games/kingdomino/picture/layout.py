"""The layout of the board: the place and size of each player's territory in the picture.

A territory is drawn as a realm, a player's part of the board with coordinates of its own. It shows only the squares
that are filled or that the next tile can cover, so that squares are large. Two realms are drawn side by side, a third
and a fourth below them. The board has about the same size in all positions.
"""

from __future__ import annotations

from functools import lru_cache

from lapilli.core.picture.scene import Point, Realm
from lapilli.games.kingdomino.picture.look import CELL, Place

Reach = tuple[int, int, int, int]
"""A part of a territory's grid: left column, top row, number of columns, number of rows."""
_ROOM = {1: (820.0, 440.0), 2: (820.0, 800.0)}
"""Greatest width and height of the board in scene units, if the territories are drawn in 1 or 2 lines."""
_EDGE = 22.0
"""Margin to the left of a territory and above it, for the player's sign and the numbers of columns and rows."""
_GAP = 6.0
"""Margin to the right of a territory and below it."""


def corner(place: Place) -> Point:
    """Returns the upper left corner of a grid's square, in the coordinates of the player's part of the board.

    `place`: column and row of the square.
    """
    return place[0] * CELL, place[1] * CELL


def middle(place: Place) -> Point:
    """Returns the middle of a square of a player's grid, in the coordinates of that player's part of the board.

    `place`: column and row of the square.
    """
    x, y = corner(place)
    return x + CELL / 2, y + CELL / 2


def places(reach: Reach) -> list[Place]:
    """Returns the squares of a part of a grid as (column, row), from left to right and from top to bottom.

    `reach` is the part: left column, top row, number of columns, number of rows.
    """
    left, top, columns, rows = reach
    return [(x, y) for y in range(top, top + rows) for x in range(left, left + columns)]


@lru_cache(maxsize=256)
def layout(shown: tuple[Reach, ...]) -> tuple[Point, tuple[Realm, ...]]:
    """Returns the size of the board as (width, height), and for each player the realm: the player's part of the board.

    `shown` has, for each player, the part of the player's grid that the realm shows: left column, top row, number of
    columns, number of rows.
    """
    crops = [_crop(reach) for reach in shown]
    lines = [list(range(len(crops)))[start : start + 2] for start in range(0, len(crops), 2)]
    wide = [max(crops[line[at]][2] for line in lines if at < len(line)) for at in (0, 1)]
    high = [max(crops[player][3] for player in line) for line in lines]
    width, height = _ROOM[len(lines)]
    scale = min(width / sum(wide), height / sum(high))
    realms = []
    for number, line in enumerate(lines):
        # A realm that is alone in its line is drawn in the middle.
        alone = (sum(wide) - crops[line[0]][2]) / 2 if len(line) == 1 else 0
        for at, player in enumerate(line):
            x, y = alone + sum(wide[:at]), sum(high[:number])
            realms.append(Realm(player, crops[player], scale * x, scale * y, scale))
    return (scale * sum(wide), scale * sum(high)), tuple(realms)


def _crop(reach: Reach) -> tuple[float, float, float, float]:
    left, top, columns, rows = reach
    x, y = corner((left, top))
    more = _EDGE + _GAP
    return x - _EDGE, y - _EDGE, columns * CELL + more, rows * CELL + more
