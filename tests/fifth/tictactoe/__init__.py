"""Tic-tac-toe, as small as a game can be: its declaration, and the notation of its positions."""

from __future__ import annotations

from typing import Self

import numpy as np

from lapilli.core.api import Game, Search, Setup, State, Step, TextLine
from lapilli.core.errors import PositionError
from lapilli.core.reading.text import quoted
from lapilli.games.tictactoe import rules

SIGNS = ".XO"


class TicTacToeState(State):
    """A position of tic-tac-toe; an action is a cell, 0 to 8."""

    DTYPE = rules.POSITION
    __slots__ = ()

    @classmethod
    def initial(cls, setup: Setup) -> Self:
        cells = SIGNS[0] * 9 if setup.position is None else setup.position
        crosses, noughts = map(cells.count, SIGNS[1:])
        if len(cells) != 9 or crosses + noughts + cells.count(SIGNS[0]) != 9 or crosses - noughts not in (0, 1):
            raise PositionError(f"position: nine of . X O, as many X as O or one more, not {quoted(cells, 20)}")
        state = cls(setup, np.zeros(1, cls.DTYPE))
        state.record["cells"] = [SIGNS.index(sign) for sign in cells]
        state.record["turn"] = 1 + crosses + noughts
        if rules.has_row(state.record, crosses - noughts):
            raise PositionError(f"position: {quoted(cells)} was over before its last move")
        return state

    def position(self) -> str:
        return "".join(SIGNS[mark] for mark in self.record["cells"])


def text(state: State, step: Step | None) -> list[TextLine]:
    """The board in three lines."""
    return [[(state.position()[start : start + 3], "")] for start in (0, 3, 6)]


GAME = Game(
    name="tictactoe",
    title="Tic-tac-toe",
    summary="Three in a row.",
    sides=("Cross", "Nought"),
    max_turns=9,
    max_game_length=9,
    rules=rules,
    observation=rules.OBSERVATION,
    state=TicTacToeState,
    searches={"uct": Search(method="mcts")},
    text=text,
)
