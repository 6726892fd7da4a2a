"""The NumPy record of a position, and kernels that read and change its paths and triangles.

Sets of houses and of triangles are sets of bits: a set of houses is one 64-bit word, a set of triangles two words.

Rules and searches share the kernels of `rules`. These take a position in two parts: `g` has the houses, paths and
triangles, `s` the units, owners and scores. The record of a position (TRYANGLE) is both parts. A search keeps the parts
in two records of its own (see `engine.fast_state`), because most turns change only the second one. In all kernels,
`table` is the table of possible paths on the map (see `geometry`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.games.tryangle.board import MAX_HOUSES, MAX_QUEUE, MAX_TRIANGLES
from lapilli.games.tryangle.rules.geometry import ENDS, PAIRS, Table, is_empty, is_free, rivals_of
from lapilli.kernels.kernel import Position, Word, kernel, lowest, record_dtype

GROUND_FIELDS: list[tuple[Any, ...]] = [
    ("paths", np.uint64, MAX_HOUSES),  # by house: its neighbours, with the house itself if it is linked to itself
    ("open", np.uint64, MAX_HOUSES),  # by house: the other houses to which a path could be built now
    ("around", np.uint64, (MAX_HOUSES, 2)),  # by house: the existing triangles of which it is a corner
    ("live", np.uint64, 2),  # the existing triangles; others in the list were removed with a path in this turn
    ("x", np.int16, MAX_HOUSES),
    ("y", np.int16, MAX_HOUSES),
    ("corners", np.int8, (MAX_TRIANGLES, 3)),  # ascending; between turns, triangles are in lexicographic order
    ("houses", np.int8),
    ("triangles", np.int8),  # length of the list of triangles
]
"""Fields of the part `g` of a position: houses, paths, triangles."""
STATE_FIELDS: list[tuple[Any, ...]] = [
    ("units", np.int32, (2, MAX_HOUSES)),
    ("own", np.uint64, (2, 2)),  # by player: the triangles of the player
    ("held", np.uint64, (2, 2)),  # by player: the triangles that were the player's when the turn began
    ("may", np.uint64, (2, 2)),  # by player: the triangles that the player may capture
    ("score", np.int32, 2),  # points, even of a player who was put out (whose result is then -1)
    ("turn", np.int16),
    ("left", np.int8, 2),  # by player: ACTIVE, or why the rules put the player out, or (from FAULT on) a fault
    ("league", np.int8),
    ("over", np.int8),
]
"""Fields of the part `s` of a position: units, owners, scores."""
TRYANGLE = record_dtype(
    [
        *STATE_FIELDS,
        ("queued", np.int8, 2),
        ("done", np.int8, 2),
        ("rebuilt", np.int8),  # 1 if the last turn has built or removed paths; `==` of states ignores this
        ("spent", np.uint64, (2, 2)),  # by player: the triangles that the commands in `queue` use up
        ("remaining", np.int32, (2, MAX_HOUSES)),  # units that no command in `queue` uses yet
        *GROUND_FIELDS,
        ("queue", np.int64, (2, MAX_QUEUE)),  # by player: the commands chosen so far for the present turn
    ]
)

NONE = np.uint64(0)
ONE = np.uint64(1)


@kernel
def bit(house: int) -> Word:
    """Returns the set that contains only this house (or other number below 64), as a 64-bit word."""
    return ONE << np.uint64(house)


@kernel
def mask_of(g: Any, triangle: int) -> Word:
    """Returns the set of the three houses on a triangle's corners. `triangle` is its index in the position's list.

    `g`: the position's houses, paths and triangles.
    """
    corners = g.corners
    return bit(int(corners[triangle, 0])) | bit(int(corners[triangle, 1])) | bit(int(corners[triangle, 2]))


@kernel
def linked(g: Any, a: int, b: int) -> bool:
    """Returns whether there is a path between the houses a and b. `g`: the position's houses, paths and triangles."""
    return bool(g.paths[a] & bit(b))


@kernel
def can_connect(g: Any, a: int, b: int) -> bool:
    """Returns whether a path between the houses a and b would be short enough and touch no other path.

    A path from a house to itself is always possible. `g`: the position's houses, paths and triangles.
    """
    return bool(a == b or (g.paths[a] | g.open[a]) & bit(b))


@kernel
def near_houses(g: Any, triangle: int) -> Word:
    """Returns the set of a triangle's corners and their neighbours.

    `g`: the position's houses, paths and triangles.
    """
    paths, corners = g.paths, g.corners
    around = paths[corners[triangle, 0]] | paths[corners[triangle, 1]] | paths[corners[triangle, 2]]
    return mask_of(g, triangle) | around


