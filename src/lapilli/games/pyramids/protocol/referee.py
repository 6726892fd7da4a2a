"""The protocol between referee and bots in Volcano with pyramids. RULES.md describes the protocol for people.

There is no original protocol for this game: we designed it like the protocols of the other games.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from lapilli.core.errors import IllegalAction
from lapilli.core.game import Game
from lapilli.core.protocol.protocol import Protocol, Replies, TurnReport, reply_of
from lapilli.core.reading.text import message_of
from lapilli.core.rules.outcome import Fault, Termination
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.games.pyramids.protocol.reading import PyramidsReader
from lapilli.games.pyramids.protocol.writing import TURN_BYTES, opening_lines, write_turn_input
from lapilli.games.pyramids.rules.verbs import MAX_LEGAL
from lapilli.games.pyramids.state.notation import quote
from lapilli.games.pyramids.state.state import PyramidsState
from lapilli.kernels.ascii import written

_MESSAGE = re.compile(r"(?:^|[\s;])MSG(?:\s|$)")
_BETWEEN = re.compile(r"[\s;]+")


class PyramidsProtocol(Protocol):
    """The protocol of Volcano with pyramids.

    In each turn, one player is asked and replies with one line that contains the whole turn.
    """

    def opening_input(self, state: State, player: int) -> str:
        assert isinstance(state, PyramidsState)
        variant = state.setup.variant or state.board.name
        return "".join(f"{line}\n" for line in opening_lines(variant, player))

    def turn_input(self, state: State, player: int) -> str:
        return written(TURN_BYTES, write_turn_input, state.array, player, np.empty(MAX_LEGAL, np.int64))

    def reader(self, game: Game, setup: Setup) -> PyramidsReader:
        return PyramidsReader(game, setup)

    def format_reply(self, state: State, player: int, actions: Sequence[int]) -> str:
        return " ".join(state.action_to_string(action) for action in actions)

    def play_turn(self, state: State, replies: Replies) -> TurnReport:
        assert isinstance(state, PyramidsState)
        report = TurnReport(state.turn)
        for player in state.asked():
            reply = reply_of(replies, player)
            fault = reply if isinstance(reply, Fault) else _play_reply(state, player, reply, report)
            if fault is not None:
                state.leave(player, fault.termination)
                report.faults.append(fault)
        return report


def _play_reply(state: PyramidsState, player: int, reply: str, report: TurnReport) -> Fault | None:
    """Plays a bot's reply, which must be a whole turn, and adds the reply to the report.

    Returns None if the reply is valid. Otherwise returns the fault, and the position is not changed.
    """
    text, *rest = _MESSAGE.split(reply, maxsplit=1)
    if message := message_of("".join(rest)):
        report.messages[player] = message
    moves = [move for move in _BETWEEN.split(text) if move]
    trial = state.clone()
    try:
        actions = _read_turn(trial, moves)
    except IllegalAction as problem:
        report.actions[player] = reply
        return Fault(player, Termination.INVALID, str(problem))
    report.actions[player] = " ".join(map(state.action_to_string, actions))
    state.become(trial)
    return None


def _read_turn(trial: PyramidsState, moves: list[str]) -> list[int]:
    """Plays moves such as "B2-A3" on the position `trial` and returns them as actions.

    Raises:
        IllegalAction: the moves are not exactly one whole turn.
    """
    turn = trial.turn
    actions: list[int] = []
    for move in moves:
        if trial.turn != turn:
            raise IllegalAction(f"{quote(move)} comes after an eruption, which ends the turn")
        if trial.is_terminal():
            raise IllegalAction(f"{quote(move)}: no legal step is left")
        actions.append(trial.read_step(move))
        if not trial.game.facade.try_play(trial.array, actions[-1], ()):
            raise IllegalAction(f"{quote(move)}: {trial.refusal(actions[-1])}")
    if not moves:
        raise IllegalAction("no move: a turn is moves like B2-A3, of which the last makes a stack erupt")
    if trial.turn == turn and not trial.is_terminal():
        raise IllegalAction(f"unfinished turn: nothing has erupted after {quote(moves[-1])}")
    return actions
