"""Connect Four, a whole game in one file: rules, positions as text, a board to click on, opponents.

LAPILLI_GAMES=examples/games lapilli match connect4 level3 random
LAPILLI_GAMES=examples/games lapilli site

The documentation's pages "Adding a game" and "The parts of a game" explain each part.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any, Self

import numpy as np

from lapilli.core.api import (
    TERMINAL,
    Choice,
    Game,
    Level,
    Observation,
    Outcome,
    Part,
    Scene,
    Search,
    Setup,
    State,
    Step,
    TextLine,
)
from lapilli.core.errors import PositionError
from lapilli.kernels.kernel import Position, kernel, record_dtype

ROWS, COLUMNS = 6, 7
CELLS = ROWS * COLUMNS
NUM_ACTIONS = COLUMNS  # an action is a column, from the left
DISC = record_dtype([("cells", np.int8, CELLS), ("turn", np.int8), ("left", np.int8, 2)])  # a cell: 0, or player + 1
OBSERVATION = Observation((Part("discs", (2, ROWS, COLUMNS), "1 where the player's own discs are; then the other's"),))
LINES = np.array(
    [
        [row * COLUMNS + column + step * (down * COLUMNS + right) for step in range(4)]
        for row in range(ROWS)
        for column in range(COLUMNS)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        if row + 3 * down < ROWS and 0 <= column + 3 * right < COLUMNS
    ]
)
"""The four cells of each line that wins, shape (lines, 4). Cells are numbered row by row from the top left, from 0."""
SIGNS = ".XO"
STYLE = """
.c4-board { fill: var(--ink); opacity: 0.12; }
.c4-hole { fill: var(--paper); stroke: var(--ink); stroke-width: 0.3; }
.c4-disc-0 { fill: var(--player-0); stroke: none; }
.c4-disc-1 { fill: var(--player-1); stroke: none; }
.c4-four { fill: none; stroke: var(--ink); stroke-width: 1; stroke-linecap: round; }
"""


# -- the rules: kernels, which are compiled; their arguments are integers, arrays, and `p`, the position


@kernel
def line_of(p: Position, player: int) -> int:
    """Returns the index in LINES of a line of four cells that the player has filled; -1 if there is none."""
    for line in range(len(LINES)):
        full = True
        for step in range(4):
            full = full and p.cells[LINES[line, step]] == player + 1
        if full:
            return line
    return -1


@kernel
def winner(p: Position) -> int:
    """Returns the player who has four in a row, or whose opponent has left; -1 if nobody has won."""
    for player in range(2):
        if p.left[1 - player] or line_of(p, player) >= 0:
            return player
    return -1


@kernel
def current_player(p: Position) -> int:
    """Returns the player to act: player 0 on odd turns, player 1 on even turns; TERMINAL at the end."""
    return TERMINAL if winner(p) >= 0 or p.turn > CELLS else (int(p.turn) - 1) % 2


@kernel
def accepts(p: Position, player: int, action: int) -> bool:
    """Returns whether an action is legal: a column that is not full."""
    return player >= 0 and 0 <= action < COLUMNS and p.cells[action] == 0


@kernel
def play(p: Position, action: int) -> None:
    """Drops a disc into a column."""
    row = ROWS - 1
    while p.cells[row * COLUMNS + action]:
        row -= 1
    p.cells[row * COLUMNS + action] = (p.turn - 1) % 2 + 1
    p.turn += 1


@kernel
def values(p: Position, out: Any) -> None:
    """Writes each player's utility: 1 for the winner, -1 for the loser, otherwise 0."""
    won = winner(p)
    for player in range(2):
        out[player] = 0 if won < 0 else 1 if won == player else -1


@kernel
def observe(p: Position, player: int, out: Any) -> None:
    """Writes a player's observation, as OBSERVATION describes it."""
    for cell in range(CELLS):
        out[cell], out[CELLS + cell] = p.cells[cell] == player + 1, p.cells[cell] == 2 - player


# -- positions as objects, with their notation


