"""Maps and positions as text: what is read back, and what is refused and how."""

from __future__ import annotations

import base64
import re
import zlib
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.tryangle import walks
from lapilli.core.errors import PositionError, SetupError, UnknownName
from lapilli.games import load
from lapilli.games.tryangle import GAME
from lapilli.games.tryangle.rules.position import find_triangles
from lapilli.games.tryangle.state.maps import generate
from lapilli.games.tryangle.state.notation import paths_of
from lapilli.games.tryangle.state.state import TryAngleState

SQUARE: dict[str, Any] = {
    "nodes": "100,100_300,100_300,300_100,300",
    "edges": "0,1_1,2_2,3_3,0",
    "units": "1,0_0,0_0,1_0,0",
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nodes": "1,1_2"}, "nodes: expected two numbers such as 12,34 and not '2'"),
        ({"nodes": ""}, "nodes: a map has 1 to 50 houses, not 0"),
        ({"nodes": "_".join(f"{x},5" for x in range(51))}, "nodes: a map has 1 to 50 houses, not 51"),
        ({"nodes": "100,100_300,100_300,300_100,100"}, "nodes: houses 0 and 3 both stand at 100,100"),
        ({"nodes": "100,100_300,100_300,300_1920,300"}, "house 3 at 1920,300 is off the map of 1920 x 1080"),
        ({"nodes": "100,100_300,100_300,300_10,1080"}, "house 3 at 10,1080 is off the map of 1920 x 1080"),
        ({"nodes": "100,100_300,100_300,300_-1,10"}, "not '-1,10'"),
        ({"nodes": 7}, "nodes must be text such as 0,1_2,3, not int"),
        ({"edges": "0,1_1,0"}, "edges: path 1,0 is there twice"),
        ({"edges": "0,0_0,0"}, "edges: path 0,0 is there twice"),
        ({"edges": "0,4"}, "edges: path 0,4 leads to house 4, but the last house is 3"),
        ({"edges": "0,2_1,3"}, "edges: path 1,3 crosses or touches path 0,2"),
        ({"edges": "0,1;1,2"}, "edges: expected two numbers"),
        ({"nodes": "100,100_300,100_700,100_100,501", "edges": "0,3"}, "edges: path 0,3 is longer than 400"),
        ({"nodes": "100,100_200,100_300,100_0,0", "edges": "0,1_0,2"}, "path 0,2 crosses or touches path 0,1"),
        ({"nodes": "100,100_200,100_300,100_200,200", "edges": "1,3_0,2"}, "path 0,2 crosses or touches path 1,3"),
        ({"nodes": "100,100_200,100_300,100_200,200", "edges": "0,2"}, "edges: path 0,2 leads over house 1"),
        ({"nodes": "0,0_10,0_20,0_0,9", "edges": "2,0"}, "edges: path 2,0 leads over house 1"),
        ({"units": "1,0_0,0_0,1"}, "units: expected one pair for each of the 4 houses, not 3"),
        ({"units": "1,0_0,0_0,1_0,0_1,0"}, "units: expected one pair for each of the 4 houses, not 5"),
        ({"units": "1,0_0,0_0,1_0,100000"}, "units: 100000 units on house 3 are more than 99999"),
        ({"units": "1,0_0,0_0,1_0,1000000"}, "units: expected two numbers"),
        ({"units": "1,0_0,0_0,1_0,\u0663"}, "units: expected two numbers"),
    ],
)
def test_bad_maps_are_refused_in_one_line(change: dict[str, Any], message: str) -> None:
    with pytest.raises(SetupError) as caught:
        GAME.new_initial_state(**(SQUARE | change))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("missing", ["nodes", "edges", "units"])
def test_a_map_needs_all_three_parts(missing: str) -> None:
    with pytest.raises(SetupError, match=f"a map needs nodes, edges and units: {missing} missing"):
        GAME.new_initial_state(**{key: text for key, text in SQUARE.items() if key != missing})


