"""The rules of tic-tac-toe: the verbs that a game cannot do without."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.core.rules.observation import Observation, Part
from lapilli.kernels.kernel import TERMINAL, Position, kernel, record_dtype

POSITION = record_dtype([("cells", np.int8, 9), ("turn", np.int8), ("left", np.int8, 2)])  # a cell: 0, or player + 1
NUM_ACTIONS = 9
OBSERVATION = Observation((Part("marks", (2, 3, 3), "1 where the player's own marks are; then the other's"),))
ROWS = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]])


@kernel
def has_row(p: Position, player: int) -> bool:
    """Whether a player has three in a row."""
    mark = player + 1
    for row in range(8):
        if p.cells[ROWS[row, 0]] == mark and p.cells[ROWS[row, 1]] == mark and p.cells[ROWS[row, 2]] == mark:
            return True
    return False


@kernel
def winner(p: Position) -> int:
    """Who has won, be it that the other left; -1 for nobody."""
    for player in range(2):
        if p.left[1 - player] or has_row(p, player):
            return player
    return -1


@kernel
def current_player(p: Position) -> int:
    """Cross on odd turns."""
    return TERMINAL if winner(p) >= 0 or p.turn > 9 else (int(p.turn) - 1) % 2


@kernel
def accepts(p: Position, player: int, action: int) -> bool:
    """An empty cell."""
    return player >= 0 and 0 <= action < 9 and p.cells[action] == 0


@kernel
def play(p: Position, action: int) -> None:
    """Marks a cell."""
    p.cells[action] = current_player(p) + 1
    p.turn += 1


@kernel
def values(p: Position, out: Any) -> None:
    """1 for the winner, -1 for the loser."""
    won = winner(p)
    for player in range(2):
        out[player] = 0 if won < 0 else 1 if won == player else -1


@kernel
def observe(p: Position, player: int, out: Any) -> None:
    """What OBSERVATION describes."""
    for cell in range(9):
        out[cell], out[9 + cell] = p.cells[cell] == player + 1, p.cells[cell] == 2 - player
