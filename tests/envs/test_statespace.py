"""The sizes of state spaces in the sheets docs/environments, which `benchmarks/statespace.py` computes."""

from __future__ import annotations

import runpy
from itertools import combinations, combinations_with_replacement, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "benchmarks" / "statespace.py"))


def test_sheets_tell_what_is_computed(script: dict[str, Any]) -> None:
    for name in script["SIZES"]:
        sheet = (ROOT / "docs" / "environments" / f"{name}.md").read_text(encoding="utf-8")
        assert sheet.count(script["section"](name)) == 1


def test_dominoes_beside_a_castle_are_counted_one_by_one(script: dict[str, Any]) -> None:
    edges = [(a, b) for a, b in combinations(range(9), 2) if (b - a == 1 and b % 3) or b - a == 3]
    counts = [
        sum(
            len({castle, *(square for edge in chosen for square in edge)}) == 2 * number + 1
            for castle in range(9)
            for chosen in combinations(edges, number)
        )
        for number in range(5)
    ]
    assert script["layouts"](3) == counts == [9, 84, 220, 168, 18]


@pytest.mark.parametrize(("cells", "copies"), [(2, [2, 1]), (3, [2, 2])])
def test_stacks_and_captures_are_counted_one_by_one(script: dict[str, Any], cells: int, copies: list[int]) -> None:
    pieces = [kind for kind, number in enumerate(copies) for _ in range(number)]
    found = set()
    for order in permutations(pieces):
        for cuts in combinations_with_replacement(range(len(pieces) + 1), cells + 1):
            heaps = [order[start:end] for start, end in zip((0, *cuts), (*cuts, len(pieces)), strict=True)]
            found.add((*heaps[:cells], *(tuple(sorted(captured)) for captured in heaps[cells:])))
    assert script["arrangements"](cells, copies) == len(found)


def test_sums_over_sets_without_rivals_are_estimated_well(script: dict[str, Any]) -> None:
    random = np.random.default_rng(1)
    above = np.triu(random.random((12, 12)) < 0.2, 1)
    rivals, triples = above | above.T, [(0, 1, 2), (1, 5, 7), (11, 3, 8), (2, 9, 10)]
    exact = 0
    for chosen in (list(some) for number in range(13) for some in combinations(range(12), number)):
        if not rivals[np.ix_(chosen, chosen)].any():
            exact += 6 ** sum(set(triple) <= set(chosen) for triple in triples)
    assert np.exp(script["log_sum"](rivals, triples, 6, 100_000, random)) == pytest.approx(exact, rel=0.05)
