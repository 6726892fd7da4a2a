"""Volcanoes' bot text, as the statement has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from lapilli.games.api import Fault, Protocol, Replies, State, Termination, TurnReport
from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import GROWTH, INDEX, NAMES, NEIGHBOURS, TILES
from lapilli.games.volcanoes.state import VolcanoesState

_OPENING = f"{TILES}\n" + "".join(f"{name} {a} {b} {c}\n" for name, (a, b, c) in zip(NAMES, NEIGHBOURS, strict=True))


class VolcanoesProtocol(Protocol):
    """80 tiles once; then levels (own positive) and valid moves each turn; a reply is a tile's name or RANDOM."""

    def opening_input(self, state: State, player: int) -> str:
        return _OPENING

    def turn_input(self, state: State, player: int) -> str:
        text = np.empty(rules.TURN_INPUT_BYTES, np.uint8)
        return text[: rules.write_turn_input(state.record, player, text)].tobytes().decode("ascii")

    def format_reply(self, state: State, player: int, actions: Sequence[int]) -> str:
        (action,) = actions
        return NAMES[action]

    def play_turn(self, state: State, replies: Replies) -> TurnReport:
        state = cast(VolcanoesState, state)
        report = TurnReport(state.turn)
        asked = state.asked()
        if not asked:
            state.apply_action(GROWTH)
            report.event = "growth"
            return report
        (player,) = asked
        reply = self.timeouts(state, replies)[player]
        if state.is_terminal():  # nothing the mover could say would help: it has no legal move
            if isinstance(reply, str):
                report.actions[player] = reply
            state.forfeit(player)
        elif isinstance(reply, Fault):
            report.faults.append(reply)
            state.forfeit(player)
        elif (tile := _understand(state, reply)) is None:
            report.actions[player] = reply
            report.faults.append(Fault(player, Termination.INVALID, _complaint(reply)))
            state.forfeit(player)
        else:
            report.actions[player] = NAMES[tile]
            rules.play(state.record, tile)
        return report


def _understand(state: VolcanoesState, reply: str) -> int | None:
    """The tile a reply means. Upper-cased as the original does, in the root locale and without trimming."""
    word = reply.upper()
    if word == "RANDOM":
        return rules.draw_random(state.record)
    tile = INDEX.get(word)
    return tile if tile is not None and state.is_legal(tile) else None


def _complaint(reply: str) -> str:
    shown = repr(reply if len(reply) <= 60 else reply[:57] + "...")
    if reply.upper() in INDEX:
        return f"{shown} is not a valid move now"
    if reply.strip().upper() in {*INDEX, "RANDOM"}:
        return f"{shown} has blanks around it, which the referee does not forgive"
    return f"{shown} is neither a tile's name nor RANDOM"
