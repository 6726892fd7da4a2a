"""What bot writers call: placements, score and zones of a grid, malformed ones too."""

from __future__ import annotations

from typing import Any

import pytest

from lapilli.games.errors import SetupError
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
