"""The counts in perft.csv, by the twin; the conformance suite counts with the kernel."""

from __future__ import annotations

import csv
import json
from copy import deepcopy
from pathlib import Path

import pytest

from games.kingdomino import walks
from lapilli.games.kingdomino import naive

with (Path(__file__).parent / "perft.csv").open(newline="", encoding="utf-8") as _file:
    ROWS = [row for row in csv.DictReader(_file) if int(row["count"]) < 7000]


def leaves(twin: naive.NaiveMatch, depth: int) -> int:
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
def test_the_twin_counts_the_same(row: dict[str, str]) -> None:
    state = walks.start(**json.loads(row["setup"]))
    assert leaves(walks.twin_of(state), int(row["depth"])) == int(row["count"])


def test_there_are_enough_counts() -> None:
    assert len(ROWS) >= 20
