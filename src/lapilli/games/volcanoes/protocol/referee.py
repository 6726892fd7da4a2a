"""The protocol of Volcanoes, as in the statement of the original game on CodinGame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from lapilli.core.game import Game
from lapilli.core.protocol.protocol import Protocol, Replies, TurnReport, reply_of
from lapilli.core.reading.text import quoted
from lapilli.core.rules.outcome import Fault, Termination
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import GROWTH, INDEX, NAMES, NEIGHBOURS, TILES
from lapilli.games.volcanoes.protocol.reading import VolcanoesReader
from lapilli.games.volcanoes.protocol.writing import TURN_BYTES, write_turn_input
from lapilli.games.volcanoes.state import VolcanoesState
from lapilli.kernels.ascii import written

_OPENING = f"{TILES}\n" + "".join(f"{name} {a} {b} {c}\n" for name, (a, b, c) in zip(NAMES, NEIGHBOURS, strict=True))


class VolcanoesProtocol(Protocol):
    """The protocol of Volcanoes.

    The opening input lists the 80 tiles with their neighbours. A turn's input has the levels of all tiles, positive for
    the bot's own volcanoes, and the names of the legal tiles. A reply is a tile's name, or RANDOM for a random legal
    tile.
    """

    def opening_input(self, state: State, player: int) -> str:
        return _OPENING

    def turn_input(self, state: State, player: int) -> str:
        return written(TURN_BYTES, write_turn_input, state.array, player)

    def reader(self, game: Game, setup: Setup) -> VolcanoesReader:
        return VolcanoesReader(game, setup)

    def format_reply(self, state: State, player: int, actions: Sequence[int]) -> str:
        (action,) = actions
        return NAMES[action]

    def play_turn(self, state: State, replies: Replies) -> TurnReport:
        state = cast(VolcanoesState, state)
        report = TurnReport(state.turn)
        asked = state.asked()
        if not asked:
            if state.game.facade.try_play(state.array, GROWTH, ()):
                report.event = "growth"
            return report
        (player,) = asked
        reply = reply_of(replies, player)
        if isinstance(reply, str):
            tile = _tile_of(state, reply)
            if tile >= 0 and state.game.facade.try_play(state.array, tile, ()):
                report.actions[player] = NAMES[tile]
                return report
            report.actions[player] = reply
        if state.is_terminal():  # a player without a legal move loses whatever the reply is; this is no fault
            state.leave(player, Termination.NO_MOVE)
            return report
        fault = reply if isinstance(reply, Fault) else Fault(player, Termination.INVALID, _why_invalid(reply))
        report.faults.append(fault)
        state.leave(player, fault.termination)
        return report


def _tile_of(state: VolcanoesState, reply: str) -> int:
    """Returns the tile that a reply names; -1 if it names no tile. For the reply RANDOM, draws a legal tile.

    Like the original referee, it accepts upper and lower case, but no blanks around the word.
    """
    word = reply.upper()
    if word == "RANDOM" and not state.is_terminal():
        return rules.draw_random(state.record)
    return INDEX.get(word, -1)


def _why_invalid(reply: str) -> str:
    """Returns the reason why a reply is invalid, as a message for people."""
    shown = quoted(reply, 60)
    if reply.upper() in INDEX:
        return f"{shown} is not a valid move now"
    if reply.strip().upper() in {*INDEX, "RANDOM"}:
        return f"{shown} has blanks around it, which the referee does not forgive"
    return f"{shown} is neither a tile's name nor RANDOM"
