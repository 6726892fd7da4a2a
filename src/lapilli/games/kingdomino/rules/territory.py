"""The kernel of one territory: where a tile may be put, what the zones are worth. Integers in, integers out.

A territory is the `land`, `box` and `score` of one player in a record of `rules.KINGDOMINO`; squares are bits on the
torus that `board` describes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.games.kernel import kernel, lowest, popcount
from lapilli.games.kingdomino.board import COLUMNS, MAX_SIDE, ONES, ROWS, TILE, TWOS

MAX_ZONES = 25
"""Zones of one terrain that a territory can have at most: every other square of 7 by 7."""

_NONE = np.uint64(0)
_ONE = np.uint64(1)
_CASTLE = np.uint64(1)
_SEVEN = np.uint64(7)
_EIGHT = np.uint64(8)
_FIFTY_SIX = np.uint64(56)
_LEFTMOST = COLUMNS[0, 1]
_RIGHTMOST = COLUMNS[7, 1]


# -------------------------------------------------------------------------------------- the torus


@kernel
def _bit(x: int, y: int) -> Any:
    return _ONE << np.uint64((int(y) & 7) << 3 | (int(x) & 7))


@kernel
def _right(mask: Any) -> Any:
    return (mask << _ONE) & ~_LEFTMOST | (mask >> _SEVEN) & _LEFTMOST


@kernel
def _left(mask: Any) -> Any:
    return (mask >> _ONE) & ~_RIGHTMOST | (mask << _SEVEN) & _RIGHTMOST


@kernel
def _down(mask: Any) -> Any:
    return mask << _EIGHT | mask >> _FIFTY_SIX


@kernel
def _up(mask: Any) -> Any:
    return mask >> _EIGHT | mask << _FIFTY_SIX


@kernel
def around(mask: Any) -> Any:
    """The squares beside those of a mask."""
    return _right(mask) | _left(mask) | _down(mask) | _up(mask)


# ---------------------------------------------------------------------------------------- placing


@kernel
def covered(record: Any, player: int) -> Any:
    """The mask of all squares of a player's territory, castle excluded."""
    land = record["land"][player]
    return land[0] | land[1] | land[2] | land[3] | land[4] | land[5]


@kernel
def _window(low: int, high: int, extent: int) -> tuple[int, int]:
    """Of a territory from `low` to `high`: (first line within reach, modulo 8; how many there are, 9 for more)."""
    return (high - extent + 1) & 7, min(2 * extent - 1 - (high - low), 9)


@kernel
def vacant(record: Any, player: int) -> Any:
    """The mask of the empty squares that the bounding box may still grow to; of nine or more lines, eight."""
    box = record["box"][player]
    extent = int(record["extent"])
    left, columns = _window(int(box[0]), int(box[1]), extent)
    top, rows = _window(int(box[2]), int(box[3]), extent)
    return ~(covered(record, player) | _CASTLE) & COLUMNS[left, min(columns, 8)] & ROWS[top, min(rows, 8)]


@kernel
def anchors(record: Any, player: int, first: int, second: int) -> Any:
    """Where the first square of a tile of these terrains may lie: one mask for each rotation.

    Both squares must be free, the bounding box must stay within the extent, and one square must touch its own terrain
    or the castle. Working modulo 8 is exact: all squares within two steps of a territory of at most 5 columns are
    distinct, but for the outermost column on either side, and these two are allowed or forbidden together; with 6
    columns the one beyond on the left is the neighbour of the one beyond on the right, so pairs that join them are cut
    out (`across`); with 7 columns there is no room beyond. Rows behave as columns do.
    """
    land = record["land"][player]
    box = record["box"][player]
    extent = int(record["extent"])
    left, columns = _window(int(box[0]), int(box[1]), extent)
    top, rows = _window(int(box[2]), int(box[3]), extent)
    free = vacant(record, player)
    across = free & _left(free) & COLUMNS[left, columns - 1]
    along = free & _up(free) & ROWS[top, rows - 1]
    near_first = around(land[first] | _CASTLE)
    near_second = around(land[second] | _CASTLE)
    return (
        across & (near_first | _left(near_second)),
        along & (near_first | _up(near_second)),
        _right(across & (near_second | _left(near_first))),
        _down(along & (near_second | _up(near_first))),
    )


@kernel
def placements(record: Any, player: int, first: int, second: int, out: Any) -> int:
    """Fills `out` with the PUT actions of a tile of these terrains, in no particular order; how many there are."""
    masks = anchors(record, player, first, second)
    count = 0
    for rotation in range(4):
        anchored = masks[rotation]
        while anchored:
            place = lowest(anchored)
            anchored ^= _ONE << np.uint64(place)
            out[count] = put_action_at(record, player, place, rotation)
            count += 1
    return count


@kernel
def put_action_at(record: Any, player: int, place: int, rotation: int) -> int:
    """The PUT action for a first square on this bit: the true coordinates lie within 8 of the bounding box's corner."""
    box = record["box"][player]
    left = int(box[0]) - (2 if rotation == 0 else 1)
    top = int(box[2]) - (2 if rotation == 1 else 1)
    centre = int(record["extent"]) - 1
    x = left + (((place & 7) - left) & 7) + centre
    y = top + (((place >> 3) - top) & 7) + centre
    return (x * MAX_SIDE + y) * 4 + rotation


@kernel
def _flood(seed: Any, within: Any) -> Any:
    zone = seed
    grown = (zone | around(zone)) & within
    while grown != zone:
        zone = grown
        grown = (zone | around(zone)) & within
    return zone


