"""TryAngle's State: the kernel's positions with names, checks and notation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from lapilli.games.errors import IllegalAction, SetupError
from lapilli.games.faults import code_of, termination_of
from lapilli.games.kernel import SIMULTANEOUS, TERMINAL
from lapilli.games.numbers import action_number
from lapilli.games.outcome import Outcome, Termination, ranks_of
from lapilli.games.setup import Setup
from lapilli.games.state import State
from lapilli.games.tryangle.board import (
    ACTIVE,
    DONE,
    FAULT,
    KEYWORDS,
    LEAGUES,
    MAX_TURNS,
    MOVE,
    NUM_ACTIONS,
    OUT_REASONS,
    SPAWN,
)
from lapilli.games.tryangle.rules import turn as rules
from lapilli.games.tryangle.rules import verbs as search
from lapilli.games.tryangle.rules.geometry import Table, table_of
from lapilli.games.tryangle.rules.position import TRYANGLE
from lapilli.games.tryangle.state.maps import generate, read_map
from lapilli.games.tryangle.state.notation import read_position, write_position
from lapilli.games.wording import quoted


class TryAngleState(State):
    """A position of TryAngle. Both players act at once; an atomic action is one command, 0 ends the player's turn.

    `legal_actions`, `action_to_string` and `string_to_action` want to know whose: commands are the players' own.
    """

    DTYPE = TRYANGLE
    __slots__ = ("_table",)

    @property
    def table(self) -> Table:
        """The map's table of paths (see `geometry`). It follows from the houses' places and is shared."""
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
            rules.begin(record)
        return cls.of_record(setup, record)

    def clone(self) -> Self:
        copy = super().clone()
        copy._table = self.table
        return copy

    # -- whose turn -----------------------------------------------------------------------------------
    @property
    def turn(self) -> int:
        number: int = self.array["turn"].item()
        return number

    def current_player(self) -> int:
        return TERMINAL if self.array["over"].item() else SIMULTANEOUS

    def asked(self) -> tuple[int, ...]:
        if self.array["over"].item():
            return ()
        return tuple(player for player, out in enumerate(self.array["out"][0].tolist()) if out == ACTIVE)

    # -- actions --------------------------------------------------------------------------------------
    def legal_actions(self, player: int | None = None) -> list[int]:
        if self.array["over"].item():
            return []
        out = np.empty(search.MAX_LEGAL, np.int32)
        actions: list[int] = out[: search.list_legal(self.array, self.table, _whose(player), out)].tolist()
        return actions

    def is_legal(self, player: int, action: int) -> bool:
        """Whether `player` may play the action now."""
        return 0 <= action < NUM_ACTIONS and bool(search.is_legal(self.record, self.table, player, action))

    def apply_action(self, action: int) -> None:
        raise IllegalAction("both players act at once: use apply_actions")

    def apply_actions(self, actions: Sequence[int]) -> None:
        if self.array["over"].item():
            raise IllegalAction("the game is over")
        try:
            first, second = actions
        except (TypeError, ValueError):
            shown = quoted(actions, 40)
            raise IllegalAction(f"expected an action of each of the two players, not {shown}") from None
        chosen = action_number(first), action_number(second)
        beyond = [player for player, action in enumerate(chosen) if not 0 <= action < NUM_ACTIONS]
        wrong = beyond[0] if beyond else search.try_step(self.array, self.table, *chosen)
        if wrong >= 0:
            raise IllegalAction(f"{chosen[wrong]} is no legal action of player {wrong} now")

    def action_to_string(self, action: int, player: int | None = None) -> str:
        """The command as text. Raises IllegalAction where the action is no command on this map, whoever owns what."""
        action = action_number(action)
        if action == DONE:
            return "WAIT"
        if not 0 < action < NUM_ACTIONS:
            raise IllegalAction(f"{action} is no action: actions are 0 to {NUM_ACTIONS - 1}")
        command = np.empty(5, np.int64)
        if not search.exists(self.record, self.table, _whose(player), action, command):
            raise IllegalAction(f"action {action} is no command on this map")
        kind, triangle, house, target, amount = command.tolist()
        if kind == MOVE:
            return f"MOVE {house} {target} {amount}"
        others = [corner for corner in self.record["corners"][triangle].tolist() if corner != house]
        words = [KEYWORDS[kind], house, *others, *([] if kind == SPAWN else [target])]
        return " ".join(map(str, words))

    def string_to_action(self, text: str, player: int | None = None) -> int:
        wanted = " ".join(text.upper().split())
        for action in self.legal_actions(_whose(player)):
            if self.action_to_string(action, player) == wanted:
                return action
        raise IllegalAction(f"{quoted(text, 60)} is no legal command of player {player} now")

    # -- results --------------------------------------------------------------------------------------
    def position(self) -> str:
        return write_position(self.record)

    def put_out(self, player: int, termination: Termination) -> None:
        """Puts a player out for what it did: the game ends with this turn."""
        self.record["out"][player] = code_of(termination, FAULT)

    def scores(self) -> tuple[int, ...]:
        """Points; -1 for a player who was put out."""
        points, out = self.record["score"].tolist(), self.record["out"].tolist()
        return tuple(score if why == ACTIVE else -1 for score, why in zip(points, out, strict=True))

    def outcome(self) -> Outcome | None:
        if not self.record["over"]:
            return None
        scores = self.scores()
        why = {player: out for player, out in enumerate(self.record["out"].tolist()) if out != ACTIVE}
        if not why:
            return Outcome(scores, ranks_of(scores), Termination.TURN_LIMIT, f"all {MAX_TURNS} turns are played")
        faults = [player for player, out in why.items() if out >= FAULT]
        termination = termination_of(why[faults[0]], FAULT) if faults else Termination.DECIDED
        reasons = [f"player {player}: {_reason(out)}" for player, out in why.items()]
        culprit = faults[0] if len(faults) == 1 else None
        return Outcome(scores, ranks_of(scores), termination, "; ".join(reasons), culprit)


def _reason(out: int) -> str:
    if out < FAULT:
        return OUT_REASONS[out]
    termination = termination_of(out, FAULT)
    return "unknown command" if termination == Termination.INVALID else termination.value


def _whose(player: int | None) -> int:
    if player not in (0, 1):
        raise IllegalAction("both players act at once: say whose action, player 0's or player 1's")
    return player
