"""What no game may stumble over: endless lines, half characters, odd messages, actions that are none."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from time import perf_counter
from typing import Any

import msgspec
import numpy as np
import pytest

from lapilli.games import load, names
from lapilli.games.api import CHANCE, SIMULTANEOUS, Game, State
from lapilli.games.errors import IllegalAction
from lapilli.games.wording import MESSAGE_LENGTH

LENGTH = 128 * 1024
SECONDS = 2.0
"""A generous bound for one turn: what is linear takes some milliseconds, what is quadratic half a minute."""
GAMES = [pytest.param(load(name), id=name) for name in names()]
SPOKEN = {"kingdomino": "PUT 0 0 0\nPICK {} MESSAGE", "pyramids": "A1-A2 MSG MESSAGE", "tryangle": "MSG MESSAGE"}
"""A first reply that says something, in the games whose bots can."""


def start(game: Game) -> State:
    """The first position in which players are asked."""
    state = game.new_initial_state(seed=5)
    while not state.asked():
        game.protocol.play_turn(state, {})
    return state


def filled(pattern: str) -> str:
    """`pattern` with its {} repeated until the whole is as long as a line may be."""
    head, repeated, tail = pattern.split("|")
    return head + repeated * ((LENGTH - len(head) - len(tail)) // len(repeated)) + tail


LINES = [
    # of one sign, between words, before the end
    "| |",
    "| |x",
    "|\t\r|\x00",
    "|0|",
    "|-|",
    "|+|1",
    "|;|",
    "|\n|",
    # Kingdomino
    "PUT 0 0 0\nPICK 10 x| |y",
    "PUT 0 0 0\nPICK 10 | \t\r|\x85",
    "PUT 0 0 0\nPICK |0|10",
    "PUT 0 0 0\nPICK |9|",
    "PUT |\t|0 0 0\nPICK 10",
    "PUT 0 0 0| |z\nPICK 10",
    "PUT 0 |0 |\nPICK 10",
    "PUT |-|0 0 0\nPICK 10",
    # Pyramids
    "|A1-A2 |",
    "|MSG|",
    "|B2-A3 A3-B2 |MSG",
    "A1|-A1|",
    "A1-A2; | ;|MSG",
    "MSG| |x",
    # TryAngle
    "LINE 1 2 3 |4|",
    "LINE 1 2 | |\x01",
    "LINE |1 |",
    "TEXT 1 2| |\nb",
    "TEXT 1 2 a| |\nb",
    "TEXT 1 2 | \r\n|\x85",
    "TEXT |1| 2 b",
    "TEXT 1 2 |\x85|",
    "|TEXT 1 2 |",
    "|MSG ;|",
    "MSG |\t|",
    "|MOVE 0 1 1;|",
    "|x;|",
    "|LINE 1 2 3 4;|",
    "|TEXT 1 1 ;|",
    "MOVE 0 |0|1 1",
    # Volcanoes
    "N01| |",
    "|ß|",
    "|RANDOM|",
]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("pattern", LINES)
def test_the_longest_lines_are_read_in_no_time(game: Game, pattern: str) -> None:
    state, line = start(game), filled(pattern)
    game.protocol.play_turn(state.clone(), dict.fromkeys(state.asked(), ";x"))  # kernels are compiled now
    began = perf_counter()
    report = game.protocol.play_turn(state, dict.fromkeys(state.asked(), line))
    assert perf_counter() - began < SECONDS
    assert all(len(fault.reason) < 400 and "\n" not in fault.reason for fault in report.faults)
    assert all(len(message) <= MESSAGE_LENGTH for message in report.messages.values())


HALVES = ["\ud800", "MSG \udfff", "PUT 0 0 0\nPICK 10 \ud83d\ude00", "N01\udc80", "A1-A2 MSG a\ud800b"]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("line", HALVES)
def test_half_characters_do_not_get_into_a_record(game: Game, line: str) -> None:
    state = start(game)
    report = game.protocol.play_turn(state, dict.fromkeys(state.asked(), line))
    heard = [*report.actions.values(), *report.messages.values(), *(text for _, text in report.notes)]
    for text in [*heard, *(fault.reason for fault in report.faults)]:
        assert msgspec.json.decode(msgspec.json.encode(text)) == text
    again = start(game)
    replayed = game.protocol.play_turn(again, report.actions)
    assert again == state
    assert replayed.faults == report.faults


def say(game: Game, message: str) -> tuple[str, list[Any]]:
    """What is kept of a first player's message, and the faults."""
    state = start(game)
    reply = SPOKEN[game.name]
    if game.name == "kingdomino":
        reply = reply.replace("{}", game.protocol.turn_input(state, 0).splitlines()[-1].split()[0])
    player = state.asked()[0]
    replies = dict.fromkeys(state.asked(), "WAIT") | {player: reply.replace("MESSAGE", message)}
    report = game.protocol.play_turn(state, replies)
    return report.messages.get(player, ""), report.faults


