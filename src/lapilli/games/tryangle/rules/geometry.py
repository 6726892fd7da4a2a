"""The geometry of maps: possible paths, paths that touch each other, and houses inside triangles.

A path is a straight line of length 400 or less. Two paths may have a common end and no other common point: they may not
cross, touch or overlap. In all kernels, `x` and `y` are the coordinates of the houses.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from lapilli.games.tryangle.board import MAX_HOUSES, MAX_LENGTH
from lapilli.kernels.kernel import Ints, kernel

# The table of a map lists the pairs of houses that a path could join, and the rivals of each pair. The rivals of a pair
# are the other pairs whose paths would touch the path of this pair. The table is one int32 array with these parts:
# - the number of pairs;
# - from PAIRS on, by two houses: the number of their pair, or -1;
# - from ENDS on: the first house of each pair, then the second house of each pair;
# - the index at which each pair's list of rivals starts, and the end of the last list;
# - all lists of rivals.
PAIRS = 1
ENDS = PAIRS + MAX_HOUSES * MAX_HOUSES

Table: TypeAlias = "np.ndarray[Any, np.dtype[np.int32]]"


@kernel
def turn_of(x: Any, y: Any, a: int, b: int, c: int) -> int:
    """Returns twice the signed area of the triangle of the houses a, b and c. `x` and `y`: coordinates of all houses.

    Its sign says in which direction a-b-c turns at b.
    """
    abx, aby = int(x[b]) - int(x[a]), int(y[b]) - int(y[a])
    return abx * (int(y[c]) - int(y[a])) - aby * (int(x[c]) - int(x[a]))


@kernel
def squared_length(x: Any, y: Any, a: int, b: int) -> int:
    """Returns the squared distance between the houses a and b, in map units. `x` and `y`: coordinates of all houses."""
    dx, dy = int(x[a]) - int(x[b]), int(y[a]) - int(y[b])
    return dx * dx + dy * dy


@kernel
def between(x: Any, y: Any, a: int, b: int, c: int) -> bool:
    """Returns whether house c lies between the houses a and b. It must lie on the line through a and b.

    `x` and `y`: coordinates of all houses.
    """
    ax, ay, bx, by, cx, cy = int(x[a]), int(y[a]), int(x[b]), int(y[b]), int(x[c]), int(y[c])
    return min(ax, bx) <= cx <= max(ax, bx) and min(ay, by) <= cy <= max(ay, by)


@kernel
def overlap(x: Any, y: Any, hub: int, p: int, q: int) -> bool:
    """Returns whether two paths with a common end overlap. They lead from the house `hub` to the houses `p` and `q`.

    `x` and `y`: coordinates of all houses.
    """
    if turn_of(x, y, hub, p, q) != 0:
        return False
    hx, hy = int(x[hub]), int(y[hub])
    return (int(x[p]) - hx) * (int(x[q]) - hx) + (int(y[p]) - hy) * (int(y[q]) - hy) > 0


@kernel
def touch(x: Any, y: Any, a: int, b: int, c: int, d: int) -> bool:
    """Returns whether two paths, from house a to b and from c to d, have a common point other than a common end.

    `x` and `y`: coordinates of all houses.
    """
    if a == c:
        return b != d and overlap(x, y, a, b, d)
    if a == d:
        return b != c and overlap(x, y, a, b, c)
    if b == c:
        return overlap(x, y, b, a, d)
    if b == d:
        return overlap(x, y, b, a, c)
    t1, t2 = turn_of(x, y, a, b, c), turn_of(x, y, a, b, d)
    t3, t4 = turn_of(x, y, c, d, a), turn_of(x, y, c, d, b)
    if ((t1 > 0) != (t2 > 0)) and ((t3 > 0) != (t4 > 0)) and t1 != 0 and t2 != 0 and t3 != 0 and t4 != 0:
        return True
    return (
        (t1 == 0 and between(x, y, a, b, c))
        or (t2 == 0 and between(x, y, a, b, d))
        or (t3 == 0 and between(x, y, c, d, a))
        or (t4 == 0 and between(x, y, c, d, b))
    )


@kernel
def holds(x: Any, y: Any, a: int, b: int, c: int, house: int) -> bool:
    """Returns whether `house` is inside the triangle of houses a < b < c, decided as in the original game.

    The house is inside if `turn_of` has the same sign for all three sides; 0 is treated as negative. `x` and `y`:
    coordinates of all houses.
    """
    first = turn_of(x, y, a, b, house) > 0
    return first == (turn_of(x, y, b, c, house) > 0) and first == (turn_of(x, y, c, a, house) > 0)


@kernel
def is_empty(x: Any, y: Any, houses: int, a: int, b: int, c: int) -> bool:
    """Returns whether no house is inside the triangle of houses a < b < c.

    `x` and `y`: coordinates of all houses. `houses`: their number.
    """
    for house in range(houses):
        if house != a and house != b and house != c and holds(x, y, a, b, c, house):
            return False
    return True


@kernel
def house_between(x: Any, y: Any, houses: int, a: int, b: int) -> int:
    """Returns the first house that lies on the straight line between the houses a and b; -1 if there is none.

    `x` and `y`: coordinates of all houses. `houses`: their number.
    """
    for house in range(houses):
        if house != a and house != b and turn_of(x, y, a, b, house) == 0 and between(x, y, a, b, house):
            return house
    return -1


@kernel
def list_pairs(x: Any, y: Any, houses: int, table: Table) -> int:
    """Numbers the pairs of houses that a path could join, and writes the numbers into the map's table.

    The houses of such a pair are near enough, and no house lies between them. The pairs are numbered in the order of
    their first and then of their second house. Returns the number of pairs.

    Args:
        x, y: coordinates of the houses.
        houses: number of houses.
        table: the table. Its first part, up to the index ENDS, is filled: the number of pairs and, by two houses, the
            number of their pair or -1.
    """
    number = 0
    for k in range(PAIRS, ENDS):
        table[k] = -1
    for a in range(houses):
        for b in range(a + 1, houses):
            near = squared_length(x, y, a, b) <= MAX_LENGTH * MAX_LENGTH
            if near and house_between(x, y, houses, a, b) < 0:
                table[PAIRS + a * MAX_HOUSES + b] = table[PAIRS + b * MAX_HOUSES + a] = number
                number += 1
    table[0] = number
    return number


@kernel
def find_rivals(x: Any, y: Any, houses: int, table: Table, rivals: Any, boxes: Ints) -> int:
    """Writes the houses of all possible paths into the map's table, and finds the paths that would touch each other.

    Args:
        x, y: coordinates of the houses.
        houses: number of houses.
        table: the table, filled by `list_pairs`.
        rivals: bool of shape (pairs, pairs); filled with whether the paths of two pairs of houses would touch.
        boxes: scratch array of shape (4, pairs).

    Returns:
        The number of true elements of `rivals`.
    """
    number = int(table[0])
    firsts, seconds = ENDS, ENDS + number
    for a in range(houses):
        for b in range(a + 1, houses):
            pair = int(table[PAIRS + a * MAX_HOUSES + b])
            if pair >= 0:
                table[firsts + pair], table[seconds + pair] = a, b
    total = 0
    for p in range(number):
        a, b = int(table[firsts + p]), int(table[seconds + p])
        ax, ay, bx, by = int(x[a]), int(y[a]), int(x[b]), int(y[b])
        left, right, top, bottom = min(ax, bx), max(ax, bx), min(ay, by), max(ay, by)
        boxes[0, p], boxes[1, p], boxes[2, p], boxes[3, p] = left, right, top, bottom
        rivals[p, p] = False
        for q in range(p):
            near = boxes[1, q] >= left and boxes[0, q] <= right and boxes[3, q] >= top and boxes[2, q] <= bottom
            touches = near and touch(x, y, a, b, int(table[firsts + q]), int(table[seconds + q]))
            rivals[p, q] = rivals[q, p] = touches
            total += 2 * touches
    return total


@kernel
def list_rivals(table: Table, rivals: Any) -> None:
    """Writes into `table`, the map's table of possible paths, for each path the list of paths that would touch it.

    `rivals` is the array that `find_rivals` has filled.
    """
    number = int(table[0])
    starts = ENDS + 2 * number
    place = starts + number + 1
    for p in range(number):
        table[starts + p] = place
        for q in range(number):
            if rivals[p, q]:
                table[place] = q
                place += 1
    table[starts + number] = place


@kernel
def rivals_of(table: Table, pair: int) -> tuple[int, int]:
    """Returns the first index, and the end, of a list in the map's table: the rivals of a pair of houses.

    The rivals are the pairs whose paths would touch the path of `pair`. A pair is given as its number in the table.
    """
    starts = ENDS + 2 * int(table[0])
    return int(table[starts + pair]), int(table[starts + pair + 1])


@kernel
def is_free(paths: Any, table: Table, pair: int) -> bool:
    """Returns whether no existing path would touch the possible path with the number `pair` in the map's table.

    `paths` has the set of neighbours of each house.
    """
    number = int(table[0])
    first, end = rivals_of(table, pair)
    for k in range(first, end):
        rival = int(table[k])
        if (paths[table[ENDS + rival]] >> np.uint64(table[ENDS + number + rival])) & np.uint64(1):
            return False
    return True


@lru_cache(maxsize=256)
def _table(houses: int, xs: bytes, ys: bytes) -> Table:
    x, y = np.frombuffer(bytearray(xs), np.int16), np.frombuffer(bytearray(ys), np.int16)
    head = np.empty(ENDS, np.int32)
    number = list_pairs(x, y, houses, head)
    head = np.concatenate([head, np.empty(2 * number, np.int32)])
    rivals = np.empty((number, number), np.bool_)
    total = find_rivals(x, y, houses, head, rivals, np.empty((4, number), np.int64))
    table = np.concatenate([head, np.empty(number + 1 + total, np.int32)])
    list_rivals(table, rivals)
    return table


def table_of(record: Any) -> Table:
    """Returns the table of a position's map: all possible paths, and for each path the paths that would touch it.

    The table depends only on the houses' coordinates. The last 256 tables are cached.
    """
    return _table(int(record["houses"]), record["x"].tobytes(), record["y"].tobytes())