@kernel
def spread(g: Any, houses: Word) -> Word:
    """Returns the set of all neighbours of the houses in a set.

    `g`: the position's houses, paths and triangles.
    """
    found = NONE
    while houses != NONE:
        found |= g.paths[lowest(houses)]
        houses &= houses - ONE
    return found


# -- owners of triangles --------------------------------------------------------------------------------------


@kernel
def owner_in(sets: Any, triangle: int) -> int:
    """Returns the player whose set of triangles contains `triangle` (an index in the position's list); -1 for neither.

    `sets` has a set of triangles, as two words, for each player.
    """
    word, here = triangle >> 6, bit(triangle & 63)
    if sets[0, word] & here:
        return 0
    return 1 if sets[1, word] & here else -1


@kernel
def captors_of(s: Any, triangle: int) -> int:
    """Returns which players may capture a triangle, as a sum: 1 for player 0, 2 for player 1.

    `s`: the position's units, owners and scores.
    """
    word, place = triangle >> 6, np.uint64(triangle & 63)
    return int(s.may[0, word] >> place & ONE) + 2 * int(s.may[1, word] >> place & ONE)


@kernel
def set_triangle(s: Any, triangle: int, owner: int, owner_at_start: int, captors: int) -> None:
    """Sets a triangle's owner now (`owner`) and when the turn began (`owner_at_start`), and who may capture it.

    The owner -1 means nobody. `captors` are the players who may capture the triangle, as a sum: 1 for player 0, 2 for
    player 1. `triangle` is its index in the position's list. `s`: the position's units, owners and scores.
    """
    word, here = triangle >> 6, bit(triangle & 63)
    for player in range(2):
        s.own[player, word] &= ~here
        s.held[player, word] &= ~here
        s.may[player, word] &= ~here
        if player == owner:
            s.own[player, word] |= here
        if player == owner_at_start:
            s.held[player, word] |= here
        if captors >> player & 1:
            s.may[player, word] |= here


# -- paths and the triangles that they make --------------------------------------------------------------------


@kernel
def add_triangle(g: Any, s: Any, a: int, b: int, c: int) -> None:
    """Appends the triangle of the houses a, b and c to the position's list, if no other house is inside it.

    The new triangle has no owner, and both players may capture it. `g`: the position's houses, paths and triangles;
    `s`: its units, owners and scores.
    """
    low, high = min(a, min(b, c)), max(a, max(b, c))
    middle, number = a + b + c - low - high, int(g.triangles)
    if number < MAX_TRIANGLES and is_empty(g.x, g.y, int(g.houses), low, middle, high):
        g.corners[number, 0], g.corners[number, 1], g.corners[number, 2] = low, middle, high
        enter_triangle(g, number)
        set_triangle(s, number, -1, -1, 3)
        g.triangles = number + 1


@kernel
def enter_triangle(g: Any, triangle: int) -> None:
    """Marks a triangle of the position's list as existing. `triangle`: its index in the list.

    The list can also contain triangles that do not exist any more, because a path was removed in this turn. `g`: the
    position's houses, paths and triangles.
    """
    word, here = triangle >> 6, bit(triangle & 63)
    g.live[word] |= here
    for k in range(3):
        g.around[g.corners[triangle, k], word] |= here


@kernel
def forget_triangles(g: Any) -> None:
    """Marks all triangles of the position's list as not existing. The list itself stays as it is.

    `g`: the position's houses, paths and triangles.
    """
    for word in range(2):
        g.live[word] = NONE
        for house in range(MAX_HOUSES):
            g.around[house, word] = NONE


@kernel
def clear_rest(p: Position, number: int) -> None:
    """Shortens the position's list of triangles to its first `number`."""
    for t in range(number, int(p.triangles)):
        p.corners[t, 0] = p.corners[t, 1] = p.corners[t, 2] = 0
        set_triangle(p, t, -1, -1, 0)
    p.triangles = number


@kernel
def find_triangles(p: Position) -> None:
    """Lists the triangles that the paths make, in lexicographic order of their corners. None has an owner."""
    clear_rest(p, 0)
    forget_triangles(p)
    for a in range(int(p.houses)):
        for b in range(a + 1, int(p.houses)):
            if linked(p, a, b):
                common = p.paths[a] & p.paths[b] & ~((bit(b) << ONE) - ONE)
                while common != NONE:
                    add_triangle(p, p, a, b, lowest(common))
                    common &= common - ONE