def test_the_greatest_map() -> None:
    """50 houses as near to each other as numbers allow, and every path of a grid."""
    places = [(10 * x, 10 * y) for y in range(5) for x in range(10)]
    edges = [(h, h + 1) for h in range(49) if h % 10 < 9] + [(h, h + 10) for h in range(40)]
    edges += [(h, h + 11) for h in range(40) if h % 10 < 9]
    state = GAME.new_initial_state(
        nodes=joined(places), edges=joined(edges), units="_".join(["1,0"] * 25 + ["0,1"] * 25)
    )
    assert state.record["triangles"] == 72
    while not state.is_terminal():
        random = Random(state.turn)
        state.apply_actions([random.choice(state.legal_actions(p)) for p in (0, 1)])
        for player in state.asked():
            assert len(GAME.protocol.turn_input(state, player)) > 300


def joined(pairs: list[tuple[int, int]]) -> str:
    return "_".join(f"{a},{b}" for a, b in pairs)


def test_a_single_house() -> None:
    state = GAME.new_initial_state(nodes="5,5", edges="", units="1,1")
    assert state.is_terminal()  # without triangles both are dominated
    assert state.scores() == (-1, -1)
    outcome = state.outcome()
    assert outcome
    assert outcome.reason == "Blue was left with too few triangles; Orange was left with too few triangles"
    assert outcome.ranks == (1, 1)


# -- positions


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 3))
def test_a_position_read_back_goes_on_alike(seed: int, league: int) -> None:
    random = Random(seed)
    state, twin = walks.pair(walks.small_map(random), league)
    for _ in range(random.randint(0, 8)):
        lines = [walks.line(twin.board, p, random, 0.01) if p in state.asked() else None for p in (0, 1)]
        GAME.protocol.play_turn(state, {p: text for p, text in enumerate(lines) if text is not None})
        twin.play(lines)
    text = state.position()
    again = cast(TryAngleState, GAME.from_position(text, league=state.setup.league))
    assert again.position() == text
    assert again.current_player() == state.current_player()
    assert again.asked() == state.asked()
    assert again.outcome() == state.outcome()
    if not state.is_terminal():
        assert again == state
        for player in state.asked():
            assert GAME.protocol.turn_input(again, player) == GAME.protocol.turn_input(state, player)
        assert again.legal_actions(0) == state.legal_actions(0)


