"""Territories as the bot text writes them, and what bot writers ask of one: `placements`, `score`, `zones`.

A grid is a sequence of rows, 9 of 18 characters or 13 of 26: two characters a square, castle `*0` in the centre.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lapilli.games.errors import SetupError
from lapilli.games.kernel import popcount
from lapilli.games.kingdomino import rules, territory
from lapilli.games.kingdomino.board import EXTENTS, MAX_CROWNS, MAX_SIDE, ONES, TERRAINS, TWOS, put_parts

_SQUARE = re.compile(f"[{TERRAINS}_*][0-{MAX_CROWNS}]")
_SIDES = tuple(2 * extent - 1 for extent in EXTENTS)
Squares = dict[tuple[int, int], tuple[int, int]]
"""(column, row) of the grid -> (terrain, crowns)."""


def placements(grid: Sequence[str], tile: Sequence[str], extent: int = EXTENTS[0]) -> list[tuple[int, int, int]]:
    """All legal (x, y, rotation) of a tile on a territory, sorted; empty where it must be discarded.

    Args:
        grid: the statement's rows.
        tile: both squares, as ("c0", "w2").
        extent: the most squares that the territory may measure in width and in height: 5, or 7 in the duel.

    Raises SetupError where grid, tile or extent are malformed or do not fit each other.
    """
    if extent not in EXTENTS:
        raise SetupError(f"extent must be {' or '.join(map(str, EXTENTS))}, not {extent!r}")
    side, squares = _parse(grid)
    if side < 2 * extent - 1:
        raise SetupError(f"an extent of {extent} needs a grid of {2 * extent - 1} rows, not of {side}")
    record = _record(side, squares, extent)
    first, second = _parse_tile(tile)
    actions = np.empty(4 * MAX_SIDE * MAX_SIDE, np.int64)
    count = territory.placements(record, 0, first, second, actions)
    shift = (side + 1) // 2 - extent
    return sorted((x + shift, y + shift, rotation) for x, y, rotation in map(put_parts, actions[:count].tolist()))


def score(grid: Sequence[str]) -> int:
    """The sum of size times crowns over all zones. Raises SetupError where the grid is malformed."""
    return sum(size * crowns for _, size, crowns in zones(grid))


def zones(grid: Sequence[str]) -> list[tuple[str, int, int]]:
    """(terrain letter, squares, crowns) of every zone, sorted, the crownless too. Raises SetupError as `score` does."""
    side, squares = _parse(grid)
    record = _record(side, squares, max(EXTENTS))
    return sorted((TERRAINS[terrain], *_size(zone, record["land"][0])) for terrain, zone in zone_masks(record, 0))


def _size(zone: Any, land: Any) -> tuple[int, int]:
    return popcount(zone), territory.crowns(zone, land)


def zone_masks(record: Any, player: int) -> list[tuple[int, Any]]:
    """(terrain, mask) of every zone of a player's territory, by terrain."""
    found = []
    for terrain in range(len(TERRAINS)):
        left = record["land"][player][terrain]
        while left:
            zone = np.uint64(territory.first_zone(left))
            left &= ~zone
            found.append((terrain, zone))
    return found


# ------------------------------------------------------------------------------------ record <-> squares


def squares_of(record: Any, player: int) -> Squares:
    """The squares of a player's territory, castle excluded, in the coordinates of the variant's grid."""
    *terrains, ones, twos = record["land"][player].tolist()
    return {
        (x, y): (terrain, (ones >> place & 1) + 2 * (twos >> place & 1))
        for terrain, mask in enumerate(terrains)
        for x, y, place in _bits(record, player, mask)
    }


def places(record: Any, player: int, mask: Any) -> list[tuple[int, int]]:
    """The squares of a mask in the coordinates of the variant's grid: (column, row)."""
    return [(x, y) for x, y, _ in _bits(record, player, int(mask))]


