"""Features of a territory: the inputs from which the neural networks in `value` predict the territory's final
points."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.games.kingdomino.board import TILE
from lapilli.games.kingdomino.rules.territory import covered, crowns, vacant
from lapilli.games.kingdomino.rules.torus import CASTLE, NONE, ONE, around, down, first_zone, flood, left, right, up
from lapilli.kernels.kernel import Position, Word, kernel, lowest, popcount

OF_TERRAIN = 22
"""Number of features that describe one terrain in a territory."""
OF_ALL = 18
"""Number of features that describe the territory as a whole, and the player's turns in the next round."""
_FIRST_TURN = 14
"""Index of the feature that says whether the first turn of the next round is the player's."""


@kernel
def survey_pile(pile: Word, stock: Any) -> None:
    """Counts the tiles in the pile, and the squares and crowns of each terrain on these tiles.

    Args:
        pile: the set of tiles that are not drawn yet.
        stock: filled, float64 of shape (3, 6). `stock[0]` gets the number of squares by terrain, `stock[1]` the number
            of crowns by terrain, and `stock[2, 0]` the number of tiles.
    """
    for terrain in range(6):
        stock[0, terrain] = stock[1, terrain] = 0.0
    stock[2, 0] = popcount(pile)
    while pile:
        tile = lowest(pile)
        pile &= pile - ONE
        for end in range(0, 4, 2):
            stock[0, TILE[tile, end]] += 1.0
            stock[1, TILE[tile, end]] += TILE[tile, end + 1]


@kernel
def write_features(p: Position, player: int, coming: int, order: int, stock: Any, terrains: Any, whole: Any) -> None:
    """Writes the features of a player's territory into `terrains` and `whole`.

    Args:
        p: the position.
        player: owner of the territory.
        coming: number of tiles that the player will still get and place.
        order: set of the player's turns in the next round, one bit per turn; 0 if it is not known. A player who picks
            early gets better tiles.
        stock: contents of the pile, as `survey_pile` writes them.
        terrains: filled with the features of each terrain, float32 of shape (6, OF_TERRAIN).
        whole: filled with the features of the whole territory, float32 of shape (OF_ALL,).
    """
    room = vacant(p, player)
    share = coming / stock[2, 0] if stock[2, 0] else 0.0
    for terrain in range(6):
        _describe_terrain(p.land[player], terrain, room, stock[0, terrain] * share, stock[1, terrain] * share, terrains)
    _describe_whole(p, player, room, coming, whole)
    for turn in range(4):
        whole[_FIRST_TURN + turn] = float(order >> turn & 1) if order else 1.0 / p.players


@kernel
def _describe_terrain(land: Any, terrain: int, room: Word, squares_due: float, crowns_due: float, out: Any) -> None:
    """Writes the features of one terrain into `out[terrain]`.

    They describe the terrain's two best zones (groups of connected squares), all its other zones together, and the
    squares and crowns that are likely to come.

    Args:
        land: the player's bit masks, with one bit per square: one mask for each terrain, and two for crowns.
        terrain: number of the terrain.
        room: bit mask of the empty squares into which the territory can still grow.
        squares_due, crowns_due: number of squares and crowns of this terrain on the tiles that the player will probably
            get.
        out: filled, float32 of shape (6, OF_TERRAIN).
    """
    left_over = land[terrain]
    size1, crowns1, open1, size2, crowns2, open2 = 0, 0, 0, 0, 0, 0
    size, number, points, zones, shut = 0, 0, 0, 0, 0
    while left_over:
        zone = first_zone(left_over)
        left_over &= ~zone
        s, c, o = popcount(zone), crowns(zone, land), popcount(around(zone) & room)
        size, number, points, zones = size + s, number + c, points + s * c, zones + 1
        if o == 0:
            shut += s
        if 3 * s + 2 * c + min(o, 2) > 3 * size1 + 2 * crowns1 + min(open1, 2):
            size2, crowns2, open2 = size1, crowns1, open1
            size1, crowns1, open1 = s, c, o
        elif 3 * s + 2 * c + min(o, 2) > 3 * size2 + 2 * crowns2 + min(open2, 2):
            size2, crowns2, open2 = s, c, o
    first, second = min(open1, 4), min(open2, 4)
    row = out[terrain]
    row[0] = points / 16
    row[1] = crowns1 / 4
    row[2] = size1 / 6
    row[3] = first / 4
    row[4] = crowns1 * first / 8
    row[5] = size1 * first / 16
    row[6] = crowns2 / 4
    row[7] = size2 / 6
    row[8] = second / 4
    row[9] = crowns2 * second / 8
    row[10] = size2 * second / 16
    row[11] = (size - size1 - size2) / 4
    row[12] = (number - crowns1 - crowns2) / 2
    row[13] = squares_due / 4
    row[14] = crowns_due / 2
    row[15] = crowns1 * squares_due / 12 if open1 else 0.0
    row[16] = size1 * crowns_due / 12 if open1 else 0.0
    row[17] = crowns2 * squares_due / 12 if open2 else 0.0
    row[18] = size2 * crowns_due / 12 if open2 else 0.0
    row[19] = popcount(around(land[terrain]) & room) / 6
    row[20] = shut / 4
    row[21] = 1.0 if open1 == 1 else 0.0


@kernel
def _describe_whole(p: Position, player: int, room: Word, coming: int, out: Any) -> None:
    """Writes the features of the whole territory into `out`: tiles to come, holes, and space around the territory.

    `room` is a bit mask, with one bit per square, of the empty squares into which the territory can still grow.
    `coming` is the number of tiles that the player will still get and place.
    """
    extent = int(p.extent)
    box = p.box[player]
    taken = covered(p, player)
    a, b, c, d = right(room), left(room), up(room), down(room)
    some = a | b | c | d
    two = (a & b) | (c & d) | ((a | b) & (c | d))
    odd, parts = 0, 0
    rest = room
    while rest:
        part = flood(ONE << np.uint64(lowest(rest)), rest)
        rest &= ~part
        odd += popcount(part) & 1
        parts += 1
    holes = popcount(room & ~some)
    squares = extent * extent - 1 - popcount(taken)
    out[0] = coming / 12
    out[1] = holes / 3
    out[2] = popcount(room & some & ~two) / 4
    out[3] = odd / 3
    out[4] = parts / 3
    out[5] = (popcount(room) - 2 * coming) / 12
    out[6] = (squares - 2 * coming) / 4
    out[7] = (extent - 1 - int(box[1]) + int(box[0])) / 4
    out[8] = (extent - 1 - int(box[3]) + int(box[2])) / 4
    out[9] = popcount(around(CASTLE) & room) / 4
    out[10] = popcount(room & around(taken)) / 8
    out[11] = popcount(room & ~around(taken | CASTLE)) / 8
    out[12] = max(squares - popcount(room), 0) / 4
    out[13] = 1.0 if taken == NONE else 0.0
