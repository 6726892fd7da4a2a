"""Paths, triangles and what touches what, on houses so near to each other that every corner case is there."""

from __future__ import annotations

import re
from itertools import combinations, permutations
from random import Random
from typing import Any

import numpy as np
import pytest

from lapilli.games.tryangle import GAME, naive
from lapilli.games.tryangle.board import MAX_HOUSES
from lapilli.games.tryangle.rules import geometry
from lapilli.games.tryangle.rules.geometry import PAIRS
from lapilli.games.tryangle.state import maps
from lapilli.games.tryangle.state.notation import captors_of, owners_of, paths_of, triangles_of


def places(seed: int, number: int, span: int) -> tuple[Any, Any, list[naive.House]]:
    """Different places on a small grid: many in line, and triangles of the smallest area."""
    spots = Random(seed).sample([(x, y) for x in range(span) for y in range(span)], number)
    x, y = np.zeros(MAX_HOUSES, np.int16), np.zeros(MAX_HOUSES, np.int16)
    x[:number], y[:number] = zip(*spots, strict=True)
    return x, y, [naive.House(i, *spot) for i, spot in enumerate(spots)]


@pytest.mark.parametrize("seed", range(6))
def test_paths_touch_where_the_twin_says(seed: int) -> None:
    x, y, houses = places(seed, 7, 4)
    for (a, b), (c, d) in combinations(permutations(range(7), 2), 2):
        wanted = naive.touch(houses[a], houses[b], houses[c], houses[d])
        assert geometry.touch(x, y, a, b, c, d) == wanted, (houses[a], houses[b], houses[c], houses[d])


@pytest.mark.parametrize("seed", range(6))
def test_a_house_on_the_way_is_found(seed: int) -> None:
    x, y, houses = places(seed, 9, 5)
    for a, b in permutations(range(9), 2):
        on_the_way = [house.id for house in houses if naive.in_the_way(houses[a], houses[b], house)]
        assert geometry.house_between(x, y, 9, a, b) == min(on_the_way, default=-1)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_inside_a_triangle_is_what_the_twin_says(seed: int) -> None:
    """Houses on a side and triangles of no area among them."""
    x, y, houses = places(seed, 9, 4)
    board = naive.NaiveMap(
        nodes="_".join(f"{house.x},{house.y}" for house in houses), edges="", units="_".join(["1,1"] * 9), league=3
    )
    for a, b, c in combinations(range(9), 3):
        inside = [house for house in range(9) if house not in (a, b, c) and board.inside(house, a, b, c)]
        assert [h for h in range(9) if h not in (a, b, c) and geometry.holds(x, y, a, b, c, h)] == inside
        assert geometry.is_empty(x, y, 9, a, b, c) == (not inside)


@pytest.mark.parametrize(("seed", "number", "span", "scale"), [(1, 12, 5, 90), (2, 30, 6, 150), (3, 50, 8, 200)])
def test_a_table_lists_all_paths_and_their_rivals(seed: int, number: int, span: int, scale: int) -> None:
    x, y, houses = places(seed, number, span)
    x, y = x * scale, y * scale
    for house in houses:
        house.x, house.y = house.x * scale, house.y * scale
    table = geometry.table_of({"houses": number, "x": x, "y": y}).tolist()
    paths = [
        (a, b)
        for a, b in combinations(range(number), 2)
        if (houses[a].x - houses[b].x) ** 2 + (houses[a].y - houses[b].y) ** 2 <= 400**2
        and not any(naive.in_the_way(houses[a], houses[b], house) for house in houses)
    ]
    assert table[0] == len(paths)
    square = np.full((MAX_HOUSES, MAX_HOUSES), -1)
    for pair, (a, b) in enumerate(paths):
        square[a, b] = square[b, a] = pair
    assert table[PAIRS : PAIRS + MAX_HOUSES * MAX_HOUSES] == square.ravel().tolist()
    ends = PAIRS + MAX_HOUSES * MAX_HOUSES
    starts = ends + 2 * len(paths)
    assert list(zip(table[ends : ends + len(paths)], table[ends + len(paths) : starts], strict=True)) == paths
    for pair, (a, b) in enumerate(paths):
        rivals = [
            other for other, (c, d) in enumerate(paths) if naive.touch(houses[a], houses[b], houses[c], houses[d])
        ]
        assert table[table[starts + pair] : table[starts + pair + 1]] == rivals
    assert len(table) == table[starts + len(paths)]


