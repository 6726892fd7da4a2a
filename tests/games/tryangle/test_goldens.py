"""The original referee's maps, games, board scenarios and whole-referee cases."""

from __future__ import annotations

import hashlib
from typing import Any, cast

import numpy as np
import pytest

import goldens
from lapilli.core.api import TurnReport
from lapilli.games.tryangle import GAME
from lapilli.games.tryangle.board import LEAGUES
from lapilli.games.tryangle.protocol.parsing import read_line
from lapilli.games.tryangle.rules import turn as rules
from lapilli.games.tryangle.rules.ending import settle
from lapilli.games.tryangle.rules.geometry import table_of
from lapilli.games.tryangle.rules.position import find_open, find_triangles, tidy
from lapilli.games.tryangle.state.maps import generate, read_map
from lapilli.games.tryangle.state.notation import captors_of, owners_of, paths_of, triangles_of
from lapilli.games.tryangle.state.state import TryAngleState

MAPS = list(goldens.lines("tryangle", "tryangle_maps.jsonl.gz"))
GAMES = list(goldens.lines("tryangle", "tryangle_games.jsonl.gz"))
SCENARIOS = goldens.document("tryangle", "tryangle_scenarios.json")
BY_THE_RULES = {
    "no units or triangles left": "had no units and no triangles left",
    "can't score any more points": "could not score any more points",
    "is dominated": "was left with too few triangles",
}
"""What the original says of players whom the rules put out, and what we say."""
Errors = list[tuple[int, int, str]]


def join(pairs: Any) -> str:
    return "_".join(f"{a},{b}" for a, b in pairs)


def units_text(record: Any) -> str:
    return join(zip(*record["units"][:, : int(record["houses"])].tolist(), strict=True))


def triangles_text(record: Any) -> str:
    owners, flags = owners_of(record), captors_of(record)
    return "_".join(
        f"{a} {b} {c} {owners[t]} {flags[t] & 1} {flags[t] >> 1}" for t, (a, b, c) in enumerate(triangles_of(record))
    )


def looks(record: Any) -> tuple[str, str, str]:
    return units_text(record), join(paths_of(record)), triangles_text(record)


# -- maps


@pytest.mark.parametrize("golden", MAPS, ids=lambda g: f"seed{g['seed']}")
def test_map(golden: dict[str, Any]) -> None:
    record = generate(golden["seed"])
    houses = int(record["houses"])
    nodes = join(zip(record["x"][:houses].tolist(), record["y"][:houses].tolist(), strict=True))
    assert nodes == golden["nodes"]
    assert join(paths_of(record)) == golden["edges"]
    assert units_text(record) == golden["units"]
    find_triangles(fresh := read_map({key: golden[key] for key in ("nodes", "edges", "units")}))
    assert fresh["triangles"] == golden["triangles"]
    settle(fresh, fresh)
    assert fresh["score"].tolist() == golden["score_after_init"]


# -- games


def same_text(text: str | None, golden: str | None) -> bool:
    if text is None or golden is None:
        return text is golden
    text = text.rstrip("\n")
    if len(golden) == 12:
        return hashlib.sha256(text.encode()).hexdigest()[:12] == golden
    return text == golden


def inputs(state: TryAngleState) -> list[str | None]:
    texts: list[str | None] = [None, None]
    for player in state.asked():
        opening = GAME.protocol.opening_input(state, player) if state.turn == 1 else ""
        texts[player] = opening + GAME.protocol.turn_input(state, player)
    return texts


def remarks(report: TurnReport) -> Errors:
    faults = [(f.player, "timeout" if f.termination == "timeout" else f.reason) for f in report.faults]
    return sorted((report.turn, player, text) for player, text in report.notes + faults)


def replay(state: TryAngleState, turns: list[dict[str, Any]]) -> tuple[Errors, dict[int, str]]:
    """Plays a golden game's lines and compares every input on the way; returns the errors and the last messages."""
    errors: Errors = []
    messages: dict[int, str] = {}
    for number, turn in enumerate(turns, 1):
        if turn["in0"] is None and turn["in1"] is None:
            assert state.is_terminal()  # both are out: the original has one more turn, on which nobody is asked
            break
        asked = state.asked()
        assert state.turn == number
        texts = inputs(state)
        assert same_text(texts[0], turn["in0"])
        assert same_text(texts[1], turn["in1"])
        assert all(state.record["score"][p] == turn["score"][p] for p in asked if "score" in turn)
        replies = {p: turn[f"out{p}"] for p in asked if turn[f"out{p}"] is not None}
        report = GAME.protocol.play_turn(state, replies)
        assert report.actions == replies
        errors += remarks(report)
        messages.update({player: report.messages.get(player, "") for player in replies})
    return errors, messages


