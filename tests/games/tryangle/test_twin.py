"""The package against its slow twin: the same games, line by line."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.tryangle import naive_maps, walks
from lapilli.games.tryangle import GAME
from lapilli.games.tryangle.naive import NaiveReferee
from lapilli.games.tryangle.state.maps import generate
from lapilli.games.tryangle.state.notation import paths_of
from lapilli.games.tryangle.state.state import TryAngleState


def play_both(state: TryAngleState, twin: NaiveReferee, random: Random, mistakes: float, turns: int) -> None:
    """Plays both with the same lines and compares all there is to see."""
    protocol = GAME.protocol
    assert walks.looks(state) == walks.twin_looks(twin.board)
    assert protocol.opening_input(state, 0) == twin.board.opening()
    for number in range(1, turns + 1):
        asked = state.asked()
        if not asked:
            break
        assert state.turn == number
        assert asked == tuple(p for p in (0, 1) if twin.board.out[p] is None)
        lines: list[str | None] = [None, None]
        for player in asked:
            assert protocol.turn_input(state, player) == twin.board.input(player)
            lines[player] = walks.line(twin.board, player, random, mistakes)
        report = protocol.play_turn(state, {p: text for p in asked if (text := lines[p]) is not None})
        errors = twin.play(lines)
        assert sorted(report.notes + [(f.player, f.reason) for f in report.faults]) == sorted(errors)
        for player in asked:
            assert report.messages.get(player, "") == twin.board.messages[player]
        assert walks.looks(state) == walks.twin_looks(twin.board)
    assert state.is_terminal() == (twin.over or all(twin.board.out))


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 3), st.sampled_from([0.0, 0.02, 0.2]))
def test_small_maps(seed: int, league: int, mistakes: float) -> None:
    random = Random(seed)
    play_both(*walks.pair(walks.small_map(random), league), random, mistakes, 12)


@pytest.mark.parametrize("seed", range(4))
def test_drawn_maps(seed: int) -> None:
    record = generate(seed)
    houses = int(record["houses"])
    units = zip(*record["units"][:, :houses].tolist(), strict=True)
    keys = {
        "nodes": "_".join(f"{x},{y}" for x, y in zip(record["x"][:houses], record["y"][:houses], strict=True)),
        "edges": "_".join(f"{a},{b}" for a, b in paths_of(record)),
        "units": "_".join(f"{2 * a},{2 * b}" for a, b in units),
    }
    play_both(*walks.pair(keys, 3), Random(seed), 0.01, 25)


@pytest.mark.parametrize("seed", [1, 77, 2231856885425256057, -(2**63)])
def test_maps_are_drawn_alike(seed: int) -> None:
    record = generate(seed)
    houses = int(record["houses"])
    places = list(zip(record["x"][:houses].tolist(), record["y"][:houses].tolist(), strict=True))
    assert (naive_maps.nodes_text(places), naive_maps.nodes_text(paths_of(record))) == naive_maps.draw_map(seed)


def test_to_the_turn_limit() -> None:
    """Multi-frame commands on the last turn: only the first frame is carried out."""
    keys = {
        "nodes": "500,500_500,700_700,600_900,600_1100,500_1100,700",
        "edges": "0,1_0,2_1,2_2,3_3,4_3,5_4,5",
        "units": "3,0_3,0_4,0_0,4_0,3_0,3",
    }
    state, twin = walks.pair(keys, 3)
    for _ in range(199):
        GAME.protocol.play_turn(state, {0: "WAIT", 1: ""})
        twin.play(["WAIT", ""])
    line = "MOVE 0 2 1;ATTACK 0 1 2 3;SPAWN 0 1 2"
    GAME.protocol.play_turn(state, {0: line, 1: "MOVE 3 2 4"})
    twin.play([line, "MOVE 3 2 4"])
    assert state.is_terminal()
    assert twin.over
    assert state.record["units"][0, :6].tolist() == [2, 2, 3, 0, 0, 0]
    assert state.record["units"][1, :6].tolist() == [0, 0, 0, 0, 3, 3]
    assert walks.looks(state) == walks.twin_looks(twin.board)
