"""The kernel against recorded positions and against its naive twin."""

from __future__ import annotations

import csv
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import goldens
from games.kingdomino import walks
from lapilli.games.kingdomino import GAME, board, naive, placements, score, zones
from lapilli.games.kingdomino.rules import territory
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.state import reading
from lapilli.games.kingdomino.state.state import KingdominoState
from lapilli.kernels.kernel import new_random
from plain import printed_either_way

KEYS = st.fixed_dictionaries(
    {},
    optional={
        "seed": st.integers(-(2**63), 2**63 - 1),
        "league": st.sampled_from(["wood", "bronze"]),
        "middle_kingdom": st.booleans(),
        "harmony": st.booleans(),
    },
)


def test_tiles_are_those_of_the_public_lists() -> None:
    with (goldens.folder("kingdomino") / "kingdomino_tiles.csv").open(newline="") as file:
        rows = [tuple(row.values()) for row in csv.DictReader(file)]
    ours = [(str(n), *first, *second) for n, (first, second) in enumerate(board.SQUARES) if n]
    assert ours == rows
    assert [tuple(row) for row in board.TILE[1:].tolist()] == [
        (board.TERRAINS.index(a), int(b), board.TERRAINS.index(c), int(d)) for _, a, b, c, d in rows
    ]


def test_every_recorded_position() -> None:
    number = 0
    for line in goldens.lines("kingdomino", "kingdomino_positions.jsonl.gz"):
        side = 2 * line["extent"] - 1
        grid = ["".join(line["grid"][side * y : side * (y + 1)]) for y in range(side)]
        assert placements(grid, line["tile"][1:], line["extent"]) == [tuple(place) for place in line["placements"]]
        assert score(grid) == line["score"]
        assert zones(grid) == [tuple(zone) for zone in line["zones"]]
        number += 1
    assert number >= 600


def test_whether_a_tile_fits_anywhere_is_known_for_every_recorded_position() -> None:
    fitting = []
    for line in goldens.lines("kingdomino", "kingdomino_positions.jsonl.gz"):
        p = np.zeros(1, rules.KINGDOMINO)[0]
        p["extent"] = line["extent"]
        p["play_tile"][0] = board.SQUARES.index(tuple(line["tile"][1:]))
        text = np.frombuffer("".join(line["grid"]).encode(), np.uint8)
        assert reading.read(p, text, 2 * line["extent"] - 1, 0) == reading.GOOD
        fitting.append(bool(rules.has_placement(p, 0)))
        assert fitting[-1] == bool(line["placements"]), line
    assert not all(fitting)


@st.composite
def scattered(draw: st.DrawFn) -> tuple[int, list[str]]:
    """(extent, grid): any squares within any window round the castle, hanging together or not."""
    extent = draw(st.sampled_from([5, 7]))
    side = 2 * extent - 1
    width, height = draw(st.integers(1, extent)), draw(st.integers(1, extent))
    left, top = draw(st.integers(extent - width, extent - 1)), draw(st.integers(extent - height, extent - 1))
    rows = [["_0"] * side for _ in range(side)]
    for y in range(top, top + height):
        for x in range(left, left + width):
            rows[y][x] = draw(st.sampled_from(["_0", "_0", "c0", "c1", "f0", "f2", "m3", "w1", "l0", "g0"]))
    rows[extent - 1][extent - 1] = "*0"
    return extent, ["".join(row) for row in rows]


@given(place=scattered(), tile=st.tuples(*[st.sampled_from(["c0", "f1", "g2", "l0", "w0", "m3"])] * 2))
@settings(max_examples=150, deadline=None)
def test_helpers_agree_with_the_twin_on_any_squares(place: tuple[int, list[str]], tile: tuple[str, str]) -> None:
    extent, grid = place
    land = naive.territory_of(grid)
    squares = ((tile[0][0], int(tile[0][1])), (tile[1][0], int(tile[1][1])))
    assert placements(grid, tile, extent) == naive.placements(land, squares, extent, 2 * extent - 1)
    assert zones(grid) == naive.zones(land)
    assert score(grid) == naive.score(land)