class ConnectFour(State):
    """A position. Its notation lists the rows from the top, as in "....... ....... ....... ....... ....... ...X..."."""

    DTYPE = DISC
    __slots__ = ()

    @classmethod
    def initial(cls, setup: Setup) -> Self:
        """Returns the start position of a setup. Raises PositionError if `setup.position` is not a valid notation."""
        cells = "." * CELLS if setup.position is None else "".join(setup.position.split())
        crosses, noughts = map(cells.count, SIGNS[1:])
        if len(cells) != CELLS or set(cells) - set(SIGNS) or crosses - noughts not in (0, 1):
            raise PositionError("position: six rows of seven of . X O, as many X as O or one more")
        state = cls(setup, np.zeros(1, cls.DTYPE))
        state.record["cells"] = [SIGNS.index(sign) for sign in cells]
        state.record["turn"] = 1 + crosses + noughts
        return state

    def position(self) -> str:
        """Returns the notation of this position."""
        text = "".join(SIGNS[mark] for mark in self.record["cells"])
        return " ".join(text[start : start + COLUMNS] for start in range(0, CELLS, COLUMNS))

    def outcome(self) -> Outcome | None:
        """Returns the outcome of the game, with a reason in words; None if the game is not over."""
        ended = super().outcome()
        if ended is None or ended.culprit is not None:
            return ended
        won = winner(self.record)
        return replace(ended, reason="the board is full" if won < 0 else f"{GAME.sides[won]} has four in a row")


# -- pictures, and how a person chooses


def text(state: State, step: Step | None) -> list[TextLine]:
    """Returns the board as lines for a terminal."""
    return [[(row, "")] for row in state.position().split()]


def scene(state: State, step: Step | None) -> Scene:
    """Returns the picture of a position. Shapes have keys, so that people can click on holes, and discs can fall."""
    drawn = Scene(70, 62, f"Connect Four, turn {state.record['turn']}", STYLE)
    with drawn.on("ground"):
        drawn.rect("board", 0, 1, 70, 60, "c4-board")
        for cell in range(CELLS):
            drawn.circle(f"hole-{cell}", *center(cell), 4, "c4-hole", f"column {cell % COLUMNS + 1}")
    for cell, mark in enumerate(state.record["cells"].tolist()):
        if mark:
            drawn.circle(f"disc-{cell}", *center(cell), 4, f"c4-disc-{mark - 1}")
    for player in range(2):
        if (line := line_of(state.record, player)) >= 0:
            with drawn.on("overlay"):
                drawn.line(f"four-{player}", *center(LINES[line, 0]), *center(LINES[line, 3]), "c4-four")
    return drawn


def center(cell: int) -> tuple[float, float]:
    """Returns the x and y of a cell's centre, in the scene's units."""
    return 5 + 10 * (cell % COLUMNS), 6 + 10 * (cell // COLUMNS)


def choices(state: State, player: int) -> list[Choice]:
    """Returns how a person chooses each legal action: by a click on the hole into which the disc would fall."""
    cells = state.record["cells"].reshape(ROWS, COLUMNS)
    found = []
    for column in state.legal_actions(player):
        row = np.flatnonzero(cells[:, column] == 0)[-1]
        found.append(Choice(column, (f"hole-{row * COLUMNS + column}",), f"column {column + 1}"))
    return found


def prompt(state: State, player: int) -> str:
    """Returns what a player must do now, in words that follow "Your turn:"."""
    return "drop a disc"


GAME = Game(
    name="connect4",
    title="Connect Four",
    summary="Four in a row, upright or slanted, before the other player has them.",
    sides=("Blue", "Orange"),
    max_turns=CELLS,
    max_game_length=CELLS,
    rules=sys.modules[__name__],
    state=ConnectFour,
    observation=OBSERVATION,
    searches={"uct": Search(method="mcts", settings={"keep": 0})},  # keep=0: levels play inside batches, too
    levels=tuple(Level(search="uct", nodes=nodes) for nodes in (20, 100, 500)),
    text=text,
    scene=scene,
    choices=choices,
    prompt=prompt,
    counts_points=False,
)
