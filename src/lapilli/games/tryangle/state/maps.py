"""Makes maps (houses, paths and first units), from a seed or from text.

From a seed, it makes exactly the same map as the original game. The original's method was found by experiments with its
maps. RULES.md describes the method in full.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lapilli.core.errors import SetupError
from lapilli.core.reading.numbers import bounded
from lapilli.core.reading.text import quoted
from lapilli.games.tryangle.board import HEIGHT, MAX_HOUSES, MAX_LENGTH, WIDTH
from lapilli.games.tryangle.rules.geometry import (
    ENDS,
    PAIRS,
    Table,
    house_between,
    is_empty,
    is_free,
    squared_length,
    table_of,
    touch,
)
from lapilli.games.tryangle.rules.position import NONE, ONE, TRYANGLE, bit, find_triangles
from lapilli.kernels.java_random import next_double, next_int, scramble
from lapilli.kernels.kernel import Ints, Position, kernel, lowest

_TRIES = 10_000
_NEAREST = 140 * 140
_FAR = MAX_LENGTH * MAX_LENGTH
_FLAT = float(np.cos(np.radians(160.0)))
_LEFT, _TOP, _MIRROR_X, _MIRROR_Y = 80, 70, 1919, 959
_SPAN_X, _SPAN_Y = 1760, 820
_FEWEST_TRIANGLES = 20
_MOST_NUMBER = 999_999
MAX_UNITS = 99_999
"""Greatest number of units of one player on one house in a map or position that is read from text."""


@kernel
def is_flat(a: int, b: int, c: int) -> bool:
    """Returns whether a triangle has an angle of 160° or more. `a`, `b` and `c` are the squares of its sides' lengths.

    Returns False if a side is longer than a path can be.
    """
    longest = max(a, max(b, c))
    if longest > _FAR:
        return False
    others = a + b + c - longest
    product = a * b * c // longest  # exact, since `longest` is one of the three factors
    return bool(others - longest <= _FLAT * 2.0 * product**0.5)


@kernel
def fits(p: Position, houses: int, lengths: Ints, known: int) -> bool:
    """Returns whether a new house, with the number `houses`, can be added to the other houses.

    The new house must not be too near to another house or to its own mirror image. No three houses may lie nearly in
    line. The new house's distances to other houses must differ from all known distances.

    Args:
        p: the position; its coordinates include those of the new house and its mirror image.
        houses: number of houses without these two.
        lengths: the known squared distances between houses; new ones are written behind them.
        known: number of known distances.
    """
    x, y = p.x, p.y
    for h in range(houses, -1, -1):
        other = houses + 1 if h == houses else h
        length = squared_length(x, y, houses, other)
        if length < _NEAREST:
            return False
        lengths[known + h] = length
    for h in range(houses + 1):
        if lengths[known + h] > _FAR:
            continue
        for k in range(h):
            if lengths[known + k] <= _FAR:
                third = squared_length(x, y, houses + 1 if h == houses else h, k)
                if is_flat(lengths[known + h], lengths[known + k], third):
                    return False
    for h in range(houses + 1):
        for k in range(known):
            if lengths[k] == lengths[known + h]:
                return False
    return True


@kernel
def place_houses(p: Position, random: int, lengths: Ints) -> int:
    """Places random houses in pairs (houses 2k and 2k + 1 are mirror images), up to 50 houses in at most 10,000 tries.

    `random` is the state of the random generator; returns the new state. `lengths` is a scratch array.
    """
    houses = known = 0
    for _ in range(_TRIES):
        random, x = next_int(random, _SPAN_X)
        random, y = next_int(random, _SPAN_Y)
        x += _LEFT
        y += _TOP
        p.x[houses], p.y[houses] = x, y
        p.x[houses + 1], p.y[houses + 1] = _MIRROR_X - x, _MIRROR_Y - y
        if fits(p, houses, lengths, known):
            known += houses + 1
            houses += 2
            if houses == MAX_HOUSES:
                break
    p.houses = houses
    for h in range(houses, MAX_HOUSES):
        p.x[h] = p.y[h] = 0
    return random


@kernel
def is_whole(p: Position, without: int) -> bool:
    """Returns whether paths connect all houses, if the house `without` is left out (-1: none is left out)."""
    houses = int(p.houses)
    everyone = (bit(houses) - ONE) & ~(bit(without) if without >= 0 else NONE)
    seen = ring = everyone & (~everyone + ONE)
    while ring != NONE:
        spread = NONE
        while ring != NONE:
            spread |= p.paths[lowest(ring)]
            ring &= ring - ONE
        ring = spread & everyone & ~seen
        seen |= ring
    return bool(seen == everyone)


@kernel
def holds_together(p: Position) -> bool:
    """Returns whether the map stays connected whichever single house is left out."""
    whole = True
    for house in range(int(p.houses)):
        whole = whole and is_whole(p, house)
    return whole


@kernel
def triangles_on(p: Position, a: int, b: int) -> int:
    """Returns the number of triangles that have the path between the houses `a` and `b` as a side."""
    number = 0
    common = p.paths[a] & p.paths[b]
    while common != NONE:
        c = lowest(common)
        common &= common - ONE
        low, high = min(a, min(b, c)), max(a, max(b, c))
        number += is_empty(p.x, p.y, int(p.houses), low, a + b + c - low - high, high)
    return number


@kernel
def flip(p: Position, a: int, b: int) -> None:
    """Builds the path between the houses a and b, or removes the path if it exists."""
    p.paths[a] ^= bit(b)
    p.paths[b] ^= bit(a)


@kernel
def link_all(p: Position, table: Table, order: Ints, built: Ints) -> int:
    """Builds paths on a map, as many as fit: in the order `order`, each unless it would touch an earlier path.

    Returns the number of paths. `built` is filled with them. A path is given as the number of its pair of houses in the
    map's table (see `rules.geometry`).
    """
    number = 0
    for k in range(len(order)):
        pair = order[k]
        if is_free(p.paths, table, pair):
            flip(p, int(table[ENDS + pair]), int(table[ENDS + int(table[0]) + pair]))
            built[number] = pair
            number += 1
    return number


@kernel
def thin_out(p: Position, table: Table, built: Ints, number: int, random: int, tested: Any) -> None:
    """Removes random paths and their mirror images, as long as 20 triangles are left and the map stays connected.

    Args:
        p: the record with the map.
        table: the table of possible paths on the map (see `rules.geometry`).
        built: the paths, as numbers of pairs of houses in `table`; removed paths are taken out.
        number: number of paths in `built`.
        random: state of the random generator.
        tested: scratch array with a flag for each pair in `table`, zeros at first.
    """
    random, share = next_double(random)
    triangles = int(p.triangles)
    left = int((0.1 + 0.4 * share) * number)
    while left > 0:
        left -= 2
        random, k = next_int(random, number)
        pair = built[k]
        if tested[pair]:
            continue
        a, b = int(table[ENDS + pair]), int(table[ENDS + int(table[0]) + pair])
        mirror = int(table[PAIRS + (a ^ 1) * MAX_HOUSES + (b ^ 1)])
        tested[pair] = tested[mirror] = 1
        twice = 1 if mirror == pair else 2  # a path and its mirror image have no common house or triangle
        lost = triangles_on(p, a, b) * twice
        if triangles - lost < _FEWEST_TRIANGLES:
            continue
        for side in range(twice):
            flip(p, a ^ side, b ^ side)
        if holds_together(p):
            triangles -= lost
            number = drop(built, number, pair, mirror)
        else:
            for side in range(twice):
                flip(p, a ^ side, b ^ side)


@kernel
def drop(built: Ints, number: int, pair: int, mirror: int) -> int:
    """Removes a path and its mirror image from a list of paths. Returns the number of paths left.

    The list is the first `number` elements of `built`. `pair` and `mirror` are the two paths, as numbers of pairs of
    houses.
    """
    kept = 0
    for k in range(number):
        if built[k] != pair and built[k] != mirror:
            built[kept] = built[k]
            kept += 1
    return kept


@kernel
def lay_paths(p: Position, table: Table, order: Ints, built: Ints, random: int, tested: Any) -> bool:
    """Builds the paths of a map and removes some of them at random; returns False if the houses are not suitable.

    They are not suitable if there are fewer than 20 triangles, or if the loss of one house would disconnect the map.

    Args:
        p: the record with the houses; paths and triangles are added.
        table: the table of possible paths on the map (see `rules.geometry`).
        order: numbers of all pairs in `table`, in the order in which to build their paths.
        built: scratch array as long as `order`.
        random: state of the random generator.
        tested: scratch array with a flag for each pair in `table`, zeros at first.
    """
    number = link_all(p, table, order, built)
    find_triangles(p)
    if p.triangles < _FEWEST_TRIANGLES or not holds_together(p):
        return False
    thin_out(p, table, built, number, random, tested)
    return True


def generate(seed: int) -> Any:
    """Returns the map that the original makes from a seed: a record with houses, paths and units."""
    random = int(scramble(seed))
    lengths = np.empty(MAX_HOUSES * MAX_HOUSES, np.int64)
    while True:
        record = np.zeros((), TRYANGLE)[()]
        random = int(place_houses(record, random, lengths))
        table = table_of(record)
        order = np.argsort(_lengths(record, table), kind="stable")
        built = np.empty(len(order), np.int64)
        if lay_paths(record, table, order, built, random, np.zeros(table[0], np.uint8)):
            break
    leftmost = np.argsort(record["x"][: int(record["houses"])], kind="stable")[:3]
    record["units"][0, leftmost] = 1
    record["units"][1, leftmost ^ 1] = 1
    return record


def _lengths(record: Any, table: Table) -> np.ndarray[Any, np.dtype[np.int64]]:
    number = int(table[0])
    a, b = table[ENDS : ENDS + number], table[ENDS + number : ENDS + 2 * number]
    x, y = record["x"].astype(np.int64), record["y"].astype(np.int64)
    squares: np.ndarray[Any, np.dtype[np.int64]] = (x[a] - x[b]) ** 2 + (y[a] - y[b]) ** 2
    return squares


# -- explicit maps ------------------------------------------------------------------------------------------------

Pairs = list[tuple[int, int]]


def read_map(own: Mapping[str, Any]) -> Any:
    """Returns the record of a position with the map and the units that a setup describes.

    The keys of `own` are `nodes` (houses "x,y_x,y…"), `edges` (paths "0,1_1,2…") and `units` ("2,0_0,2…": for each
    house, the numbers of units of player 0 and of player 1).

    Raises:
        SetupError: the map is not valid.
    """
    missing = [key for key in ("nodes", "edges", "units") if key not in own]
    if missing:
        raise SetupError(f"a map needs nodes, edges and units: {' and '.join(missing)} missing")
    for key in ("nodes", "edges", "units"):
        if not isinstance(own[key], str):
            raise SetupError(f"{key} must be text such as 0,1_2,3, not {type(own[key]).__name__}")
    nodes, edges, units = (read_pairs(key, own[key]) for key in ("nodes", "edges", "units"))
    return make_record(nodes, edges, units)


def read_pairs(what: str, text: str, error: type[SetupError] = SetupError) -> Pairs:
    """Parses pairs of numbers, such as "1,2_3,4". An empty text has no pairs.

    Args:
        what: name of the text, for the error message.
        text: the text.
        error: class of the exception that is raised if the text is malformed.
    """
    pairs = []
    for item in text.split("_") if text else []:
        first, _, second = item.partition(",")
        a, b = bounded(first, 0, _MOST_NUMBER), bounded(second, 0, _MOST_NUMBER)
        if a is None or b is None:
            raise error(f"{what}: expected two numbers such as 12,34 and not {quoted(item, 30)}")
        pairs.append((a, b))
    return pairs


def make_record(houses: Pairs, paths: Pairs, units: Pairs, error: type[SetupError] = SetupError) -> Any:
    """Returns the record of a position with these houses, paths and units.

    Args:
        houses: coordinates (x, y) of each house.
        paths: pairs of houses.
        units: for each house, the numbers of units of player 0 and of player 1.
        error: class of the exception that is raised if the map is not valid.
    """
    record = np.zeros((), TRYANGLE)[()]
    _place(record, houses, error)
    _link(record, paths, error)
    if len(units) != len(houses):
        raise error(f"units: expected one pair for each of the {len(houses)} houses, not {len(units)}")
    for house, pair in enumerate(units):
        if max(pair) > MAX_UNITS:
            raise error(f"units: {max(pair)} units on house {house} are more than {MAX_UNITS}")
        record["units"][:, house] = pair
    return record


def _place(record: Any, houses: Pairs, error: type[SetupError]) -> None:
    if not 1 <= len(houses) <= MAX_HOUSES:
        raise error(f"nodes: a map has 1 to {MAX_HOUSES} houses, not {len(houses)}")
    taken: dict[tuple[int, int], int] = {}
    for house, (x, y) in enumerate(houses):
        if x >= WIDTH or y >= HEIGHT:
            raise error(f"nodes: house {house} at {x},{y} is off the map of {WIDTH} x {HEIGHT}")
        if (x, y) in taken:
            raise error(f"nodes: houses {taken[x, y]} and {house} both stand at {x},{y}")
        taken[x, y] = house
        record["x"][house], record["y"][house] = x, y
    record["houses"] = len(houses)


def _link(record: Any, paths: Pairs, error: type[SetupError]) -> None:
    x, y, houses = record["x"], record["y"], int(record["houses"])
    built: Pairs = []
    for a, b in paths:
        if max(a, b) >= houses:
            raise error(f"edges: path {a},{b} leads to house {max(a, b)}, but the last house is {houses - 1}")
        if int(record["paths"][a]) >> b & 1:
            raise error(f"edges: path {a},{b} is there twice")
        if squared_length(x, y, a, b) > _FAR:
            raise error(f"edges: path {a},{b} is longer than {MAX_LENGTH}")
        for c, d in built:
            if a != b and touch(x, y, a, b, c, d):
                raise error(f"edges: path {a},{b} crosses or touches path {c},{d}")
        between = house_between(x, y, houses, a, b)
        if between >= 0:
            raise error(f"edges: path {a},{b} leads over house {between}")
        if a != b:
            built.append((a, b))
        record["paths"][a] |= np.uint64(1 << b)
        record["paths"][b] |= np.uint64(1 << a)
