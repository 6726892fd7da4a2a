"""What bot writers call: placements, score and zones of a grid, malformed ones too."""

from __future__ import annotations

from collections import UserList
from typing import Any, cast

import numpy as np
import pytest

from lapilli.core.errors import SetupError
from lapilli.games.kingdomino import placements, score, zones

GRID = ["_0" * 9] * 4 + ["_0_0_0_0*0_0_0_0_0"] + ["_0" * 9] * 4


@pytest.mark.parametrize(
    ("grid", "reason"),
    [
        ([], "9 or 13 rows"),
        (GRID[1:], "9 or 13 rows"),
        ("_0" * 81, "sequence of rows"),
        ([1] * 9, "sequence of rows"),
        ([*GRID[:-1], "_0" * 8], "row 8"),
        ([*GRID[:-1], "_0" * 8 + "x0"], "'x0' is no square"),
        ([*GRID[:-1], "_0" * 8 + "c4"], "'c4' is no square"),
        ([*GRID[:-1], "_0" * 8 + "*0"], "castle"),
        (["_0" * 9] * 9, "castle"),
        ([GRID[0], *GRID[1:4], "c0" + GRID[4][2:-2] + "c0", *GRID[5:]], "9 by 1"),
    ],
)
def test_malformed_grids(grid: Any, reason: str) -> None:
    for call in (score, zones, lambda rows: placements(rows, ("c0", "c0"))):
        with pytest.raises(SetupError, match=reason):
            call(grid)


@pytest.mark.parametrize(
    "tile", [(), ("c0",), ("c0", "w2", "f0"), "c0", ("c0", "_0"), ("c0", "c4"), ("c0", 3), ("*0", "c0")]
)
def test_malformed_tiles(tile: Any) -> None:
    with pytest.raises(SetupError, match="tile"):
        placements(GRID, tile)


@pytest.mark.parametrize("grid", [None, 5, {}, iter(GRID), (row for row in GRID), b"_0" * 9, [None] * 9])
def test_what_is_no_grid_at_all(grid: Any) -> None:
    for call in (score, zones, lambda rows: placements(rows, ("c0", "c0"))):
        with pytest.raises(SetupError, match="sequence of rows"):
            call(grid)


@pytest.mark.parametrize("tile", [None, 7, [["c0"], ["c0"]], ("c0", None), (None, None), ("", "c0"), ("é0", "c0")])
def test_what_is_no_tile_at_all(tile: Any) -> None:
    with pytest.raises(SetupError, match="tile"):
        placements(GRID, tile)


def test_rows_may_be_any_sequence_of_texts() -> None:
    large = ["_0" * 13] * 6 + ["_0" * 6 + "*0" + "c1" * 4 + "_0" * 2] + ["_0" * 13] * 6
    for rows in (GRID, large):
        for kind in (tuple, UserList, list):
            grid: Any = kind(rows)
            assert (score(grid), zones(grid)) == (score(rows), zones(rows))
            assert placements(grid, ["c0", "w2"]) == placements(rows, ("c0", "w2"))
    assert (score(large), zones(large)) == (16, [("c", 4, 4)])


@pytest.mark.parametrize("sign", ["é", "€", "\ud800", "\U0001f600", "\x00"])
def test_odd_signs_in_a_grid(sign: str) -> None:
    with pytest.raises(SetupError, match=r"row 8, column 8 of the grid: .* is no square"):
        score([*GRID[:-1], "_0" * 8 + sign + "0"])


def test_extents_are_two_integers() -> None:
    assert placements(GRID, ("c0", "c0"), cast(int, np.int64(5))) == placements(GRID, ("c0", "c0"))
    for extent in (5.0, 7.0, "5", None, True, np.float64(5), [5]):
        with pytest.raises(SetupError, match="extent must be 5 or 7"):
            placements(GRID, ("c0", "c0"), cast(int, extent))


def test_malformed_extents() -> None:
    for extent, reason in ((6, "5 or 7"), (0, "5 or 7"), (7, "grid of 13 rows")):
        with pytest.raises(SetupError, match=reason):
            placements(GRID, ("c0", "c0"), extent)


def test_a_bare_castle() -> None:
    assert len(placements(GRID, ("c0", "w2"))) == 24
    assert score(GRID) == 0
    assert zones(GRID) == []


def test_an_extent_of_five_on_the_large_grid() -> None:
    large = ["_0" * 13] * 6 + ["_0" * 6 + "*0" + "c1" * 4 + "_0" * 2] + ["_0" * 13] * 6
    small = ["_0" * 9] * 4 + ["_0" * 4 + "*0" + "c1" * 4] + ["_0" * 9] * 4
    shifted = [(x + 2, y + 2, rotation) for x, y, rotation in placements(small, ("c0", "f0"))]
    assert placements(large, ("c0", "f0"), 5) == shifted
    assert len(placements(large, ("c0", "f0"), 7)) > len(shifted)
