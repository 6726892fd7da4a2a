"""The counts in perft.csv, by the twin; tests/conformance counts them with the kernel."""

from __future__ import annotations

import csv
import json
from copy import deepcopy
from pathlib import Path

import pytest

from games.kingdomino import walks
from lapilli.games.kingdomino import naive
from lapilli.games.perft import perft

with (Path(__file__).parent / "perft.csv").open(newline="", encoding="utf-8") as _file:
    ROWS = list(csv.DictReader(_file))


def leaves(twin: naive.Match, depth: int) -> int:
    moves = twin.moves()
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        child = deepcopy(twin)
        child.make(move)
        total += leaves(child, depth - 1)
    return total


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_counts(row: dict[str, str]) -> None:
    state = walks.start(**json.loads(row["setup"]))
    depth, count = int(row["depth"]), int(row["count"])
    assert perft(state, depth) == count
    if count <= 6000:
        assert leaves(walks.twin_of(state), depth) == count
