"""Kernels for one territory: the legal places for a tile, and the value of the zones.

A territory is stored in the fields `land`, `box` and `score` of a player in a KINGDOMINO record. A set of squares is a
mask: a 64-bit word, with one bit for each square of the torus that `board` describes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.games.kingdomino.board import COLUMN_STEP, COLUMNS, MAX_SIDE, ONES, ROW_STEP, ROWS, TILE, TWOS
from lapilli.games.kingdomino.rules import torus
from lapilli.games.kingdomino.rules.torus import CASTLE, NONE, ONE, around, first_zone
from lapilli.kernels.kernel import Ints, Position, Word, kernel, lowest, popcount

MAX_ZONES = 25
"""Greatest number of zones of one terrain in a territory of 7 by 7 squares, as on a chessboard."""
_FIRST_COLUMN, _FIRST_ROW = COLUMNS[0, 1], ROWS[0, 1]


# ---------------------------------------------------------------------------------------- placing


@kernel
def covered(p: Position, player: int) -> Word:
    """Returns all squares of a player's territory, castle excluded, as a bit mask with one bit per square."""
    land = p.land[player]
    return land[0] | land[1] | land[2] | land[3] | land[4] | land[5]


@kernel
def _window(low: int, high: int, extent: int) -> tuple[int, int]:
    """Returns which columns (or rows) a territory can still reach: the first one, modulo 8, and their number.

    The number includes the columns that the territory has already, and is at most 9.

    Args:
        low, high: first and last column (or row) of the territory.
        extent: greatest number of columns (or rows) of a territory.
    """
    return (high - extent + 1) & 7, min(2 * extent - 1 - (high - low), 9)


@kernel
def vacant(p: Position, player: int) -> Word:
    """Returns the empty squares into which a territory can still grow, as a bit mask with one bit per square.

    The mask has eight columns and eight rows, and coordinates modulo 8 say which bit a square has. So if nine or more
    columns (or rows) of the board are within reach, the mask contains all eight.
    """
    box = p.box[player]
    extent = int(p.extent)
    left, columns = _window(int(box[0]), int(box[1]), extent)
    top, rows = _window(int(box[2]), int(box[3]), extent)
    return ~(covered(p, player) | CASTLE) & COLUMNS[left, min(columns, 8)] & ROWS[top, min(rows, 8)]


@kernel
def anchors(p: Position, player: int, first: int, second: int) -> tuple[Word, Word, Word, Word]:
    """Returns the legal places for a tile's first square as bit masks: one mask for each of the four rotations.

    `first` and `second` are the terrains of the tile's two squares. Both places must be free, the territory must stay
    within its greatest width and height, and at least one square of the tile must touch the castle or a square of the
    same terrain.

    Coordinates modulo 8 give the exact result for a territory of any number of columns. With at most 5 columns, all
    squares within two steps of the territory are distinct modulo 8, with one exception: the outermost columns on the
    left and on the right may be the same; they are allowed or forbidden together. With 6 columns, the column beyond the
    left edge is a neighbour of the column beyond the right edge on the torus, so pairs of squares that join these two
    columns are removed (`across`). With 7, no column beyond the edges is allowed. The same holds for rows.
    """
    land = p.land[player]
    box = p.box[player]
    extent = int(p.extent)
    left, columns = _window(int(box[0]), int(box[1]), extent)
    top, rows = _window(int(box[2]), int(box[3]), extent)
    free = vacant(p, player)
    across = free & torus.left(free) & COLUMNS[left, columns - 1]
    along = free & torus.up(free) & ROWS[top, rows - 1]
    near_first = around(land[first] | CASTLE)
    near_second = around(land[second] | CASTLE)
    return (
        across & (near_first | torus.left(near_second)),
        along & (near_first | torus.up(near_second)),
        torus.right(across & (near_second | torus.left(near_first))),
        torus.down(along & (near_second | torus.up(near_first))),
    )


@kernel
def _corner(p: Position, player: int) -> tuple[int, int]:
    """Returns the lowest column and the lowest row that a tile's first square can have, relative to the castle.

    All legal first squares lie in a window of 8 × 8 squares that begins there. For rotation 2 the window begins one
    column later, and for rotation 3 one row later; the callers shift it.
    """
    box = p.box[player]
    extent = int(p.extent)
    left, top = max(int(box[0]) - 2, int(box[1]) - extent + 1), max(int(box[2]) - 2, int(box[3]) - extent + 1)
    return left, top


@kernel
def put_action_at(p: Position, player: int, place: int, rotation: int) -> int:
    """Returns the PUT action that places a tile's first square on the square `place`, with this rotation.

    `place` is the number of the square's bit in a bit mask, such as those that `anchors` returns.
    """
    left, top = _corner(p, player)
    return _put_action(place, rotation, left, top, int(p.extent) - 1)


