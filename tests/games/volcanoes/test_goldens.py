"""Every trace of the original referee replays exactly."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

import goldens
from lapilli.core.api import Fault, State, Termination
from lapilli.games.volcanoes import GAME
from lapilli.games.volcanoes.board import NAMES

PROTOCOL = GAME.protocol
RESULTS = {"blue": (100, 0), "orange": (0, 100), "draw": (50, 50), "limit": (0, 0)}


def play(state: State, move: str) -> None:
    asked = state.asked()
    assert bool(asked) == (move != "G")
    report = PROTOCOL.play_turn(state, dict.fromkeys(asked, move))
    assert not report.faults


def valid_line(state: State) -> str:
    (player,) = state.asked()
    return PROTOCOL.turn_input(state, player).splitlines()[1]


def matches(text: str, golden: str) -> bool:
    """Goldens hold either the text or the first twelve hex digits of its SHA-256."""
    return golden in (text, hashlib.sha256(text.encode()).hexdigest()[:12])


def test_games() -> None:
    games = list(goldens.lines("volcanoes", "volcanoes_games.jsonl.gz"))
    assert len(games) > 10
    for game in games:
        state = GAME.new_initial_state()
        for move, board, valid in zip(game["moves"], game["boards"], game["valid_after"], strict=True):
            turn = state.turn
            play(state, move)
            assert state.position() == f"{board} {turn if state.is_terminal() and turn < 200 else turn + 1}"
            if valid not in (None, "G") and state.asked():
                assert matches(valid_line(state), valid), (game["id"], turn)
        outcome = state.outcome()
        assert outcome is not None
        assert outcome.scores == RESULTS[game["result"]] == tuple(game["scores"]), game["id"]
        if game["result"] in ("blue", "orange"):
            side = ("blue", "orange").index(game["result"])
            path = state.path(side)  # type: ignore[attr-defined]
            assert path
            assert path[-1] == path[0] + 40
            assert len(path) <= len(game[f"path_{game['result']}"])


def test_cascades() -> None:
    for case in goldens.lines("volcanoes", "volcanoes_cascades.jsonl.gz"):
        state = GAME.from_position(f"{case['before']} {case['turn']}")
        if state.asked():
            assert matches(valid_line(state), case["valid_before"])
        play(state, case["move"])
        assert state.position() == f"{case['after']} {case['turn_after']}", case["id"]
        asleep = "".join("x" if abs(level) == 4 else "." for level in state.levels())  # type: ignore[attr-defined]
        assert asleep == case["dormant_after"]
        outcome = state.outcome()
        assert (RESULTS[case["winner"]] if case["winner"] != "none" else None) == (outcome and outcome.scores), case[
            "id"
        ]


def test_opening_input() -> None:
    setup = goldens.document("volcanoes", "volcanoes_setup.json")
    state = GAME.new_initial_state()
    for player in (0, 1):
        assert PROTOCOL.opening_input(state, player).splitlines() == setup["init_lines"]
    assert PROTOCOL.turn_input(state, 0).splitlines() == setup["first_turn_lines_blue_after_init"]
    assert list(NAMES) == setup["ordered_names"]
    assert GAME.first_reply_ms == setup["settings"]["first_turn_ms"]
    assert GAME.reply_ms == setup["settings"]["turn_ms"]
    assert GAME.max_turns == setup["settings"]["max_referee_turns"]


def cases() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = goldens.document("volcanoes", "volcanoes_protocol.json")["cases"]
    return found


@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case['name']}, seed {case['seed']}")
def test_odd_outputs(case: dict[str, Any]) -> None:
    state = GAME.new_initial_state(seed=case["seed"])
    replies = iter(case["outputs"])
    seen, played, faults = [], [], []
    while not state.is_terminal():
        asked = state.asked()
        if not asked:
            PROTOCOL.play_turn(state, {})
            continue
        (player,) = asked
        seen.append(PROTOCOL.turn_input(state, player).splitlines()[0])
        reply = next(replies)
        silent = {"<timeout>": Termination.TIMEOUT, "<none>": Termination.EXITED}
        said = Fault(player, silent[reply], "silent") if reply in silent else reply
        report = PROTOCOL.play_turn(state, {player: said})
        played += [f"${player} played {action}" for action in report.actions.values() if not report.faults]
        faults += report.faults
    assert seen == case["positions_seen"]
    assert played == [line for line in case["summary"] if " played " in line]
    assert len(faults) == 1
    outcome = state.outcome()
    assert outcome is not None
    assert list(outcome.scores) == case["scores"]
    assert [player != faults[0].player for player in (0, 1)] == case["active"]


def test_random_is_one_generator_for_both() -> None:
    for game in goldens.document("volcanoes", "volcanoes_protocol.json")["both_players_random"]:
        state = GAME.new_initial_state(seed=game["seed"])
        moves = []
        while not state.is_terminal():
            report = PROTOCOL.play_turn(state, dict.fromkeys(state.asked(), "RANDOM"))
            moves.append(next(iter(report.actions.values()), "G"))
        assert moves == game["moves"]
        outcome = state.outcome()
        assert outcome is not None
        assert list(outcome.scores) == game["scores"]
        assert len(moves) + 1 == game["referee_turns"]


@pytest.mark.parametrize("reply", ["RANDOM", "N01", "PASS", Fault(0, Termination.TIMEOUT, "no reply in time")])
def test_a_side_without_a_move_is_asked_and_loses(reply: str | Fault) -> None:
    state = GAME.from_position("d" * 80 + " 1")
    assert state.is_terminal()
    assert state.legal_actions() == []
    assert state.asked() == (0,)
    assert valid_line(state) == ""
    PROTOCOL.play_turn(state, {0: reply})
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.scores == (0, 100)
    assert outcome.termination == Termination.NO_MOVE
    assert state.asked() == ()


def test_a_path_made_on_the_last_turn_comes_too_late() -> None:
    # The original announces a result on the referee turn after the deciding one, and turn 201 never comes.
    for number, scores in ((194, (0, 100)), (200, (0, 0))):
        blank = ["."] * 80
        for name in ("N02", "N10", "N11", "N27", "N26", "S36", "S37", "S18", "S19", "S05", "S01"):
            blank[NAMES.index(name)] = "a"
        state = GAME.from_position("".join(blank) + f" {number}")
        play(state, "S02")
        outcome = state.outcome()
        assert outcome is not None
        assert outcome.scores == scores
