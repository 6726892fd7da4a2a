"""Grids: territories in the format of the bot input, with functions for bot writers: `placements`, `score`, `zones`.

A grid is a sequence of lines with two characters per square and the castle `*0` in the centre: 9 lines of 18
characters, or 13 lines of 26.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from lapilli.core.errors import SetupError
from lapilli.core.reading.text import quoted
from lapilli.games.kingdomino.board import DISCARD, EXTENTS, MAX_CROWNS, MAX_LEGAL, TERRAINS, put_parts
from lapilli.games.kingdomino.rules.position import KINGDOMINO
from lapilli.games.kingdomino.rules.torus import first_zone
from lapilli.games.kingdomino.state import reading

_SQUARE = re.compile(f"[{TERRAINS}_*][0-{MAX_CROWNS}]")
_SIDES = tuple(2 * extent - 1 for extent in EXTENTS)
_WIDTHS = {side: {2 * side} for side in _SIDES}
"""By number of lines of a grid: a set with the one allowed length of a line, in characters."""
_TERRAIN_OF = {f"{letter}{crowns}": n for n, letter in enumerate(TERRAINS) for crowns in range(MAX_CROWNS + 1)}
_PUTS = [put_parts(action) for action in range(DISCARD)]
"""(x, y, rotation) of each PUT action. The tuples are made once, because `placements` returns many of them."""
Squares = dict[tuple[int, int], tuple[int, int]]
"""A territory without its castle: (column, row) of the grid -> (number of the terrain, crowns)."""


def placements(grid: Sequence[str], tile: Sequence[str], extent: int = EXTENTS[0]) -> list[tuple[int, int, int]]:
    """Returns all legal placements (x, y, rotation) of a tile, sorted; an empty list if the tile fits nowhere.

    Args:
        grid: the lines of the territory's grid, as in the bot input.
        tile: both squares of the tile, as in ("c0", "w2").
        extent: greatest width and height of the territory, in squares: 5, or 7 in the duel.

    Raises:
        SetupError: grid, tile or extent are malformed or do not fit each other.
    """
    if not isinstance(extent, (int, np.integer)) or extent not in EXTENTS:
        raise SetupError(f"extent must be {' or '.join(map(str, EXTENTS))}, not {quoted(extent)}")
    side, text = _joined(grid)
    if side < 2 * extent - 1:
        raise SetupError(f"an extent of {extent} needs a grid of {2 * extent - 1} rows, not of {side}")
    first, second = _terrains(tile)
    actions = np.empty(MAX_LEGAL, np.int64)
    count = reading.placements_in(_record(extent), text, side, first, second, actions)
    if count < 0:
        _refuse(text, side, extent)
    chosen = actions[:count].tolist()
    shift = (side + 1) // 2 - extent
    if shift:
        return [(x + shift, y + shift, rotation) for x, y, rotation in map(put_parts, chosen)]
    return [_PUTS[action] for action in chosen]


def score(grid: Sequence[str]) -> int:
    """Returns the score of a grid: the sum of size times crowns over all zones.

    Raises:
        SetupError: the grid is malformed.
    """
    side, text = _joined(grid)
    record = _record(max(EXTENTS))
    if reading.read(record, text, side, 0) != reading.GOOD:
        _refuse(text, side, max(EXTENTS))
    return int(record["score"][0])


def zones(grid: Sequence[str]) -> list[tuple[str, int, int]]:
    """Returns (terrain letter, number of squares, crowns) of every zone of a grid, sorted.

    Zones without crowns are included.

    Raises:
        SetupError: the grid is malformed.
    """
    side, text = _joined(grid)
    table = np.empty((max(EXTENTS) ** 2, 3), np.int64)
    count = reading.zones_in(_record(max(EXTENTS)), text, side, table)
    if count < 0:
        _refuse(text, side, max(EXTENTS))
    return sorted((TERRAINS[terrain], size, crowns) for terrain, size, crowns in table[:count].tolist())


def zone_masks(record: Any, player: int) -> list[tuple[int, Any]]:
    """Returns all zones of a player's territory, terrain by terrain, each as the number of the terrain and a bit mask.

    A zone is a group of connected squares of one terrain. The mask has one bit per square. `record` is the position.
    """
    masks = []
    for terrain in range(len(TERRAINS)):
        left = record["land"][player][terrain]
        while left:
            zone = np.uint64(first_zone(left))
            left &= ~zone
            masks.append((terrain, zone))
    return masks


# ------------------------------------------------------------------------------------ record <-> squares


def squares_of(record: Any, player: int) -> Squares:
    """Returns the squares of a player's territory, castle excluded: (column, row) -> (terrain, crowns).

    Columns and rows are those of the grid in the bot input. `record` is the position.
    """
    *terrains, ones, twos = record["land"][player].tolist()
    return {
        (x, y): (terrain, (ones >> place & 1) + 2 * (twos >> place & 1))
        for terrain, mask in enumerate(terrains)
        for x, y, place in _bits(record, player, mask)
    }


def places(record: Any, player: int, mask: Any) -> list[tuple[int, int]]:
    """Converts squares of a player's territory from a bit mask to a list of (column, row) on the grid in the bot input.

    `record` is the position.
    """
    return [(x, y) for x, y, _ in _bits(record, player, int(mask))]


def _bits(record: Any, player: int, mask: int) -> Iterator[tuple[int, int, int]]:
    """Yields (column, row, bit number) of each square in a bit mask of the player's territory.

    Columns and rows are those of the grid in the bot input. `record` is the position.
    """
    left, _, top, _ = record["box"][player].tolist()
    centre = int(record["extent"]) - 1
    while mask:
        place = mask.bit_length() - 1
        mask ^= 1 << place
        yield left + (place // 8 - left) % 8 + centre, top + (place % 8 - top) % 8 + centre, place


def fill(record: Any, player: int, squares: Squares) -> None:
    """Writes a territory with its bounding box and its score into a record.

    Args:
        record: the record. Its extent must be set, and the player's territory must be empty.
        player: owner of the territory.
        squares: the territory, in the coordinates of the grid in the bot input.

    Raises:
        SetupError: the territory exceeds the extent.
    """
    side = 2 * int(record["extent"]) - 1
    marks = [["_0"] * side for _ in range(side)]
    marks[side // 2][side // 2] = "*0"
    for (x, y), (terrain, crowns) in squares.items():
        marks[y][x] = f"{TERRAINS[terrain]}{crowns}"
    text = np.frombuffer("".join(map("".join, marks)).encode("ascii"), np.uint8)
    if reading.read(record, text, side, player) != reading.GOOD:
        raise SetupError(_too_large(record, player))


# ------------------------------------------------------------------------------------------ grids of bot writers


def _record(extent: int) -> Any:
    """Returns an empty position record, into which a kernel can read one territory from text.

    `extent` is the greatest width and height of the territory.
    """
    record = np.frombuffer(bytearray(KINGDOMINO.itemsize), KINGDOMINO)[0]
    record["extent"] = extent
    return record


def _joined(grid: Sequence[str]) -> tuple[int, Any]:
    """Returns the number of lines of a grid, and the grid's text as bytes for the kernels.

    Raises:
        SetupError: the number of lines or the length of a line is wrong.
    """
    if not isinstance(grid, Sequence) or isinstance(grid, str):
        raise SetupError("a grid is a sequence of rows, each a string")
    side = len(grid)
    try:
        text = "".join(grid).encode("latin-1", "replace")
    except TypeError:
        raise SetupError("a grid is a sequence of rows, each a string") from None
    if side not in _SIDES:
        raise SetupError(f"a grid has {' or '.join(map(str, _SIDES))} rows, not {side}")
    if set(map(len, grid)) != _WIDTHS[side]:
        y, row = next((y, row) for y, row in enumerate(grid) if len(row) != 2 * side)
        raise SetupError(f"row {y} of the grid has {len(row)} characters; with {side} rows it must have {2 * side}")
    return side, np.frombuffer(text, np.uint8)


def _refuse(text: Any, side: int, extent: int) -> NoReturn:
    """Raises SetupError with the reason why a kernel of the module `reading` could not parse a grid.

    `text` is the grid as bytes, `side` its number of lines, and `extent` the greatest width and height of a territory.
    """
    record = _record(extent)
    flaw = reading.read(record, text, side, 0)
    if flaw == reading.TOO_LARGE:
        raise SetupError(_too_large(record, 0))
    y, x = divmod(flaw - 1, side)
    square = text[2 * flaw - 2 : 2 * flaw].tobytes().decode("latin-1")
    if _SQUARE.fullmatch(square):
        raise SetupError(f"row {y}, column {x} of the grid: the castle *0 is in the centre and nowhere else")
    raise SetupError(f"row {y}, column {x} of the grid: {square!r} is no square; expected e.g. c0, f1, _0 or *0")


def _too_large(record: Any, player: int) -> str:
    left, right, top, bottom = record["box"][player].tolist()
    return (
        f"the territory measures {right - left + 1} by {bottom - top + 1} squares with its castle; "
        f"{record['extent']} are the most"
    )


def _terrains(tile: Sequence[str]) -> tuple[int, int]:
    """Returns the numbers of the terrains of a tile's two squares.

    Raises:
        SetupError: `tile` is not a pair of valid squares.
    """
    try:
        first, second = tile
    except (TypeError, ValueError):
        first = second = ""
    if isinstance(tile, str) or not first or not second:
        raise SetupError(f"a tile is two squares such as ('c0', 'w2'), not {quoted(tile)}")
    for square in (first, second):
        if not isinstance(square, str) or square not in _TERRAIN_OF:
            wanted = f"a terrain of {TERRAINS} and 0 to {MAX_CROWNS} crowns"
            raise SetupError(f"a tile's square is {wanted}, not {quoted(square)}")
    return _TERRAIN_OF[first], _TERRAIN_OF[second]
