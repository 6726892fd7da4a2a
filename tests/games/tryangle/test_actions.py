"""Atomic actions: their numbers and words, what may be lined up, and that a turn of them is a turn of text."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from random import Random
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.tryangle import walks
from games.tryangle.naive_actions import Choice, choices, line_of
from lapilli.core.api import SIMULTANEOUS, TERMINAL
from lapilli.core.errors import IllegalAction
from lapilli.games.tryangle import GAME, board
from lapilli.games.tryangle.board import LEAGUES, MAX_QUEUE, NUM_ACTIONS
from lapilli.games.tryangle.naive import NaiveMap, NaiveReferee
from lapilli.games.tryangle.rules import verbs as rules
from lapilli.games.tryangle.state.notation import triangles_of
from lapilli.games.tryangle.state.state import TryAngleState
from plain import printed_either_way

TWO_TRIANGLES: dict[str, Any] = {
    "nodes": "500,500_500,700_700,600_900,600_1100,500_1100,700",
    "edges": "0,1_0,2_1,2_2,3_3,4_3,5_4,5",
    "units": "1,0_1,0_2,0_0,2_0,1_0,1",
}


def start(**keys: Any) -> TryAngleState:
    return cast(TryAngleState, GAME.new_initial_state(**(TWO_TRIANGLES | keys)))


def words(state: TryAngleState, player: int) -> set[str]:
    return {state.action_to_string(action, player) for action in state.legal_actions(player)} - {"WAIT"}


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 3))
def test_legal_actions_are_the_twins(seed: int, league: int) -> None:
    random = Random(seed)
    state, twin = walks.pair(walks.small_map(random), league)
    while not state.is_terminal() and state.turn < 6:
        chosen: list[list[Choice]] = [[], []]
        while True:
            joint = []
            for player in (0, 1):
                useful = choices(twin.board, player, chosen[player]) if player in state.asked() else []
                if state.record["done"][player]:
                    useful = []
                assert words(state, player) == {line_of([choice]) for choice in useful}
                choice = random.choice([None, *useful]) if len(chosen[player]) < 6 else None
                joint.append(state.string_to_action(line_of([choice]) if choice else "WAIT", player))
                if choice:
                    chosen[player].append(choice)
            turn = state.turn
            state.apply_actions(joint)
            if state.turn != turn or state.is_terminal():
                break
        twin.play([line_of(chosen[p]) if twin.board.out[p] is None else None for p in (0, 1)])
        assert walks.looks(state) == walks.twin_looks(twin.board)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 3))
def test_a_turn_of_actions_is_a_turn_of_text(seed: int, league: int) -> None:
    random = Random(seed)
    state, _ = walks.pair(walks.small_map(random), league)
    while not state.is_terminal() and state.turn < 8:
        before, chosen = state.clone(), cast(list[list[int]], [[], []])
        turn = state.turn
        while state.turn == turn and not state.is_terminal():
            joint = [random.choice(state.legal_actions(player)) for player in (0, 1)]
            for player in (0, 1):
                chosen[player].append(joint[player])
            state.apply_actions(joint)
        replies = {p: GAME.protocol.format_reply(before, p, chosen[p]) for p in before.asked()}
        report = GAME.protocol.play_turn(before, replies)
        assert report.notes == []
        assert report.faults == []
        assert before == state


def test_every_number_is_accepted_or_refused_as_listed() -> None:
    state = start(units="3,0_3,0_4,0_0,4_0,3_0,3")
    for player in (0, 1):
        legal = state.legal_actions(player)
        assert [action for action in range(-1, NUM_ACTIONS + 1) if state.accepts(action, player)] == legal
        for action in range(-1, NUM_ACTIONS + 1, 7):
            if action not in legal:
                with pytest.raises(IllegalAction):
                    state.apply_actions([action, 0] if player == 0 else [0, action])


def number_of(state: TryAngleState, player: int, text: str) -> int:
    """An action's number as `board` lays them out."""
    kind, *words = text.split()
    numbers = [int(word) for word in words]
    if kind == "WAIT":
        return 0
    if kind == "MOVE":
        start, goal, amount = numbers
        units = int(state.record["units"][player, start])
        return board.MOVES + (start * 50 + goal) * 3 + [1, -(-units // 2), units].index(amount)
    triangle = triangles_of(state.record).index(cast(tuple[int, int, int], tuple(sorted(numbers[:3]))))
    corner = sorted(numbers[:3]).index(numbers[0])
    return {
        "SPAWN": board.SPAWNS + 3 * triangle + corner,
        "ATTACK": board.ATTACKS + 50 * triangle + numbers[-1],
        "ADD_PATH": board.ADDS + (3 * triangle + corner) * 50 + numbers[-1],
        "REMOVE_PATH": board.REMOVES + (3 * triangle + corner) * 50 + numbers[-1],
    }[kind]


@pytest.mark.parametrize("seed", range(12))
def test_numbers_are_laid_out_as_the_board_says(seed: int) -> None:
    """What has been learned of actions is kept by their numbers."""
    random = Random(seed)
    state, _ = walks.pair(walks.small_map(random), 3)
    for _ in range(30):
        if state.is_terminal():
            break
        for player in (0, 1):
            for action in state.legal_actions(player):
                assert number_of(state, player, state.action_to_string(action, player)) == action
        state.apply_actions([random.choice(state.legal_actions(player)) for player in (0, 1)])


def test_leagues_unlock_commands() -> None:
    def kinds(league: str) -> set[str]:
        return {text.split(" ")[0] for text in words(start(league=league, units="3,0_3,0_4,1_0,4_0,3_0,3"), 0)}

    assert kinds("wood2") == {"MOVE", "SPAWN"}
    assert kinds("wood1") == {"MOVE", "SPAWN", "ATTACK"}
    assert kinds("bronze") == {"MOVE", "SPAWN", "ATTACK", "ADD_PATH", "REMOVE_PATH"}


def test_a_full_queue_leaves_only_the_end_of_the_turn() -> None:
    state = start(units="9999,0_1,0_2,0_0,2_0,1_0,1")
    move = state.string_to_action("MOVE 0 1 1", 0)
    for _ in range(MAX_QUEUE):
        assert state.turn == 1
        state.apply_actions([move, 0])
    assert state.legal_actions(0) == [0]
    state.apply_actions([0, 0])
    assert state.turn == 2
    assert state.record["units"][0, :2].tolist() == [9999 - MAX_QUEUE, 1 + MAX_QUEUE]


def test_who_is_done_only_waits() -> None:
    state = start()
    state.apply_actions([0, state.legal_actions(1)[1]])
    assert state.legal_actions(0) == [0]
    assert len(state.legal_actions(1)) > 1
    before = state.clone()
    with pytest.raises(IllegalAction):
        state.apply_actions([state.clone().legal_actions(1)[1], 0])
    assert state == before


def test_a_player_put_out_only_waits() -> None:
    state = start(units="1,0_1,0_2,0_0,0_0,0_0,0")
    assert state.asked() == (0,)
    assert state.legal_actions(1) == [0]
    state.apply_actions([0, 0])
    assert state.current_player() == TERMINAL
    assert state.scores() == (2, -1)


def test_at_the_end_nothing_is_legal_whoever_is_meant() -> None:
    state = start(units="1,0_1,0_2,0_0,0_0,0_0,0")
    state.apply_actions([0, 0])
    out = np.zeros(GAME.verbs.MAX_LEGAL, np.int64)
    for player in (0, 1):
        assert GAME.verbs.legal(state.record, player, out, *state.static) == 0
        assert not GAME.verbs.accepts(state.record, player, 0, *state.static)


def test_questions_without_a_player_are_refused() -> None:
    state = start()
    assert state.current_player() == SIMULTANEOUS
    for ask in (state.legal_actions, lambda: state.action_to_string(1), lambda: state.string_to_action("MOVE 0 1 1")):
        with pytest.raises(IllegalAction, match="say whose"):
            ask()
    with pytest.raises(IllegalAction, match="use apply_actions"):
        state.apply_action(0)
    with pytest.raises(IllegalAction, match="an action of each of 2 players"):
        state.apply_actions([0])


# -- perft, and the twin's own


def twin_perft(keys: dict[str, str], depth: int) -> int:
    board = NaiveMap(keys["nodes"], keys["edges"], keys["units"], LEAGUES.index(keys.get("league", "bronze")) + 1)
    return _count(NaiveReferee(board), keys, [], ([], []), (False, False), depth)


Joint = tuple[Choice | None, Choice | None]
History = list[tuple[list[Choice], list[Choice]]]


def _count(
    twin: NaiveReferee,
    keys: dict[str, str],
    history: History,
    chosen: tuple[list[Choice], list[Choice]],
    done: tuple[bool, bool],
    depth: int,
) -> int:
    """Joint actions below a position; positions after a turn are played anew from the start."""
    if depth == 0:
        return 1
    if twin.over or all(twin.board.out):
        return 0
    ways: list[list[Choice | None]] = []
    for p in (0, 1):
        closed = done[p] or twin.board.out[p] is not None
        ways.append([None, *([] if closed else choices(twin.board, p, chosen[p]))])
    if depth == 1:
        return len(ways[0]) * len(ways[1])
    total = 0
    for mine in ways[0]:
        for theirs in ways[1]:
            now = tuple(c if choice is None else [*c, choice] for c, choice in zip(chosen, (mine, theirs), strict=True))
            over = tuple(choice is None for choice in (mine, theirs))
            if all(over):
                turns = [*history, (now[0], now[1])]
                board = NaiveMap(keys["nodes"], keys["edges"], keys["units"], twin.board.league)
                after = NaiveReferee(board)
                for lines in turns:
                    after.play([line_of(lines[p]) if board.out[p] is None else None for p in (0, 1)])
                total += _count(after, keys, turns, ([], []), (False, False), depth - 1)
            else:
                total += _count(twin, keys, history, (now[0], now[1]), (over[0], over[1]), depth - 1)
    return total


def perft_rows() -> list[dict[str, str]]:
    with (Path(__file__).parent / "perft.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("row", perft_rows(), ids=lambda row: row["id"])
def test_the_twin_counts_the_same(row: dict[str, str]) -> None:
    assert twin_perft(json.loads(row["setup"]), int(row["depth"])) == int(row["count"])


def test_plain_python_plays_the_same_game() -> None:
    program = (
        "from random import Random\n"
        "from games.tryangle import walks\n"
        "from lapilli.games.tryangle import GAME\n"
        "for text in (*walks.ODD, 'MOVE 0 1 ', 'MOVE', 'SPAWN', 'MOVE 0 1 -', ' ', '-', 'MOVE 0 1 2;', ';'):\n"
        "    state, _ = walks.pair(walks.small_map(Random(3)), 3)\n"
        "    assert state.asked() == (0, 1)\n"
        "    print(GAME.protocol.play_turn(state, {0: text, 1: text}), state.position())\n"
        "kite = {'nodes': '100,300_300,100_300,500_500,300_700,300', 'units': '2,0_2,0_2,0_0,2_0,2'}\n"
        "state = GAME.new_initial_state(edges='0,1_0,2_1,2_1,3_2,3_3,4', **kite)\n"
        "assert state.record['triangles'] == 2\n"
        "print(GAME.protocol.play_turn(state, {0: 'REMOVE_PATH 1 0 2 3', 1: ''}), state.position())\n"
        "assert state.record['triangles'] == 1\n"
        "for seed in (0, 3, 5, 6):\n"
        "    random = Random(seed)\n"
        "    state, twin = walks.pair(walks.small_map(random), 3)\n"
        "    for _ in range(6):\n"
        "        lines = {p: walks.line(twin.board, p, random, 0.1) for p in state.asked()}\n"
        "        print([GAME.protocol.turn_input(state, p) for p in lines])\n"
        "        print(GAME.protocol.play_turn(state, lines)); twin.play([lines.get(0), lines.get(1)])\n"
        "    print(state.position())\n"
    )
    assert "MOVE" in printed_either_way(program)


def test_what_can_never_be_a_command_has_no_notation() -> None:
    """Action 222 would take units from house 1 to house 23, which is far away."""
    state = cast(TryAngleState, GAME.new_initial_state(seed=5))
    with pytest.raises(IllegalAction, match="action 222 is no command on this map"):
        state.action_to_string(222, 0)
    houses, record = int(state.record["houses"]), state.record
    x, y = record["x"].tolist(), record["y"].tolist()
    named = 0
    for action in range(1, GAME.num_distinct_actions, 7):
        try:
            kind, *words = state.action_to_string(action, 1).split()
        except IllegalAction:
            assert not state.accepts(action, 1)
            assert rules.command_at(record, 1, action, state.table) == -1
            continue
        named += 1
        numbers = [int(word) for word in words]
        here, there = numbers[0], numbers[1 if kind == "MOVE" else -1]
        assert max(here, there) < houses
        if kind == "MOVE":
            assert numbers[2] > 0
        else:
            assert tuple(sorted(numbers[:3])) in triangles_of(record)
            assert number_of(state, 1, " ".join([kind, *words])) == action
        if kind in ("MOVE", "ADD_PATH", "REMOVE_PATH"):
            assert (x[here] - x[there]) ** 2 + (y[here] - y[there]) ** 2 <= 400**2
        if kind == "REMOVE_PATH":
            assert there not in numbers[:3]
    assert named > 300