@pytest.mark.parametrize("seed", [1, 2])
def test_the_triangles_on_a_path_are_those_of_the_list(seed: int) -> None:
    record = GAME.new_initial_state(seed=seed).record
    triangles = triangles_of(record)
    for a, b in paths_of(record):
        number = sum(a in corners and b in corners for corners in triangles)
        assert maps.triangles_on(record, a, b) == maps.triangles_on(record, b, a) == number


# House 3 is on the far side of the path 1-2 from house 0, and house 4 behind it.
KITE: dict[str, Any] = {
    "nodes": "100,300_300,100_300,500_500,300_700,300",
    "edges": "0,1_0,2_1,2_1,3_2,3_3,4",
}


def with_everybody(position: str) -> str:
    """The position with nobody put out."""
    return re.sub(r" out=\d,\d", " out=0,0", position)


@pytest.mark.parametrize("owner", [-1, 0, 1])
def test_a_triangle_that_is_gone_leaves_no_trace(owner: int) -> None:
    """Equality is over the bytes: the same position, set up without the triangle, must be equal."""
    units = {-1: "2,0_2,0_2,0_0,0_0,2", 0: "2,0_2,0_2,0_2,0_0,2", 1: "2,0_2,0_2,0_0,2_0,2"}[owner]
    text = GAME.new_initial_state(**KITE, units=units).position()
    head, _, _ = with_everybody(text).rpartition(" triangles=")
    may = {-1: 3, 0: 2, 1: 1}[owner]
    state = GAME.from_position(f"{head} triangles=0.1.2:0:0:2_1.2.3:{owner}:{owner}:{may}")
    before = state.record.copy()
    assert (owners_of(before)[1], owners_of(before, "held")[1], captors_of(before)[1]) == (owner, owner, may)
    report = GAME.protocol.play_turn(state, {0: "REMOVE_PATH 1 0 2 3", 1: "WAIT"})
    assert report.notes == []
    assert state.record["triangles"] == 1
    assert not state.is_terminal()
    assert not state.record["corners"][1:].any()
    for name in ("own", "held", "may", "around", "live"):
        assert not (state.record[name] & ~np.uint64(1)).any(), name
    assert state == GAME.from_position(state.position())


def test_a_new_triangle_takes_its_place_before_the_only_other_one() -> None:
    edges = KITE["edges"].replace("_0,2", "")
    state = GAME.new_initial_state(nodes=KITE["nodes"], edges=edges, units="0,0_2,0_2,0_2,0_0,2")
    assert triangles_of(state.record) == [(1, 2, 3)]
    state = GAME.from_position(with_everybody(state.position()))
    report = GAME.protocol.play_turn(state, {0: "ADD_PATH 2 1 3 0", 1: "WAIT"})
    assert report.notes == []
    assert triangles_of(state.record) == [(0, 1, 2), (1, 2, 3)]
    assert state == GAME.from_position(state.position())


def test_the_triangles_after_one_that_is_gone_move_up_with_their_marks() -> None:
    """A fan around house 0, whose second triangle goes."""
    nodes = "500,500_200,500_300,300_500,200_700,300_800,500"
    fan = "0,1_0,2_0,3_0,4_0,5_1,2_2,3_3,4_4,5"
    state = GAME.new_initial_state(nodes=nodes, edges=fan, units="9,0_9,0_9,0_1,1_9,0_0,9")
    head, _, _ = with_everybody(state.position()).rpartition(" triangles=")
    marks = ["0.1.2:0:0:2", "0.2.3:1:0:1", "0.3.4:0:1:2", "0.4.5:-1:0:2"]
    state = GAME.from_position(f"{head} triangles={'_'.join(marks)}")
    report = GAME.protocol.play_turn(state, {0: "REMOVE_PATH 2 0 1 3", 1: "WAIT"})
    assert report.notes == []
    # When a turn is over, whose a triangle is now is whose it was when the turn began.
    assert state.position().split(" triangles=")[1] == "0.1.2:-1:-1:2_0.3.4:0:0:2_0.4.5:-1:-1:2"
    assert state == GAME.from_position(state.position())
