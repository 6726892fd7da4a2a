"""What no game may stumble over: endless lines, half characters, odd messages, actions that are none."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from time import process_time
from typing import Any

import msgspec
import numpy as np
import pytest

from conformance.walks import GAMES, place
from lapilli.core.api import CHANCE, SIMULTANEOUS, Game, State, Termination
from lapilli.core.errors import IllegalAction
from lapilli.core.protocol.defaults import PlainProtocol
from lapilli.core.protocol.protocol import MAX_REPLY
from lapilli.core.reading.text import MESSAGE_LENGTH
from lapilli.games import load, names

SECONDS = 0.1
"""A generous bound for the processor's time in one turn, however busy the machine: what is linear takes some
milliseconds, what is quadratic a good part of a second, what is cubic an hour."""
ODD: dict[str, dict[str, Any]] = {
    name: json.loads(file.read_text(encoding="utf-8"))
    for name in names()
    if (file := place(load(name)) / "odd_replies.json").exists()
}
"""What games hold ready for this file, by name. Every game is told it all.

* `lines`: patterns (see `filled`) of lines that could be slow to read.
* `halves`: replies with half a character in them.
* `spoken`, in games whose bots can say something: a first `reply` that says MESSAGE, where {} stands for the first word
  of the last line that the player was sent; what the `others` reply; the `most` characters that are kept, with the
  `ending` that shows that there were more.
"""
SPEAKING = [name for name in ODD if "spoken" in ODD[name]]


def start(game: Game) -> State:
    """The first position in which players are asked."""
    state = game.new_initial_state(seed=5)
    while not state.asked():
        game.protocol.play_turn(state, {})
    return state


def filled(pattern: str) -> str:
    """`pattern` with its {} repeated until the whole is as long as a reply may be."""
    head, repeated, tail = pattern.split("|")
    room = MAX_REPLY - len((head + tail).encode())
    return head + repeated * (room // len(repeated.encode())) + tail


LINES = [  # of one sign, between words, before the end
    "| |",
    "| |x",
    "|\t\r|\x00",
    "|0|",
    "|-|",
    "|+|1",
    "|;|",
    "|\n|",
    *(line for odd in ODD.values() for line in odd["lines"]),
]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("pattern", LINES)
def test_the_longest_lines_are_read_in_no_time(game: Game, pattern: str) -> None:
    state, line = start(game), filled(pattern)
    game.protocol.play_turn(state.clone(), dict.fromkeys(state.asked(), ";x"))  # kernels are compiled now
    took = []
    for _ in range(3):  # garbage may be collected in the midst of one
        began = process_time()
        report = game.protocol.play_turn(state.clone(), dict.fromkeys(state.asked(), line))
        took.append(process_time() - began)
    assert min(took) < SECONDS
    assert all(fault.termination == Termination.INVALID for fault in report.faults), "it is not too long"
    assert all(len(fault.reason) < 400 and "\n" not in fault.reason for fault in report.faults)
    assert all(len(message) <= MESSAGE_LENGTH for message in report.messages.values())


HALVES = ["\ud800", *(line for odd in ODD.values() for line in odd["halves"])]


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
    state, spoken = start(game), ODD[game.name]["spoken"]
    player, reply = state.asked()[0], spoken["reply"]
    if "{}" in reply:
        reply = reply.replace("{}", game.protocol.turn_input(state, player).splitlines()[-1].split()[0])
    replies = dict.fromkeys(state.asked(), spoken.get("others", "")) | {player: reply.replace("MESSAGE", message)}
    report = game.protocol.play_turn(state, replies)
    return report.messages.get(player, ""), report.faults


@pytest.mark.parametrize("name", SPEAKING)
def test_messages_are_one_short_line(name: str) -> None:
    game, spoken = load(name), ODD[name]["spoken"]
    assert say(game, "good luck") == ("good luck", [])
    assert say(game, "  \x1b[31mred\x07 and\tblue \x9b\x7f ") == ("[31mred and blue", [])
    assert say(game, "\x1b\x00") == ("", [])
    assert say(game, "a\u2028b") == ("a b", [])
    most, ending = spoken.get("most", MESSAGE_LENGTH), spoken.get("ending", "…")
    assert say(game, "x" * most) == ("x" * most, [])
    assert say(game, "x" * 3000)[0] == "x" * (most - len(ending)) + ending
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
            if state.current_player() == CHANCE:
                assert len(legal) == 1 or isinstance(game.protocol, PlainProtocol), "the seed has settled it"
            action = random.choice(legal)
            assert state.action_to_string(as_kind(kind, action), 0) == other.action_to_string(action, 0)
            state.apply_action(as_kind(kind, action))
            other.apply_action(action)
        assert state == other


def as_kind(kind: Any, action: int) -> Any:
    """The action as a NumPy integer, of a larger kind where it does not fit."""
    return kind(action) if action <= np.iinfo(kind).max else np.int64(action)


@pytest.mark.parametrize("game", GAMES)
def test_players_who_do_not_exist_have_no_actions_and_cannot_leave(game: Game) -> None:
    state = start(game)
    before = state.clone()
    for player in (state.num_players, state.num_players + 1, 100):
        assert state.legal_actions(player) == []
    for player in (-1, state.num_players, 100):
        for call in (state.is_out, lambda player: state.leave(player, Termination.TIMEOUT), state.observation):
            with pytest.raises(IllegalAction, match="no player"):
                call(player)
    assert state == before


@pytest.mark.parametrize("game", GAMES)
def test_where_all_act_at_once_a_question_about_actions_names_a_player(game: Game) -> None:
    state = start(game)
    if state.current_player() != SIMULTANEOUS:
        assert state.accepts(state.legal_actions()[0])
        return
    assert state.accepts(state.legal_actions(0)[0], 0)
    for call in (state.legal_actions, lambda: state.accepts(0)):
        with pytest.raises(IllegalAction, match="say whose action"):
            call()


@pytest.mark.parametrize("game", GAMES)
def test_a_moves_text_is_no_action_of_a_player_who_is_not_to_move(game: Game) -> None:
    state = start(game)
    text = state.action_to_string(state.legal_actions(state.asked()[0])[0], state.asked()[0])
    for other in {*range(state.num_players + 1)} - {*state.asked()}:
        with pytest.raises(IllegalAction):
            state.string_to_action(text, other)
    with pytest.raises(IllegalAction) as caught:
        state.string_to_action("x" * 999, state.asked()[0])
    assert len(str(caught.value)) < 200
