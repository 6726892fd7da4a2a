"""Kernels for sets of squares of a territory. A set is a bit mask: a 64-bit word with one bit per square.

The squares are on the torus that `board` describes: eight columns of eight bits; the castle is bit 0.
"""

from __future__ import annotations

import numpy as np

from lapilli.games.kingdomino.board import ROWS
from lapilli.kernels.kernel import Word, kernel, lowest

NONE = np.uint64(0)
ONE = np.uint64(1)
CASTLE = np.uint64(1)
_SEVEN = np.uint64(7)
_EIGHT = np.uint64(8)
_FIFTY_SIX = np.uint64(56)
_TOP = ROWS[0, 1]
_BOTTOM = ROWS[7, 1]


@kernel
def bit(x: int, y: int) -> Word:
    """Returns the bit mask of one square, which lies `x` columns and `y` rows from the castle."""
    return ONE << np.uint64((int(x) & 7) << 3 | (int(y) & 7))


@kernel
def right(mask: Word) -> Word:
    """Moves each square of a set one column to the right. Returns the new set. A set is a bit mask of squares."""
    return mask << _EIGHT | mask >> _FIFTY_SIX


@kernel
def left(mask: Word) -> Word:
    """Moves each square of a set one column to the left. Returns the new set. A set is a bit mask of squares."""
    return mask >> _EIGHT | mask << _FIFTY_SIX


@kernel
def down(mask: Word) -> Word:
    """Moves each square of a set one row down. Returns the new set. A set is a bit mask of squares."""
    return (mask << ONE) & ~_TOP | (mask >> _SEVEN) & _TOP


@kernel
def up(mask: Word) -> Word:
    """Moves each square of a set one row up. Returns the new set. A set is a bit mask of squares."""
    return (mask >> ONE) & ~_BOTTOM | (mask << _SEVEN) & _BOTTOM


@kernel
def around(mask: Word) -> Word:
    """Returns all neighbours of the squares of a set. A set is a bit mask with one bit per square."""
    return right(mask) | left(mask) | down(mask) | up(mask)


@kernel
def step(square: Word, rotation: int) -> Word:
    """Returns the second square of a tile, from its first square and the tile's rotation. Squares are bit masks."""
    if rotation == 0:
        return right(square)
    if rotation == 1:
        return down(square)
    if rotation == 2:
        return left(square)
    return up(square)


@kernel
def turned(mask: Word, x: int, y: int) -> Word:
    """Moves all squares of a set so that column `x` and row `y` become column 0 and row 0. Returns the new set.

    A set is a bit mask of the torus: squares that leave it on one side come back on the other side.
    """
    columns, rows = (x & 7) << 3, y & 7
    mask = mask >> np.uint64(columns) | mask << np.uint64(-columns & 63)
    upper = ROWS[0, 8 - rows]
    return (mask >> np.uint64(rows)) & upper | (mask << np.uint64(8 - rows)) & ~upper


@kernel
def flood(seed: Word, within: Word) -> Word:
    """Returns the squares of `within` that are connected, inside this set, to the squares of `seed`.

    Sets are bit masks with one bit per square.
    """
    zone = seed
    grown = (zone | around(zone)) & within
    while grown != zone:
        zone = grown
        grown = (zone | around(zone)) & within
    return zone


@kernel
def first_zone(squares: Word) -> Word:
    """Returns one zone of a set of squares of one terrain: the zone that contains the lowest square.

    A zone is a group of connected squares. Sets are bit masks with one bit per square. The set must not be empty.
    """
    return flood(ONE << np.uint64(lowest(squares)), squares)
