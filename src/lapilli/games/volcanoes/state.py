"""The State of Volcanoes: position notation, names of actions, messages and outcomes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Self

import numpy as np

from lapilli.core.errors import IllegalAction, PositionError
from lapilli.core.reading.numbers import action_number, bounded
from lapilli.core.reading.text import quoted
from lapilli.core.rules.fault_codes import termination_of
from lapilli.core.rules.outcome import Outcome, Termination
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import GROWTH, HEMISPHERE, INDEX, MAX_TURNS, NAMES, NEIGHBOURS, SIDES, TILES
from lapilli.kernels.java_random import scramble
from lapilli.kernels.kernel import CHANCE

_LEVELS = {".": 0, "1": 1, "2": 2, "3": 3, "4": 4, "a": -1, "b": -2, "c": -3, "d": -4}
SYMBOLS = {level: symbol for symbol, level in _LEVELS.items()}
_ASKED = ((0,), (1,), ())


class VolcanoesState(State):
    """A position of Volcanoes. Actions 0-79 play the tiles N01 … N40, S01 … S40; action 80 is growth, a chance node.

    A game may start from a position that already contains a winning chain. As in the original, the game then continues:
    the referee looks for winning chains only after a turn.
    """

    DTYPE = rules.VOLCANOES
    __slots__ = ()

    @classmethod
    def initial(cls, setup: Setup) -> Self:
        array = np.zeros(1, cls.DTYPE)
        array["turn"] = 1
        array["random"] = scramble(setup.seed or 0)
        state = cls(setup, array)
        if setup.position is not None:
            state._read(setup.position)
        return state

    # -- whose turn -----------------------------------------------------------------------------------
    def asked(self) -> tuple[int, ...]:
        return _ASKED[rules.asked(self.array)]

    # -- actions --------------------------------------------------------------------------------------
    def refusal(self, action: int) -> str:
        if self.is_terminal():
            return "the game is over"
        if self.current_player() == CHANCE:
            return f"the volcanoes grow now: the only action is {GROWTH}"
        if action == GROWTH:
            return "it is not growth's turn"
        if not 0 <= action < TILES:
            return f"no tile {action}: tiles are 0 to {TILES - 1}"
        own = (self.level(action) > 0) == (self.current_player() == 0)
        return f"{NAMES[action]} is asleep" if own else f"{NAMES[action]} is the opponent's"

    def action_to_string(self, action: int, player: int | None = None) -> str:
        action = action_number(action)
        if not 0 <= action <= GROWTH:
            raise IllegalAction(f"no action {action}: tiles are 0 to {TILES - 1}, growth is {GROWTH}")
        return "G" if action == GROWTH else NAMES[action]

    def string_to_action(self, text: str, player: int | None = None) -> int:
        if player is not None and player != self.current_player():
            raise IllegalAction(f"player {player} is not to move")
        action = GROWTH if text == "G" else INDEX.get(text.upper(), -1)
        if action < 0:
            raise IllegalAction(f"{quoted(text, 20)} is no tile: tiles are N01 to N40 and S01 to S40")
        if action not in self.legal_actions():
            raise IllegalAction(self.refusal(action))
        return action

    # -- levels ---------------------------------------------------------------------------------------
    def level(self, tile: int) -> int:
        """Returns a tile's level: 1 to 4 for Blue, -1 to -4 for Orange, 0 for an empty tile.

        On 4 and -4 the volcano is asleep.
        """
        return rules.level(self.record, tile)

    def levels(self) -> list[int]:
        """Returns the levels of all 80 tiles. The numbers mean the same as in `level`."""
        out = np.empty(TILES, np.int64)
        rules.levels(self.record, out)
        heights: list[int] = out.tolist()
        return heights

    def position(self) -> str:
        return "".join(SYMBOLS[level] for level in self.levels()) + f" {self.turn}"

    def _read(self, text: str) -> None:
        board, _, number = text.strip().partition(" ")
        if len(board) != TILES:
            raise PositionError(f"position: expected {TILES} tiles (N01 to N40, S01 to S40), not {len(board)}")
        for symbol, name in zip(board, NAMES, strict=True):
            if symbol not in _LEVELS:
                raise PositionError(f"position: {symbol!r} at {name} is none of . 1 2 3 4 (blue) a b c d (orange)")
        turn = bounded(number.strip(), 1, MAX_TURNS + 1)
        if turn is None:
            shown = quoted(number, 20)
            raise PositionError(f"position: after the tiles, a blank and the turn (1 to {MAX_TURNS}), not {shown}")
        for half, tiles in (("north", board[: TILES // 2]), ("south", board[TILES // 2 :])):
            levels = [_LEVELS[symbol] for symbol in tiles]
            self.record[f"blue_{half}"] = _word(level > 0 for level in levels)
            self.record[f"orange_{half}"] = _word(level < 0 for level in levels)
            self.record[f"low_{half}"] = _word(abs(level) in (2, 4) for level in levels)
            self.record[f"high_{half}"] = _word(abs(level) in (3, 4) for level in levels)
        self.record["turn"] = turn
        if self.turn > MAX_TURNS:
            self.record["result"] = rules.TURN_LIMIT

    # -- results --------------------------------------------------------------------------------------
    def path(self, player: int) -> list[int]:
        """Returns a shortest chain of `player`'s tiles from a northern tile to its antipode; empty if there is none."""
        return shortest_path([level * (1 - 2 * player) > 0 for level in self.levels()])

    def scores(self) -> tuple[int, ...]:
        outcome = self.outcome()
        return outcome.scores if outcome else (0, 0)

    def outcome(self) -> Outcome | None:
        result = int(self.record["result"])
        if result == rules.RUNNING:
            if not self.is_terminal():
                return None
            loser = rules.side(self.record)
            return _won(1 - loser, Termination.NO_MOVE, f"{SIDES[loser]} had no legal move")
        if result == rules.TURN_LIMIT:
            return Outcome((0, 0), (1, 1), Termination.TURN_LIMIT, f"no path within {MAX_TURNS} turns")
        if result == rules.DRAW:
            return Outcome((50, 50), (1, 1), Termination.DECIDED, "both sides completed a path in the same growth")
        winner = rules.winner(self.record)
        if result in (rules.BLUE_WINS, rules.ORANGE_WINS):
            chain = self.path(winner)
            return _won(winner, Termination.DECIDED, f"{SIDES[winner]} joined {NAMES[chain[0]]} to {NAMES[chain[-1]]}")
        loser = 1 - winner
        why = termination_of(int(self.record["left"][loser]))
        if why is Termination.NO_MOVE:
            return _won(winner, why, f"{SIDES[loser]} had no legal move")
        return _won(winner, why, f"{SIDES[loser]} forfeited", loser)