@pytest.mark.parametrize("name", sorted(SPOKEN))
def test_messages_are_one_short_line(name: str) -> None:
    game = load(name)
    assert say(game, "good luck") == ("good luck", [])
    assert say(game, "  \x1b[31mred\x07 and\tblue \x9b\x7f ") == ("[31mred and blue", [])
    assert say(game, "\x1b\x00") == ("", [])
    assert say(game, "a\u2028b") == ("a b", [])
    most = 50 if name == "tryangle" else MESSAGE_LENGTH
    assert say(game, "x" * most) == ("x" * most, [])
    longer, _ = say(game, "x" * 3000)
    assert longer == ("x" * most if name == "tryangle" else "x" * (most - 1) + "…")
    assert say(game, "d\ud800") == ("d\ufffd", [])


NO_ACTIONS: list[Any] = [2.5, 1.0, None, "1", "x" * 999, b"1", [1], (1, 2), {}, float("nan"), np.float64(1)]
NO_ACTIONS += [np.zeros(2), np.zeros((3, 3)), "a\nb"]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("action", NO_ACTIONS, ids=lambda action: type(action).__name__)
def test_what_is_no_integer_is_no_action(game: Game, action: Any) -> None:
    state = start(game)
    before = state.clone()
    calls: list[tuple[Callable[..., object], Any]] = [(state.action_to_string, action), (state.apply_action, action)]
    if state.current_player() == SIMULTANEOUS:
        calls += [(state.apply_actions, [0, action]), (state.apply_actions, action)]
    for call, argument in calls:
        with pytest.raises(IllegalAction) as caught:
            call(argument)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 150
    assert state == before


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("action", [-1, 10**6, 2**63, -(2**70)])
def test_numbers_beyond_all_actions(game: Game, action: int) -> None:
    state = start(game)
    before = state.clone()
    with pytest.raises(IllegalAction):
        state.action_to_string(action, 0)
    with pytest.raises(IllegalAction):
        state.apply_action(action)
    if state.current_player() == SIMULTANEOUS:
        with pytest.raises(IllegalAction):
            state.apply_actions([action, 0])
    assert state == before


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("game", GAMES)
def test_numpys_integers_are_actions(game: Game, kind: Any) -> None:
    state, random = start(game), Random(1)
    other = state.clone()
    for _ in range(12):
        if state.is_terminal():
            break
        if state.current_player() == SIMULTANEOUS:
            pair = [random.choice(state.legal_actions(player)) for player in (0, 1)]
            state.apply_actions([as_kind(kind, action) for action in pair])
            other.apply_actions(pair)
        else:
            legal = state.legal_actions()
            assert state.current_player() != CHANCE or len(legal) == 1
            action = random.choice(legal)
            assert state.action_to_string(as_kind(kind, action), 0) == other.action_to_string(action, 0)
            state.apply_action(as_kind(kind, action))
            other.apply_action(action)
        assert state == other


def as_kind(kind: Any, action: int) -> Any:
    """The action as a NumPy integer, of a larger kind where it does not fit."""
    return kind(action) if action <= np.iinfo(kind).max else np.int64(action)
