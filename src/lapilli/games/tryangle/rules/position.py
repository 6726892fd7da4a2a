"""The NumPy record of a position, and kernels that read and change its paths and triangles."""

from __future__ import annotations

import numpy as np

from lapilli.games.tryangle.board import MAX_HOUSES, MAX_QUEUE, MAX_TRIANGLES
from lapilli.games.tryangle.rules.geometry import PAIRS, Table, is_empty, is_free
from lapilli.kernels.kernel import Position, Word, kernel, lowest, record_dtype

TRYANGLE = record_dtype(
    [
        ("paths", np.uint64, MAX_HOUSES),  # by house: its neighbours, with the house itself if it is linked to itself
        ("queue", np.int64, (2, MAX_QUEUE)),  # by player: the commands chosen so far for the present turn
        ("spent", np.uint64, (2, 2)),  # by player: the set of triangles that these commands use up, in two words
        ("units", np.int32, (2, MAX_HOUSES)),
        ("remaining", np.int32, (2, MAX_HOUSES)),  # units that commands may still use; all units when a turn begins
        ("score", np.int32, 2),  # points, even of a player who was put out (whose result is then -1)
        ("x", np.int16, MAX_HOUSES),
        ("y", np.int16, MAX_HOUSES),
        ("turn", np.int16),
        ("corners", np.int8, (MAX_TRIANGLES, 3)),  # ascending; triangles in lexicographic order
        ("owner", np.int8, MAX_TRIANGLES),
        ("owner_at_start", np.int8, MAX_TRIANGLES),
        ("may", np.int8, MAX_TRIANGLES),  # bit p: player p may capture it; bit 2, within a turn: removed with a path
        ("queued", np.int8, 2),
        ("done", np.int8, 2),
        ("left", np.int8, 2),  # by player: ACTIVE, or why the rules put the player out, or (from FAULT on) a fault
        ("houses", np.int8),
        ("triangles", np.int8),
        ("league", np.int8),
        ("over", np.int8),
    ]
)

NONE = np.uint64(0)
ONE = np.uint64(1)
GONE = 4


@kernel
def bit(house: int) -> Word:
    """Returns the set that contains only this house (or other number below 64), as a 64-bit word."""
    return ONE << np.uint64(house)


@kernel
def mask_of(p: Position, triangle: int) -> Word:
    """Returns the set of the three houses on a triangle's corners. `triangle` is its index in the position's list."""
    corners = p.corners
    return bit(int(corners[triangle, 0])) | bit(int(corners[triangle, 1])) | bit(int(corners[triangle, 2]))


@kernel
def linked(p: Position, a: int, b: int) -> bool:
    """Returns whether there is a path between two houses."""
    return bool(p.paths[a] & bit(b))


@kernel
def can_connect(p: Position, table: Table, a: int, b: int) -> bool:
    """Returns whether a path between two houses would be short enough and touch no other path.

    A path from a house to itself is always possible. `table` is the table of the map (see `geometry`).
    """
    if a == b:
        return True
    pair = int(table[PAIRS + a * MAX_HOUSES + b])
    return pair >= 0 and is_free(p.paths, table, pair)


@kernel
def in_reach(p: Position, triangle: int, house: int) -> bool:
    """Returns whether a house is a corner of a triangle, or a neighbour of a corner."""
    corners = p.corners
    near = mask_of(p, triangle)
    for k in range(3):
        near |= p.paths[corners[triangle, k]]
    return bool(near & bit(house))


# -- triangles ------------------------------------------------------------------------------------------------


@kernel
def add_triangle(p: Position, a: int, b: int, c: int) -> None:
    """Appends a triangle of three houses to the position's list, if no other house is inside it.

    The new triangle has no owner, and both players may capture it.
    """
    low, high = min(a, min(b, c)), max(a, max(b, c))
    middle = a + b + c - low - high
    if is_empty(p.x, p.y, int(p.houses), low, middle, high):
        number = int(p.triangles)
        p.corners[number, 0] = low
        p.corners[number, 1] = middle
        p.corners[number, 2] = high
        p.owner[number] = -1
        p.owner_at_start[number] = -1
        p.may[number] = 3
        p.triangles = number + 1


@kernel
def find_triangles(p: Position) -> None:
    """Fills the position's list of triangles, in lexicographic order of their corners.

    The list must be empty before.
    """
    for a in range(int(p.houses)):
        for b in range(a + 1, int(p.houses)):
            if linked(p, a, b):
                common = p.paths[a] & p.paths[b] & ~((bit(b) << ONE) - ONE)
                while common != NONE:
                    add_triangle(p, a, b, lowest(common))
                    common &= common - ONE


@kernel
def connect(p: Position, a: int, b: int) -> None:
    """Builds the path from a to b, and appends the triangles that it completes. Does nothing if the path exists."""
    if linked(p, a, b):
        return
    p.paths[a] |= bit(b)
    p.paths[b] |= bit(a)
    common = p.paths[a] & p.paths[b] & ~(bit(a) | bit(b))
    while a != b and common != NONE:
        add_triangle(p, a, b, lowest(common))
        common &= common - ONE


@kernel
def disconnect(p: Position, a: int, b: int) -> None:
    """Removes the path from a to b, and marks its triangles with GONE. Commands of this turn may still use them up."""
    p.paths[a] &= ~bit(b)
    p.paths[b] &= ~bit(a)
    ends = bit(a) | bit(b)
    for t in range(int(p.triangles)):
        if (mask_of(p, t) & ends) == ends:
            p.may[t] |= GONE


@kernel
def swap(p: Position, t: int, u: int) -> None:
    """Exchanges the triangles with the indices t and u in the position's list."""
    corners = p.corners
    for k in range(3):
        corners[t, k], corners[u, k] = corners[u, k], corners[t, k]
    p.owner[t], p.owner[u] = p.owner[u], p.owner[t]
    p.owner_at_start[t], p.owner_at_start[u] = p.owner_at_start[u], p.owner_at_start[t]
    p.may[t], p.may[u] = p.may[u], p.may[t]


@kernel
def rank(p: Position, t: int) -> int:
    """Returns a number for the triangle `t`.

    The lexicographic order of triangles' corners is the order of these numbers.
    """
    return (int(p.corners[t, 0]) * MAX_HOUSES + int(p.corners[t, 1])) * MAX_HOUSES + int(p.corners[t, 2])


@kernel
def tidy(p: Position) -> None:
    """Removes the triangles marked with GONE from the position's list, and sorts the others."""
    number = 0
    for t in range(int(p.triangles)):
        if not p.may[t] & GONE:
            if t != number:
                swap(p, t, number)
            number += 1
    for t in range(number, int(p.triangles)):
        for k in range(3):
            p.corners[t, k] = 0
        p.owner[t] = p.owner_at_start[t] = p.may[t] = 0
    p.triangles = number
    for t in range(1, number):
        u = t
        while u > 0 and rank(p, u - 1) > rank(p, u):
            swap(p, u - 1, u)
            u -= 1