def _won(winner: int, termination: Termination, reason: str, culprit: int | None = None) -> Outcome:
    """Returns the outcome of a game that `winner` has won.

    Args:
        winner: the player who has won.
        termination: why the game ended.
        reason: the same in words, for people.
        culprit: the player whose fault ended the game; None if no fault did.
    """
    scores, ranks = ((100, 0), (1, 2)) if winner == 0 else ((0, 100), (2, 1))
    return Outcome(scores, ranks, termination, reason, culprit)


def _word(bits: Iterable[bool]) -> int:
    return sum(1 << index for index, bit in enumerate(bits) if bit)


def shortest_path(owned: Sequence[bool]) -> list[int]:
    """Returns the shortest chain of owned tiles from a northern tile to its antipode; empty if there is no such chain.

    Args:
        owned: for each of the 80 tiles, whether the tile may be part of the chain.
    """
    chains = (_chain(owned, tile) for tile in range(HEMISPHERE) if owned[tile] and owned[tile + HEMISPHERE])
    return min((chain for chain in chains if chain), key=len, default=[])


def _chain(owned: Sequence[bool], start: int) -> list[int]:
    """Returns the shortest chain of owned tiles from the northern tile `start` to its antipode; empty if there is
    none."""
    goal = start + HEMISPHERE
    came_from = {start: start}
    queue = deque([start])
    while queue and goal not in came_from:
        tile = queue.popleft()
        for near in NEIGHBOURS[tile]:
            if owned[near] and near not in came_from:
                came_from[near] = tile
                queue.append(near)
    if goal not in came_from:
        return []
    chain = [goal]
    while chain[-1] != start:
        chain.append(came_from[chain[-1]])
    return chain[::-1]