@given(form=st.sampled_from(walks.FORMS), keys=KEYS, random=st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_games_agree_with_the_twin(form: dict[str, Any], keys: dict[str, Any], random: Random) -> None:
    walks.random_walk(form | keys, random)


@given(form=st.sampled_from(walks.FORMS), keys=KEYS, random=st.randoms(use_true_random=False))
@settings(max_examples=15, deadline=None)
def test_games_with_faults_agree_with_the_twin(form: dict[str, Any], keys: dict[str, Any], random: Random) -> None:
    walks.random_walk(form | keys, random, kill=0.05)


def compact_walk(form: dict[str, Any], random: Random) -> KingdominoState:
    """A game in which placements near the castle are preferred, so that territories fill up."""
    state = walks.start(**form, seed=random.getrandbits(60))
    while not state.is_terminal():
        actions = state.legal_actions()
        if actions[0] < board.DISCARD:
            side = state.kind.side // 2
            actions = sorted(actions, key=lambda a: sum(abs(part - side) for part in board.put_parts(a)[:2]))[:3]
        state.apply_action(random.choice(actions))
    return state


@given(form=st.sampled_from(walks.FORMS), random=st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_incremental_scores_are_those_of_a_flood_fill(form: dict[str, Any], random: Random) -> None:
    state = compact_walk(form, random)
    scratch = np.zeros((2, territory.MAX_ZONES, 3), np.uint64)
    actions, scores = np.zeros(board.NUM_ACTIONS, np.int64), np.zeros(board.NUM_ACTIONS, np.int64)
    for player in range(state.num_players):
        squares = state.squares(player)
        centre = state.kind.side // 2
        land = {place: ("cfglwm"[kind], crowns) for place, (kind, crowns) in squares.items()}
        land[centre, centre] = ("*", 0)
        assert state.record["score"][player] == naive.score(land)
        for tile in (3, 12, 19, 46, 48):
            count = territory.scored(state.record, player, tile, scratch, actions, scores)
            found = {board.put_parts(a): s for a, s in zip(actions[:count].tolist(), scores[:count], strict=True)}
            places = naive.placements(land, naive.TILES[tile], state.kind.extent, state.kind.side)
            assert sorted(found) == places
            for x, y, rotation in places:
                dx, dy = naive.STEPS[rotation]
                first, second = naive.TILES[tile]
                assert found[x, y, rotation] == naive.score(land | {(x, y): first, (x + dx, y + dy): second})


@pytest.mark.parametrize("form", walks.FORMS)
def test_random_playouts_end_and_are_uniform_over_legal_actions(form: dict[str, Any]) -> None:
    state = walks.start(**form)
    random, out, verbs = new_random(7), np.zeros(board.MAX_LEGAL + 4, np.int64), GAME.verbs
    work = state.clone()
    assert verbs.playout(work.record, random, out) <= board.MAX_LENGTH
    assert work.is_terminal()
    while state.record["phase"] != rules.PUT:
        player = state.current_player()
        drawn = rules.chance(state.record, random) if player < 0 else 0
        state.apply_action(drawn or rules.random_action(state.record, player, random, out))
    legal = state.legal_actions()
    counts = dict.fromkeys(legal, 0)
    for _ in range(200 * len(legal)):
        counts[rules.random_action(state.record, state.current_player(), random, out)] += 1
    assert 130 < min(counts.values()) <= max(counts.values()) < 270


def random_positions(form: dict[str, Any], random: Random) -> list[KingdominoState]:
    """Those of a random game, without the twin beside it, which takes much longer."""
    state = walks.start(**form, seed=random.getrandbits(60))
    seen = [state.clone()]
    while not state.is_terminal():
        state.apply_action(random.choice(state.legal_actions()))
        seen.append(state.clone())
    return seen


def assert_ascending(state: KingdominoState, tiles: range) -> int:
    """`ascending` is `placements`, sorted, for these tiles of every player; how many placements were seen."""
    out, ordered, seen = np.zeros(board.MAX_LEGAL, np.int64), np.zeros(board.MAX_LEGAL, np.int64), 0
    for player in range(state.num_players):
        for tile in tiles:
            first, _, second, _ = board.TILE[tile].tolist()
            count = territory.placements(state.record, player, first, second, out)
            assert territory.ascending(state.record, player, first, second, ordered) == count
            assert ordered[:count].tolist() == sorted(out[:count].tolist())
            seen += count
    return seen


@given(form=st.sampled_from(walks.FORMS), random=st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_placements_are_listed_in_ascending_order(form: dict[str, Any], random: Random) -> None:
    seen = assert_ascending(compact_walk(form, random), range(1, 49))
    for state in random_positions(form, random)[::7]:
        seen += assert_ascending(state, range(1, 49, 5))
    assert seen > 500


def test_a_territory_five_wide_and_high_in_the_duel_has_room_on_both_sides() -> None:
    """First squares lie nine columns, and nine rows, apart: more than the kernel's torus has."""
    rows = [["_0"] * 13 for _ in range(13)]
    for n in (4, 5, 7, 8):
        rows[6][n] = rows[n][6] = "c0"
    rows[6][6] = "*0"
    grid = ["".join(row) for row in rows]
    found = placements(grid, ("c0", "c0"), 7)
    assert {(2, 6, 0), (10, 6, 2), (6, 2, 1), (6, 10, 3)} <= set(found)
    assert found == naive.placements(naive.territory_of(grid), (("c", 0), ("c", 0)), 7, 13)
    assert found == sorted(found)


def test_accepts_exactly_the_legal_actions() -> None:
    random = Random(3)
    for form in walks.FORMS:
        for league in ("wood", "bronze"):
            for state in walks.random_walk(form | {"league": league}, random)[::9]:
                current_player = state.current_player()
                accepted = [a for a in range(board.NUM_ACTIONS) if rules.accepts(state.record, current_player, a)]
                assert accepted == state.legal_actions()


def test_plain_python_plays_the_same_game() -> None:
    program = (
        "from games.kingdomino import walks; from random import Random\n"
        "for form in walks.FORMS: print(walks.random_walk(form | {'seed': -5}, Random(9), 0.01)[-1].position())\n"
        "from lapilli.kernels.kernel import new_random; import numpy as np; state = walks.start()\n"
        "walks.GAME.verbs.playout(state.record, new_random(4), np.zeros(260, np.int64)); print(state.position())\n"
    )
    assert printed_either_way(program).count("over") == 5