GOOD = GAME.new_initial_state(**SQUARE | {"edges": "0,1_1,2_2,3_3,0_0,2_1,1", "units": "1,0_1,0_1,0_0,1"}).position()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("turn=1", "turn=0", "turn must be 1 to 200"),
        ("turn=1", "turn=201", "turn must be 1 to 200"),
        ("turn=1", "turns=1", "expected turn=… score=…"),
        ("score=", "score=-", "score must be 0 to 99999"),
        ("score=", "score=1,", "score must be two numbers"),
        ("out=", "out=99", "out must be 0 to"),
        (" nodes=100,100", " nodes=100", "nodes: expected two numbers"),
        (" edges=0,1", " edges=0,1_1,3", "crosses or touches"),
        ("0.1.2:", "0.1.3:", "expected triangle 0.1.2:owner:owner at start:flags"),
        ("0.1.2:0", "0.1.2:2", "expected triangle 0.1.2"),
        ("0.1.2:0:0:2", "0.1.2:0:0:3", "only its owner's opponent may capture it, flags 2"),
        ("triangles=0.1.2:0:0:2_", "triangles=", "the paths make 2 triangles, but 1 are given"),
    ],
)
def test_bad_positions_are_refused_in_one_line(old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(PositionError) as caught:
        GAME.from_position(GOOD.replace(old, new, 1))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_blanks_between_the_words_of_a_position_do_no_harm() -> None:
    loose = "  " + GOOD.replace(" ", " \t  ") + " \n"
    assert GAME.from_position(loose) == GAME.from_position(GOOD)


@pytest.mark.parametrize(
    ("turn", "out", "can_be"),
    [(1, "0,0", False), (199, "0,0", False), (200, "0,0", True), (1, "0,3", True), (7, "6,0", True), (1, "3,3", True)],
)
def test_a_game_is_over_only_where_it_can_be(turn: int, out: str, can_be: bool) -> None:
    text = re.sub(r"out=\d,\d", f"out={out}", GOOD.replace("turn=1 ", f"turn={turn} "))
    if not can_be:
        with pytest.raises(PositionError, match="over only on turn 200 or where out="):
            GAME.from_position(f"{text} over")
        return
    state = GAME.from_position(f"{text} over")
    assert state.is_terminal()
    assert state.outcome() is not None
    assert state.position() == f"{text} over"


def test_no_path_is_built_over_a_house() -> None:
    """House 3, on the way from 0 to 4, has no path of its own."""
    nodes = "100,100_100,300_200,200_300,100_400,100"
    state = GAME.new_initial_state(nodes=nodes, edges="0,1_0,2_1,2_2,4", units="2,0_2,0_2,0_0,1_0,1")
    assert "0 4" not in GAME.protocol.turn_input(state, 0).splitlines()
    report = GAME.protocol.play_turn(state, {0: "ADD_PATH 0 1 2 4", 1: "WAIT"})
    assert report.notes == [(0, "Can't connect houses 0 and 4")]


def test_a_position_brings_its_own_map() -> None:
    with pytest.raises(SetupError, match="leave out edges and nodes and units"):
        GAME.from_position(GOOD, **SQUARE)


# -- the game's data


def test_names_and_leagues() -> None:
    for name in ("tryangle", "TryAngle Catch", "tryangle-catch", "tryangle catch"):
        assert load(name) is GAME
    assert GAME.new_initial_state().record["league"] == 3
    assert GAME.new_initial_state(league="wood2").record["league"] == 1
    with pytest.raises(UnknownName, match="bronze"):
        GAME.new_initial_state(league="gold")


def test_no_seed_is_seed_0() -> None:
    assert GAME.new_initial_state().position() == GAME.new_initial_state(seed=0).position()
    assert GAME.new_initial_state(seed=1) != GAME.new_initial_state(seed=0)


@pytest.mark.parametrize("seed", [*range(40), -(2**63), 2**63 - 1])
def test_drawn_maps_keep_what_the_scheme_promises(seed: int) -> None:
    record = generate(seed)
    houses = int(record["houses"])
    x, y = record["x"].tolist(), record["y"].tolist()
    assert 30 < houses <= 50
    for h in range(0, houses, 2):
        assert (x[h] + x[h + 1], y[h] + y[h + 1]) == (1919, 959)
    distances = [(x[a] - x[b]) ** 2 + (y[a] - y[b]) ** 2 for a in range(houses) for b in range(a)]
    assert min(distances) >= 140**2
    paths = set(paths_of(record))
    assert {tuple(sorted((a ^ 1, b ^ 1))) for a, b in paths} == paths
    find_triangles(record)
    assert record["triangles"] >= 20
    assert record["units"].sum(axis=1).tolist() == [3, 3]


def test_a_position_stored_in_the_old_form_is_read() -> None:
    """Its bytes, as they are in a pickle, and the same game played now."""
    stored = (Path(__file__).parent / "old_position.b85").read_bytes().split()
    random, state = Random(5), GAME.new_initial_state(seed=3)
    while not (state.turn >= 30 and state.record["queued"][0] and state.record["spent"][0].any()):
        state.apply_actions([random.choice(state.legal_actions(player)) for player in (0, 1)])
    restore, (kind, setup, _) = state.__reduce__()
    restored = restore(kind, setup, zlib.decompress(base64.b85decode(b"".join(stored))))
    assert restored == state
    assert restored.legal_actions(0) == state.legal_actions(0)
