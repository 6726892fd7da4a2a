"""The protocol between referee and bots in TryAngle, as in the original game on CodinGame."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import cast

import numpy as np

from lapilli.core.game import Game
from lapilli.core.protocol.protocol import Protocol, Replies, TurnReport, reply_of
from lapilli.core.rules.outcome import Fault, Termination
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.games.tryangle.protocol.parsing import read_line
from lapilli.games.tryangle.protocol.reading import TryAngleReader
from lapilli.games.tryangle.protocol.writing import TURN_BYTES, write_turn_input
from lapilli.games.tryangle.rules.turn import play_turn
from lapilli.games.tryangle.state.state import TryAngleState
from lapilli.kernels.ascii import written

_NOTHING = np.empty(0, np.int64)


class TryAngleProtocol(Protocol):
    """The protocol of TryAngle.

    The opening input lists the houses. A turn's input has scores, units, paths, triangles and possible paths. A reply
    is a list of commands joined by `;`.
    """

    def opening_input(self, state: State, player: int) -> str:
        record = state.record
        return _opening(int(record["houses"]), record["x"].tobytes(), record["y"].tobytes())

    def turn_input(self, state: State, player: int) -> str:
        return written(TURN_BYTES, write_turn_input, state.array, player)

    def reader(self, game: Game, setup: Setup) -> TryAngleReader:
        return TryAngleReader(game, setup)

    def format_reply(self, state: State, player: int, actions: Sequence[int]) -> str:
        return ";".join(state.action_to_string(action, player) for action in actions if action) or "WAIT"

    def play_turn(self, state: State, replies: Replies) -> TurnReport:
        state = cast(TryAngleState, state)
        report = TurnReport(state.turn)
        asked = state.asked()
        if not asked:
            return report
        commands = [_NOTHING, _NOTHING]
        for player in asked:
            reply = reply_of(replies, player)
            if isinstance(reply, Fault):
                report.faults.append(reply)
                continue
            report.actions[player] = reply
            report.readings[player] = reading = read_line(state.record, player, reply)
            commands[player] = reading.commands
            if reading.message:
                report.messages[player] = reading.message
            if reading.notes:
                report.notes += [(player, note) for note in reading.notes]
            if reading.unknown is not None:
                report.faults.append(Fault(player, Termination.INVALID, reading.unknown))
        for fault in report.faults:
            state.leave(fault.player, fault.termination)
        mine, theirs = commands
        play_turn(state.record, state.table, mine, len(mine), theirs, len(theirs))
        return report


@lru_cache(maxsize=64)
def _opening(houses: int, xs: bytes, ys: bytes) -> str:
    x, y = np.frombuffer(xs, np.int16).tolist(), np.frombuffer(ys, np.int16).tolist()
    return f"{houses}\n" + "".join(f"{house} {x[house]} {y[house]}\n" for house in range(houses))
