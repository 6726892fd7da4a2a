"""Kernels for masks, which are sets of squares as 64-bit words, on the torus that `board` describes.

The torus has eight columns of eight bits; the castle is bit 0.
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
    """Returns the mask of the square at `x` columns and `y` rows from the castle."""
    return ONE << np.uint64((int(x) & 7) << 3 | (int(y) & 7))


@kernel
def right(mask: Word) -> Word:
    """Returns the mask of squares after each square has moved one column to the right."""
    return mask << _EIGHT | mask >> _FIFTY_SIX


@kernel
def left(mask: Word) -> Word:
    """Returns the mask of squares after each square has moved one column to the left."""
    return mask >> _EIGHT | mask << _FIFTY_SIX


@kernel
def down(mask: Word) -> Word:
    """Returns the mask of squares after each square has moved one row down."""
    return (mask << ONE) & ~_TOP | (mask >> _SEVEN) & _TOP


@kernel
def up(mask: Word) -> Word:
    """Returns the mask of squares after each square has moved one row up."""
    return (mask >> ONE) & ~_BOTTOM | (mask << _SEVEN) & _BOTTOM


@kernel
def around(mask: Word) -> Word:
    """Returns the mask of all neighbours of the squares of a mask."""
    return right(mask) | left(mask) | down(mask) | up(mask)


@kernel
def step(square: Word, rotation: int) -> Word:
    """Returns the mask of a tile's second square, from the mask of its first square and its rotation."""
    if rotation == 0:
        return right(square)
    if rotation == 1:
        return down(square)
    if rotation == 2:
        return left(square)
    return up(square)


@kernel
def turned(mask: Word, x: int, y: int) -> Word:
    """Returns the mask shifted so that column `x` and row `y` become column 0 and row 0."""
    columns, rows = (x & 7) << 3, y & 7
    mask = mask >> np.uint64(columns) | mask << np.uint64(-columns & 63)
    upper = ROWS[0, 8 - rows]
    return (mask >> np.uint64(rows)) & upper | (mask << np.uint64(8 - rows)) & ~upper


@kernel
def flood(seed: Word, within: Word) -> Word:
    """Returns all squares of the mask `within` that are connected, inside this mask, to the squares of `seed`."""
    zone = seed
    grown = (zone | around(zone)) & within
    while grown != zone:
        zone = grown
        grown = (zone | around(zone)) & within
    return zone


@kernel
def first_zone(squares: Word) -> Word:
    """Returns the zone that contains the lowest square of a non-empty mask. The mask has the squares of one terrain."""
    return flood(ONE << np.uint64(lowest(squares)), squares)