def _bits(record: Any, player: int, mask: int) -> Iterator[tuple[int, int, int]]:
    """(column, row, bit) of each square of a mask."""
    left, _, top, _ = record["box"][player].tolist()
    centre = int(record["extent"]) - 1
    while mask:
        place = (mask & -mask).bit_length() - 1
        mask &= mask - 1
        yield left + (place % 8 - left) % 8 + centre, top + (place // 8 - top) % 8 + centre, place


def bit_of(record: Any, x: int, y: int) -> Any:
    """The mask of one square of the variant's grid."""
    centre = int(record["extent"]) - 1
    return np.uint64(1) << np.uint64((y - centre) % 8 * 8 + (x - centre) % 8)


def fill(record: Any, player: int, squares: Squares) -> None:
    """Writes a territory, its bounding box and its score into a record whose extent is set.

    Raises SetupError where it is larger than the extent.
    """
    centre = int(record["extent"]) - 1
    columns = [x - centre for x, _ in squares] + [0]
    rows = [y - centre for _, y in squares] + [0]
    width, height = max(columns) - min(columns) + 1, max(rows) - min(rows) + 1
    if max(width, height) > record["extent"]:
        raise SetupError(
            f"the territory measures {width} by {height} squares with its castle; {record['extent']} are the most"
        )
    record["box"][player] = min(columns), max(columns), min(rows), max(rows)
    land = record["land"][player]
    for (x, y), (terrain, crowns) in squares.items():
        square = bit_of(record, x, y)
        land[terrain] |= square
        if crowns & 1:
            land[ONES] |= square
        if crowns & 2:
            land[TWOS] |= square
    record["score"][player] = sum(territory.worth(land[terrain], land) for terrain in range(len(TERRAINS)))


# ------------------------------------------------------------------------------------------ parsing


def _parse(grid: Sequence[str]) -> tuple[int, Squares]:
    """The grid's side and its squares."""
    if isinstance(grid, str) or not all(isinstance(row, str) for row in grid):
        raise SetupError("a grid is a sequence of rows, each a string")
    side = len(grid)
    if side not in _SIDES:
        raise SetupError(f"a grid has {' or '.join(map(str, _SIDES))} rows, not {side}")
    squares: Squares = {}
    for y, row in enumerate(grid):
        if len(row) != 2 * side:
            raise SetupError(f"row {y} of the grid has {len(row)} characters; with {side} rows it must have {2 * side}")
        for x in range(side):
            text = row[2 * x : 2 * x + 2]
            if not _SQUARE.fullmatch(text):
                raise SetupError(
                    f"row {y}, column {x} of the grid: {text!r} is no square; expected e.g. c0, f1, _0 or *0"
                )
            if (text[0] == "*") != (x == y == side // 2):
                raise SetupError(f"row {y}, column {x} of the grid: the castle *0 is in the centre and nowhere else")
            if text[0] in TERRAINS:
                squares[x, y] = TERRAINS.index(text[0]), int(text[1])
    return side, squares


def _record(side: int, squares: Squares, extent: int) -> Any:
    """A record with this territory for player 0. The grid may be larger than the extent's own."""
    record = np.zeros((), rules.KINGDOMINO)[()]
    record["extent"] = extent
    shift = (side + 1) // 2 - extent
    fill(record, 0, {(x - shift, y - shift): square for (x, y), square in squares.items()})
    return record


def _parse_tile(tile: Sequence[str]) -> tuple[int, int]:
    """The terrains of a tile's squares."""
    if isinstance(tile, str) or len(tile) != 2:
        raise SetupError(f"a tile is two squares such as ('c0', 'w2'), not {tile!r}")
    for text in tile:
        if not isinstance(text, str) or not _SQUARE.fullmatch(text) or text[0] not in TERRAINS:
            raise SetupError(f"a tile's square is a terrain of {TERRAINS} and 0 to {MAX_CROWNS} crowns, not {text!r}")
    return TERRAINS.index(tile[0][0]), TERRAINS.index(tile[1][0])