@kernel
def find_open(g: Any, table: Table) -> None:
    """Finds all paths that could be built now: fills the field `open`.

    `g`: the position's houses, paths and triangles. `table`: the table of possible paths on the map (see `geometry`).
    """
    for house in range(MAX_HOUSES):
        g.open[house] = NONE
    for pair in range(int(table[0])):
        open_pair(g, table, pair)


@kernel
def open_pair(g: Any, table: Table, pair: int) -> None:
    """Adds a pair of houses to the field `open` if their path could be built. `pair`: its number in the table.

    `g`: the position's houses, paths and triangles. `table`: the table of possible paths on the map (see `geometry`).
    """
    a, b = int(table[ENDS + pair]), int(table[ENDS + int(table[0]) + pair])
    if not linked(g, a, b) and is_free(g.paths, table, pair):
        g.open[a] |= bit(b)
        g.open[b] |= bit(a)


@kernel
def connect(g: Any, s: Any, table: Table, a: int, b: int) -> None:
    """Builds the path from a to b, and appends the triangles that it completes. Does nothing if the path exists.

    `g`: the position's houses, paths and triangles; `s`: its units, owners and scores. `table`: the table of possible
    paths on the map (see `geometry`).
    """
    if linked(g, a, b):
        return
    g.paths[a] |= bit(b)
    g.paths[b] |= bit(a)
    if a == b:
        return
    g.open[a] &= ~bit(b)
    g.open[b] &= ~bit(a)
    number = int(table[0])
    first, end = rivals_of(table, int(table[PAIRS + a * MAX_HOUSES + b]))
    for k in range(first, end):
        c, d = int(table[ENDS + table[k]]), int(table[ENDS + number + table[k]])
        g.open[c] &= ~bit(d)
        g.open[d] &= ~bit(c)
    common = g.paths[a] & g.paths[b] & ~(bit(a) | bit(b))
    while common != NONE:
        add_triangle(g, s, a, b, lowest(common))
        common &= common - ONE


@kernel
def disconnect(g: Any, table: Table, a: int, b: int) -> None:
    """Removes the path between two different houses, a and b. Its triangles then do not exist any more.

    They stay in the position's list with their owners, because commands of this turn may still use them up. `g`: the
    position's houses, paths and triangles. `table`: the table of possible paths on the map (see `geometry`).
    """
    g.paths[a] &= ~bit(b)
    g.paths[b] &= ~bit(a)
    pair = int(table[PAIRS + a * MAX_HOUSES + b])
    open_pair(g, table, pair)
    first, end = rivals_of(table, pair)
    for k in range(first, end):
        open_pair(g, table, int(table[k]))
    for word in range(2):
        gone = g.around[a, word] & g.around[b, word]
        g.live[word] &= ~gone
        for house in range(int(g.houses)):
            g.around[house, word] &= ~gone


# -- the list of triangles after paths have changed ---------------------------------------------------------------


@kernel
def exchange(sets: Any, t: int, u: int) -> None:
    """Exchanges two triangles, `t` and `u`, in sets of triangles: each is then in those sets that contained the other.

    `sets` has one set, as two words of 64 bits, for each player.
    """
    for player in range(2):
        bits = sets[player, t >> 6] >> np.uint64(t & 63) ^ sets[player, u >> 6] >> np.uint64(u & 63)
        sets[player, t >> 6] ^= (bits & ONE) << np.uint64(t & 63)
        sets[player, u >> 6] ^= (bits & ONE) << np.uint64(u & 63)


@kernel
def swap(p: Position, t: int, u: int) -> None:
    """Exchanges the triangles `t` and `u` (indices in the position's list), with all data about them."""
    corners = p.corners
    for k in range(3):
        corners[t, k], corners[u, k] = corners[u, k], corners[t, k]
    exchange(p.own, t, u)
    exchange(p.held, t, u)
    exchange(p.may, t, u)


@kernel
def rank(p: Position, t: int) -> int:
    """Returns a number by which triangles are sorted: in lexicographic order of their corners.

    `t` is the triangle's index in the position's list.
    """
    return (int(p.corners[t, 0]) * MAX_HOUSES + int(p.corners[t, 1])) * MAX_HOUSES + int(p.corners[t, 2])


@kernel
def tidy(p: Position) -> None:
    """Removes the triangles that do not exist any more from the position's list, and sorts the others."""
    number = 0
    for t in range(int(p.triangles)):
        if p.live[t >> 6] & bit(t & 63):
            if t != number:
                swap(p, t, number)
            number += 1
    clear_rest(p, number)
    for t in range(1, number):
        u = t
        while u > 0 and rank(p, u - 1) > rank(p, u):
            swap(p, u - 1, u)
            u -= 1
    forget_triangles(p)
    for t in range(number):
        enter_triangle(p, t)