def check_end(state: TryAngleState, golden: dict[str, Any], errors: Errors) -> None:
    assert state.is_terminal()
    assert list(state.scores()) == golden["final_score"]
    assert errors == sorted((t, p, text) for t, p, text in golden["errors"] if text not in BY_THE_RULES)
    outcome = state.outcome()
    assert outcome
    for player, reason in golden["killed"]:
        said = f"{state.game.sides[player]} {BY_THE_RULES.get(reason)}"
        assert reason not in BY_THE_RULES or said in outcome.reason
    assert (outcome.termination == "turn-limit") == (not golden["killed"])


@pytest.mark.parametrize("golden", GAMES, ids=lambda g: f"id{g['id']}")
def test_game(golden: dict[str, Any]) -> None:
    state = GAME.new_initial_state(seed=golden["seed"], league=LEAGUES[golden["league"] - 1])
    state = cast(TryAngleState, state)
    errors, _ = replay(state, golden["turns"])
    check_end(state, golden, errors)
    assert looks(state.record) == (golden["final_units"], golden["final_edges"], golden["final_triangles"])


# -- whole-referee cases


def case_state(case: dict[str, Any]) -> TryAngleState:
    keys = {key: case[key] for key in ("nodes", "edges", "units")}
    return cast(TryAngleState, GAME.new_initial_state(league=LEAGUES[case["league"] - 1], **keys))


CASES = [case for case in SCENARIOS["referee_cases"] if not case.get("summary_only") and not case["exception"]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_referee_case(case: dict[str, Any]) -> None:
    state = case_state(case)
    errors, messages = replay(state, case["turns"])
    check_end(state, case, errors)
    end = case["final_state"]
    assert looks(state.record) == (end["units"], end["edges"], end["triangles"])
    assert [messages.get(player, "") for player in (0, 1)] == case["messages"]


def test_quiet_game_to_the_turn_limit() -> None:
    (case,) = [case for case in SCENARIOS["referee_cases"] if case.get("summary_only")]
    state = case_state(CASES[0])
    turns = 0
    while not state.is_terminal():
        GAME.protocol.play_turn(state, {0: "WAIT", 1: "WAIT"})
        turns += 1
    assert turns == case["command_turns"] == 200
    assert list(state.scores()) == case["final_score"] == [201, 201]
    assert units_text(state.record) == case["final_state"]["units"]


@pytest.mark.parametrize("line", ["ADD_PATH 99 0 1 2", "ADD_PATH 2 0 1 99"])
def test_where_the_original_crashes(line: str) -> None:
    crashed = [case for case in SCENARIOS["referee_cases"] if case["exception"]]
    assert len(crashed) == 2
    report = GAME.protocol.play_turn(case_state(crashed[0]), {0: line, 1: "WAIT"})
    assert report.notes == [(0, "Invalid node: 99")]
    assert report.faults == []


# -- board scenarios


def expected(record: Any, item: dict[str, Any]) -> bool:
    ((what, value),) = item.items()
    if what == "triangles":
        return bool(record["triangles"] == value)
    if what == "unit":
        house, player, number = value
        return bool(record["units"][player, house] == number)
    if what == "path":
        a, b, there = value
        return (int(record["paths"][a]) >> int(b) & 1) == int(there)
    triangle = triangles_of(record).index(tuple(value[0]))
    if what == "owner":
        return bool(owners_of(record)[triangle] == (-1 if value[1] is None else value[1]))
    assert what == "can_capture"
    return (captors_of(record)[triangle] >> int(value[1]) & 1) == int(value[2])


@pytest.mark.parametrize("scenario", SCENARIOS["board_scenarios"], ids=lambda scenario: scenario["name"])
def test_board_scenario(scenario: dict[str, Any]) -> None:
    record = read_map({key: scenario[key] for key in ("nodes", "edges", "units")})
    record["league"] = 3
    table, arrivals = table_of(record), np.zeros_like(record["units"])
    find_open(record, table)
    find_triangles(record)
    settle(record, record)
    for step in scenario["steps"]:
        if "set_units" in step:
            for house, player, number in step["set_units"]:
                record["units"][player, house] = number
        elif "turn" in step:
            readings = [read_line(record, player, line) for player, line in enumerate(step["turn"])]
            errors = [[player, note] for player, reading in enumerate(readings) for note in reading.notes]
            assert errors == [error[:2] for error in step["errors"]]
            mine, theirs = ((one.commands, 0, len(one.commands), 0, len(one.commands)) for one in readings)
            rules.act(record, record, table, arrivals, mine, theirs, False)
            tidy(record)
            settle(record, record)
        elif "state" in step:
            there = step["state"]
            assert looks(record) == (there["units"], there["edges"], there["triangles"])
            assert record["score"].tolist() == there["score"]
        else:
            for item in step["expect"]:
                assert expected(record, item), item
