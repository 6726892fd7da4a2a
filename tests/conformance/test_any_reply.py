"""Replies of random bytes and of commands put together at random, up to the longest and beyond: none is more than
data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import msgspec
import pytest

from conformance.walks import setups
from core.test_odd_replies import LINES, filled
from lapilli.core.api import Game, Setup, State, Termination
from lapilli.core.protocol.protocol import MAX_REPLY
from lapilli.core.reading.text import MESSAGE_LENGTH
from lapilli.games import load, names
from lapilli.match import Referee, verify
from lapilli.match.record import parse_record
from lapilli.players import Answer, Identity
from lapilli.players.engines.builtin import random_turn

MATCHES, TURNS = 6, 12
MOST = 6 * (MAX_REPLY + MESSAGE_LENGTH) + 6000
"""Bytes an entry may have in a record: JSON writes a control character with six. The rest is for notes and a fault."""
WORDS = [
    *";;;   \n\n\t\r-0123456789",
    "\x00",
    "MSG ",
    "WAIT",
    "RANDOM",
    "PUT",
    "PICK",
    "LINE",
    "TEXT 1 2 ",
    "99999999999",
]
WORDS += ["\x1b[0m", "é", "\ufeff", "\u2028", "\U0001f600", "\ud800"]


def a_length(random: Random) -> int:
    """Short, long, just about as long as can be, or too long."""
    return random.choice([random.randrange(50), random.randrange(MAX_REPLY), MAX_REPLY, MAX_REPLY + 1, 8 * MAX_REPLY])


def random_bytes(state: State, player: int, random: Random) -> str:
    """As a bot's bytes are heard."""
    signs = range(*random.choice([(0, 256), (0, 128), (1, 32), (128, 256)]))
    return bytes(random.choices(signs, k=a_length(random))).decode("utf-8", "replace")


def random_commands(state: State, player: int, random: Random) -> str:
    """Whole legal turns, single actions, and words that some game knows, one after the other."""
    legal = state.legal_actions(player)
    turn = sensible(state, player, random)
    words = [turn, *(state.action_to_string(random.choice(legal), player) for _ in range(5))]
    words += random.choice([[], random.choices(WORDS, k=12)])
    separator, length = random.choice([";", " ", "\n", ""]), a_length(random)
    return (turn + separator + separator.join(random.choices(words, k=length // 2)))[:length]


def slow_to_read(state: State, player: int, random: Random) -> str:
    """What games hold ready because it could be."""
    return filled(random.choice(LINES))


def sensible(state: State, player: int, random: Random) -> str:
    """A reply that every bot could give."""
    return state.game.protocol.format_reply(state, player, random_turn(state.clone(), player, random))


FORMS = [
    pytest.param(game, setup, id=f"{game.name} {setup.to_dict()}")
    for game in map(load, names())
    for setup in setups(game)
    if setup.seed is None
]
"""Each match has a seed of its own."""


@pytest.mark.parametrize(("game", "setup"), FORMS)
@pytest.mark.parametrize("reply", [random_bytes, random_commands, slow_to_read])
def test_any_reply_is_heard_and_kept_within_bounds(
    game: Game, setup: Setup, reply: Callable[[State, int, Random], str]
) -> None:
    for seed in range(MATCHES):
        random = Random(seed)
        players = [Identity("a")] * (setup.players or 2)
        referee = Referee(game, players, replace(setup, seed=seed))
        for _ in range(TURNS):
            if referee.over:
                break
            say = reply if random.randrange(TURNS) < 4 else sensible
            asked = [question.player for question in referee.pending()]
            step = referee.play_step({player: Answer(say(referee.state, player, random)) for player in asked})
            assert all(fault.termination in (Termination.INVALID, Termination.FLOODED) for fault in step.report.faults)
            game.pictures(referee.state, step)
        assert all(len(msgspec.json.encode(entry)) <= MOST for entry in referee.record.turns)
        again = parse_record(referee.record.to_json())
        assert again == referee.record
        verify(again)