@kernel
def _put_action(place: int, rotation: int, left: int, top: int, centre: int) -> int:
    x, y = grid_place(place, left + (rotation == 2), top + (rotation == 3), centre)
    return x * COLUMN_STEP + y * ROW_STEP + rotation


@kernel
def placements(p: Position, player: int, first: int, second: int, out: Ints) -> int:
    """Writes the legal PUT actions of a tile into `out`, rotation by rotation; returns their number.

    `first` and `second` are the terrains of the tile's squares.
    """
    masks = anchors(p, player, first, second)
    left, top = _corner(p, player)
    centre = int(p.extent) - 1
    count = 0
    for rotation in range(4):
        anchored = masks[rotation]
        while anchored:
            place = lowest(anchored)
            anchored &= anchored - ONE
            out[count] = _put_action(place, rotation, left, top, centre)
            count += 1
    return count


@kernel
def ascending(p: Position, player: int, first: int, second: int, out: Ints) -> int:
    """Writes the legal PUT actions of a tile into `out`, ascending; returns their number.

    `first` and `second` are the terrains of the tile's squares. `out` needs one spare element.

    The masks from `anchors` are shifted so that their bits have the same order as the actions. There is one exception:
    for rotation 2, a first square can lie eight columns after the first column, and for rotation 3 eight rows after the
    first row. This happens only in the duel, around a territory of five columns (or rows). The bit of such a square is
    then in the first column (or row), which contains no other first square of this rotation. The actions for these
    squares are inserted into the list afterwards.
    """
    masks = anchors(p, player, first, second)
    left, top = _corner(p, player)
    centre = int(p.extent) - 1
    base = (left + centre) * COLUMN_STEP + (top + centre) * ROW_STEP
    zero, one = torus.turned(masks[0], left, top), torus.turned(masks[1], left, top)
    two, three = torus.turned(masks[2], left, top), torus.turned(masks[3], left, top)
    late_two, late_three = two & _FIRST_COLUMN, three & _FIRST_ROW
    two ^= late_two
    three ^= late_three
    squares = zero | one | two | three
    count = 0
    while squares:
        place = lowest(squares)
        square = np.uint64(place)
        squares &= squares - ONE
        action = base + (place >> 3) * COLUMN_STEP + (place & 7) * ROW_STEP
        out[count] = action
        count += int(zero >> square & ONE)
        out[count] = action + 1
        count += int(one >> square & ONE)
        out[count] = action + 2
        count += int(two >> square & ONE)
        out[count] = action + 3
        count += int(three >> square & ONE)
    if late_two | late_three:
        count = _insert(out, count, late_two, base + 8 * COLUMN_STEP + 2)
        count = _insert(out, count, late_three, base + 8 * ROW_STEP + 3)
    return count


@kernel
def _insert(out: Ints, count: int, squares: Word, base: int) -> int:
    """Inserts one action for each square in `squares` into an ascending list of actions. Returns the new length.

    Args:
        out: the list.
        count: number of actions in the list.
        squares: bit mask of the squares, with one bit per square.
        base: the action for bit 0 of the mask.
    """
    while squares:
        place = lowest(squares)
        squares &= squares - ONE
        action = base + (place >> 3) * COLUMN_STEP + (place & 7) * ROW_STEP
        index = count
        while index and out[index - 1] > action:
            out[index] = out[index - 1]
            index -= 1
        out[index] = action
        count += 1
    return count


@kernel
def grid_place(place: int, left: int, top: int, centre: int) -> tuple[int, int]:
    """Converts the number of a square's bit in a bit mask to the square's column and row on the grid in the bot input.

    Args:
        place: number of the bit.
        left, top: first column and first row in which the square can lie, relative to the castle.
        centre: column and row of the castle on the grid.
    """
    return left + (((place >> 3) - left) & 7) + centre, top + (((place & 7) - top) & 7) + centre


@kernel
def crowns(zone: Word, land: Any) -> int:
    """Returns the number of crowns on the squares of the mask `zone`.

    A mask is a set of squares with one bit per square. `land` contains a player's masks: one for each terrain, and two
    for crowns.
    """
    return popcount(zone & land[ONES]) + 2 * popcount(zone & land[TWOS])


@kernel
def size(p: Position, player: int) -> int:
    """Returns the number of squares of a player's territory, castle excluded."""
    return popcount(covered(p, player))


@kernel
def all_crowns(p: Position, player: int) -> int:
    """Returns the number of crowns of a player's territory."""
    return crowns(~NONE, p.land[player])


@kernel
def worth(squares: Word, land: Any) -> int:
    """Returns the points of a set of squares of one terrain: the sum of size times crowns over their zones.

    A zone is a group of connected squares. `squares` is a mask, a set with one bit per square. `land` contains the
    masks of the player who owns the squares: one for each terrain, and two for crowns.
    """
    total = 0
    while squares:
        zone = first_zone(squares)
        squares &= ~zone
        total += popcount(zone) * crowns(zone, land)
    return total


