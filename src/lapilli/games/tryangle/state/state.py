"""The class of TryAngle's positions: notation of commands, scores and outcomes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from lapilli.core.errors import IllegalAction, SetupError
from lapilli.core.reading.numbers import action_number
from lapilli.core.reading.text import quoted
from lapilli.core.rules.fault_codes import termination_of
from lapilli.core.rules.outcome import Outcome, Termination, ranks_of
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.games.tryangle.board import (
    ACTIVE,
    DOMINATED,
    DONE,
    FAULT,
    HOPELESS,
    KEYWORDS,
    LEAGUES,
    MAX_TURNS,
    MOVE,
    NO_UNITS,
    NUM_ACTIONS,
    SPAWN,
)
from lapilli.games.tryangle.rules import verbs as rules
from lapilli.games.tryangle.rules.commands import parts_of
from lapilli.games.tryangle.rules.geometry import Table, table_of
from lapilli.games.tryangle.rules.position import TRYANGLE
from lapilli.games.tryangle.rules.turn import begin
from lapilli.games.tryangle.state.maps import generate, read_map
from lapilli.games.tryangle.state.notation import read_position, write_position
from lapilli.games.tryangle.state.old_records import OLD_TRYANGLE, convert_old
from lapilli.kernels.kernel import Static

_PUT_OUT = {
    NO_UNITS: "had no units and no triangles left",
    HOPELESS: "could not score any more points",
    DOMINATED: "was left with too few triangles",
}
"""For each reason why the rules put a player out: the end of a sentence about the player."""


class TryAngleState(State):
    """A position of TryAngle. Both players act at once; an atomic action is one command, and 0 ends the player's turn.

    `legal_actions`, `action_to_string` and `string_to_action` require the argument `player`, since the players have
    different commands.
    """

    DTYPE = TRYANGLE
    STATIC_EXAMPLE = (np.zeros(1, np.int32),)
    STATIC_FIELDS = ("houses", "x", "y")
    __slots__ = ("_table",)

    @property
    def static(self) -> Static:
        return (self.table,)

    @property
    def table(self) -> Table:
        """The table of possible paths on the map (see `rules.geometry`). Positions with the same houses share it."""
        table: Table | None = getattr(self, "_table", None)
        if table is None:
            table = self._table = table_of(self.record)
        return table

    @classmethod
    def initial(cls, setup: Setup) -> Self:
        if setup.position is not None:
            if setup.own:
                raise SetupError(f"a position brings its own map: leave out {' and '.join(sorted(setup.own))}")
            record = read_position(setup.position)
        else:
            record = read_map(setup.own) if setup.own else generate(setup.seed or 0)
        record["league"] = 1 + LEAGUES.index(setup.league or LEAGUES[-1])
        if setup.position is None:
            begin(record, table_of(record))
        return cls.of_record(setup, record)

    def clone(self) -> Self:
        copy = super().clone()
        copy._table = self.table
        return copy

    @classmethod
    def _array_from(cls, data: bytes) -> Any:
        return convert_old(data) if len(data) == OLD_TRYANGLE.itemsize else super()._array_from(data)

    def _comparable(self) -> bytes:
        array = self.array.copy()
        array["rebuilt"] = 0
        return array.tobytes()

    # -- actions --------------------------------------------------------------------------------------
    def action_to_string(self, action: int, player: int | None = None) -> str:
        """Returns the command that an action of `player` (0 or 1) chooses, as text, whether the command is legal or
        not.

        Raises:
            IllegalAction: there can be no such command on this map, or `player` is None.
        """
        action = action_number(action)
        if action == DONE:
            return "WAIT"
        if not 0 < action < NUM_ACTIONS:
            raise IllegalAction(f"{action} is no action: actions are 0 to {NUM_ACTIONS - 1}")
        command = rules.command_at(self.record, _checked(player), action, self.table)
        if command < 0:
            raise IllegalAction(f"action {action} is no command on this map")
        kind, triangle, house, target, amount = parts_of(command)
        if kind == MOVE:
            return f"MOVE {house} {target} {amount}"
        others = [corner for corner in self.record["corners"][triangle].tolist() if corner != house]
        words = [KEYWORDS[kind], house, *others, *([] if kind == SPAWN else [target])]
        return " ".join(map(str, words))

    def string_to_action(self, text: str, player: int | None = None) -> int:
        wanted = " ".join(text.upper().split())
        for action in self.legal_actions(_checked(player)):
            if self.action_to_string(action, player) == wanted:
                return action
        raise IllegalAction(f"{quoted(text, 60)} is no legal command of player {player} now")

    # -- results --------------------------------------------------------------------------------------
    def position(self) -> str:
        return write_position(self.record)

    def scores(self) -> tuple[int, ...]:
        """Returns the points of each player; -1 for a player who was put out."""
        points, out = self.record["score"].tolist(), self.record["left"].tolist()
        return tuple(score if why == ACTIVE else -1 for score, why in zip(points, out, strict=True))

    def outcome(self) -> Outcome | None:
        if not self.record["over"]:
            return None
        scores = self.scores()
        why = {player: out for player, out in enumerate(self.record["left"].tolist()) if out != ACTIVE}
        if not why:
            return Outcome(scores, ranks_of(scores), Termination.TURN_LIMIT, f"all {MAX_TURNS} turns were played")
        faults = [player for player, out in why.items() if out >= FAULT]
        termination = termination_of(why[faults[0]], FAULT) if faults else Termination.DECIDED
        reasons = [f"{self.game.sides[player]} {_reason(out)}" for player, out in why.items()]
        culprit = faults[0] if len(faults) == 1 else None
        return Outcome(scores, ranks_of(scores), termination, "; ".join(reasons), culprit)


def _reason(out: int) -> str:
    if out < FAULT:
        return _PUT_OUT[out]
    termination = termination_of(out, FAULT)
    return "wrote an unknown command" if termination == Termination.INVALID else f"left the game ({termination})"


def _checked(player: int | None) -> int:
    if player not in (0, 1):
        raise IllegalAction("both players act at once: say whose action, player 0's or player 1's")
    return player