@kernel
def first_zone(squares: Any) -> Any:
    """The zone that the lowest square of a non-empty mask of one terrain belongs to."""
    return _flood(_ONE << np.uint64(lowest(squares)), squares)


@kernel
def crowns(zone: Any, land: Any) -> int:
    """Crowns on these squares."""
    return popcount(zone & land[ONES]) + 2 * popcount(zone & land[TWOS])


@kernel
def size(record: Any, player: int) -> int:
    """Squares of a player's territory, castle excluded."""
    return popcount(covered(record, player))


@kernel
def all_crowns(record: Any, player: int) -> int:
    """Crowns of a player's territory."""
    return crowns(~_NONE, record["land"][player])


@kernel
def worth(squares: Any, land: Any) -> int:
    """The sum of size times crowns over the zones of a mask of one terrain."""
    total = 0
    while squares:
        zone = first_zone(squares)
        squares &= ~zone
        total += popcount(zone) * crowns(zone, land)
    return total


@kernel
def _grow(land: Any, terrain: int, squares: Any) -> int:
    """Adds squares, crowns already marked, to a terrain; the change in score."""
    zone = _flood(squares, land[terrain] | squares)
    land[terrain] |= squares
    return popcount(zone) * crowns(zone, land) - worth(zone & ~squares, land)


@kernel
def _mark_crowns(land: Any, square: Any, number: int) -> None:
    if number & 1:
        land[ONES] |= square
    if number & 2:
        land[TWOS] |= square


@kernel
def add(land: Any, terrain: int, number: int, x: int, y: int) -> None:
    """Adds a square with that many crowns, `x` and `y` from the castle."""
    square = _bit(x, y)
    land[terrain] |= square
    _mark_crowns(land, square, number)


@kernel
def lay(record: Any, player: int, tile: int, action: int) -> None:
    """Puts a tile down where `anchors` allows it; score and bounding box follow."""
    land = record["land"][player]
    box = record["box"][player]
    rotation = action & 3
    centre = int(record["extent"]) - 1
    x = (action >> 2) // MAX_SIDE - centre
    y = (action >> 2) % MAX_SIDE - centre
    x2 = x + (rotation == 0) - (rotation == 2)
    y2 = y + (rotation == 1) - (rotation == 3)
    first, second = _bit(x, y), _bit(x2, y2)
    _mark_crowns(land, first, TILE[tile, 1])
    _mark_crowns(land, second, TILE[tile, 3])
    if TILE[tile, 0] == TILE[tile, 2]:
        gain = _grow(land, TILE[tile, 0], first | second)
    else:
        gain = _grow(land, TILE[tile, 0], first) + _grow(land, TILE[tile, 2], second)
    record["score"][player] += gain
    box[0] = min(int(box[0]), x, x2)
    box[1] = max(int(box[1]), x, x2)
    box[2] = min(int(box[2]), y, y2)
    box[3] = max(int(box[3]), y, y2)


@kernel
def scored(record: Any, player: int, tile: int, scratch: Any, actions: Any, scores: Any) -> int:
    """Every placement of a tile with the score it leads to; how many there are.

    Args:
        record: not changed.
        player: whose territory.
        tile: its number.
        scratch: np.uint64 of shape (2, MAX_ZONES, 3), overwritten.
        actions: filled with PUT actions, in no particular order; room for `max_placements`.
        scores: filled with the player's zone points after each.
    """
    land = record["land"][player]
    first, second = TILE[tile, 0], TILE[tile, 2]
    masks = anchors(record, player, first, second)
    same = first == second
    number_first = _survey(land, first, scratch[0])
    number_second = 0 if same else _survey(land, second, scratch[1])
    count = 0
    for rotation in range(4):
        anchored = masks[rotation]
        while anchored:
            place = lowest(anchored)
            square = _ONE << np.uint64(place)
            anchored ^= square
            other = _step(square, rotation)
            if same:
                gain = _joined(scratch[0], number_first, square | other, 2, TILE[tile, 1] + TILE[tile, 3])
            else:
                gain = _joined(scratch[0], number_first, square, 1, TILE[tile, 1])
                gain += _joined(scratch[1], number_second, other, 1, TILE[tile, 3])
            actions[count] = put_action_at(record, player, place, rotation)
            scores[count] = record["score"][player] + gain
            count += 1
    return count


@kernel
def _step(square: Any, rotation: int) -> Any:
    if rotation == 0:
        return _right(square)
    if rotation == 1:
        return _down(square)
    if rotation == 2:
        return _left(square)
    return _up(square)


@kernel
def _survey(land: Any, terrain: int, table: Any) -> int:
    """Lists the zones of a terrain: the squares around each, its size, its crowns. Returns their number."""
    squares = land[terrain]
    count = 0
    while squares:
        zone = first_zone(squares)
        squares &= ~zone
        table[count, 0] = around(zone)
        table[count, 1] = np.uint64(popcount(zone))
        table[count, 2] = np.uint64(crowns(zone, land))
        count += 1
    return count


@kernel
def _joined(table: Any, count: int, squares: Any, size: int, number: int) -> int:
    """What new squares with that many crowns add to the score, by the zones they join."""
    lost = 0
    for zone in range(count):
        if table[zone, 0] & squares:
            zone_size = int(table[zone, 1])
            zone_crowns = int(table[zone, 2])
            size += zone_size
            number += zone_crowns
            lost += zone_size * zone_crowns
    return int(size * number - lost)