@kernel
def _grow(land: Any, terrain: int, squares: Word) -> int:
    """Adds connected squares to a player's squares of a terrain; returns the change of the player's score.

    `squares` is the mask of the new squares, a set with one bit per square. `land` contains the player's masks: one for
    each terrain, and two for crowns. The crowns on the new squares must already be in these masks (`_mark_crowns`).
    """
    zone = torus.flood(squares, land[terrain] | squares)
    land[terrain] |= squares
    return popcount(zone) * crowns(zone, land) - worth(zone & ~squares, land)


@kernel
def _mark_crowns(land: Any, square: Word, number: int) -> None:
    if number & 1:
        land[ONES] |= square
    if number & 2:
        land[TWOS] |= square


@kernel
def add(land: Any, terrain: int, number: int, x: int, y: int) -> None:
    """Adds a square of a terrain with `number` crowns to a territory, at `x` columns and `y` rows from the castle.

    `land` contains the masks of the territory's owner: one for each terrain, and two for crowns. The score is not
    updated.
    """
    square = torus.bit(x, y)
    land[terrain] |= square
    _mark_crowns(land, square, number)


@kernel
def lay(p: Position, player: int, tile: int, action: int) -> None:
    """Places a tile in a player's territory by a legal PUT action; updates the player's score and bounding box."""
    land = p.land[player]
    box = p.box[player]
    rotation = action & 3
    centre = int(p.extent) - 1
    x = (action >> 2) // MAX_SIDE - centre
    y = (action >> 2) % MAX_SIDE - centre
    x2 = x + (rotation == 0) - (rotation == 2)
    y2 = y + (rotation == 1) - (rotation == 3)
    first, second = torus.bit(x, y), torus.bit(x2, y2)
    _mark_crowns(land, first, TILE[tile, 1])
    _mark_crowns(land, second, TILE[tile, 3])
    if TILE[tile, 0] == TILE[tile, 2]:
        gain = _grow(land, TILE[tile, 0], first | second)
    else:
        gain = _grow(land, TILE[tile, 0], first) + _grow(land, TILE[tile, 2], second)
    p.score[player] += gain
    box[0] = min(int(box[0]), x, x2)
    box[1] = max(int(box[1]), x, x2)
    box[2] = min(int(box[2]), y, y2)
    box[3] = max(int(box[3]), y, y2)


@kernel
def scored(p: Position, player: int, tile: int, scratch: Any, actions: Ints, scores: Ints) -> int:
    """Writes the legal PUT actions of a tile, and the player's score after each; returns the number of actions.

    Args:
        p: the position. It is not changed.
        player: owner of the territory.
        tile: number of the tile.
        scratch: scratch array, np.uint64 of shape (2, MAX_ZONES, 3).
        actions: filled with PUT actions, rotation by rotation; length MAX_LEGAL.
        scores: filled with the player's score after each action.
    """
    land = p.land[player]
    first, second = TILE[tile, 0], TILE[tile, 2]
    masks = anchors(p, player, first, second)
    same = first == second
    number_first = survey(land, first, scratch[0])
    number_second = 0 if same else survey(land, second, scratch[1])
    left, top = _corner(p, player)
    centre = int(p.extent) - 1
    count = 0
    for rotation in range(4):
        anchored = masks[rotation]
        while anchored:
            place = lowest(anchored)
            square = ONE << np.uint64(place)
            anchored ^= square
            other = torus.step(square, rotation)
            if same:
                gain = joined(scratch[0], number_first, square | other, TILE[tile, 1] + TILE[tile, 3])
            else:
                gain = joined(scratch[0], number_first, square, TILE[tile, 1])
                gain += joined(scratch[1], number_second, other, TILE[tile, 3])
            actions[count] = _put_action(place, rotation, left, top, centre)
            scores[count] = p.score[player] + gain
            count += 1
    return count


@kernel
def survey(land: Any, terrain: int, table: Any) -> int:
    """Lists the zones of a terrain, its groups of connected squares, in `table`; returns their number.

    `land` contains a player's masks: one for each terrain, and two for crowns. `table[i]` gets three numbers for a
    zone: the mask of the squares around the zone, its size, and its crowns.
    """
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
def joined(table: Any, count: int, squares: Word, number: int) -> int:
    """Returns the change of the score when new connected squares of one terrain are added to a territory.

    Args:
        table: the zones of the terrain, as listed by `survey`.
        count: number of these zones.
        squares: bit mask of the new squares, with one bit per square.
        number: number of crowns on the new squares.
    """
    size = popcount(squares)
    lost = 0
    for zone in range(count):
        if table[zone, 0] & squares:
            zone_size = int(table[zone, 1])
            zone_crowns = int(table[zone, 2])
            size += zone_size
            number += zone_crowns
            lost += zone_size * zone_crowns
    return int(size * number - lost)
