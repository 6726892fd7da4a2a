"""The two boards of Volcano with pyramids: cells, neighbours and start layouts, also as tables for compiled kernels.

Cells are numbered column by column, each column from its bottom: A1 is 0, A2 is 1, … A heading is a direction, such as
NE. Headings are numbered by the neighbours to which they lead, the neighbour with the lowest number first. An atomic
action is one step of a cap; its number is `cell * number of headings + heading`.

The layouts are those of boardspace.net (`tests/games/pyramids/golden/volcano_setup.json`). The names of the hex board's
headings are our own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np

SQUARE, HEX = 0, 1
SIZES = "SML"
SIZE_NAMES = ("small", "medium", "large")
COPIES = 6
"""Number of pieces of each colour and size on the hex board. The square board has five of each; its pieces are numbered
in the same way, so every sixth number is unused."""
KINDS = 18
PIECES = KINDS * COPIES
CELLS = 37
"""Number of cells of the larger board."""
GRID = 7
"""Width and height of the larger board in cells, and of the square array that `Board.grid` describes."""
PILES = CELLS + 2
"""Number of piles of pieces: the stack on each cell, then the pieces captured by player 0 (index CELLS) and by player 1
(index CELLS + 1)."""
MAX_CAPS = 6
NUM_ACTIONS = 222
"""Number of atomic actions on the larger board: 37 cells × 6 headings. The square board has 25 × 8."""
TURN_LIMIT = 1000
"""Number of referee turns after which the game ends and the higher score wins. We have added this rule: eruptions need
not capture, so a game could go on for ever."""
TURN_STEPS = MAX_CAPS * (CELLS - 1) + 1
"""Greatest number of steps of a turn. Within a turn, no cap steps onto a cell twice without an eruption, and the last
step is an eruption."""

ONE = np.uint64(1)
NONE = np.uint64(0)


@dataclass(frozen=True)
class Board:
    """One of the game's two boards: its cells, directions and start layout.

    Attributes:
        index: index of the board in the kernels' tables.
        name: "square" or "hex".
        columns: for each column, the colours of its nests (stacks of a small, a medium and a large piece) at the start,
            from the bottom up: one letter per cell, "-" for an empty cell.
        colours: letters of the colours, in the order of their numbers.
        colour_names: full names of the colours.
        headings: names of the directions.
        start_caps: names of the cells that are capped at the start.
        copies: number of pieces of each colour and size.
    """

    index: int
    name: str
    columns: tuple[str, ...]
    colours: str
    colour_names: tuple[str, ...]
    headings: tuple[str, ...]
    start_caps: tuple[str, ...]
    copies: int

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """Names of all cells, such as "B2", in the order of the cells' numbers."""
        return tuple(f"{'ABCDEFG'[x]}{y + 1}" for x, column in enumerate(self.columns) for y in range(len(column)))

    @cached_property
    def number(self) -> dict[str, int]:
        """The number of each cell, by the cell's name such as "B2"."""
        return {name: cell for cell, name in enumerate(self.cells)}

    @cached_property
    def start_colours(self) -> str:
        """Colour of each cell's nest at the start, one letter per cell; "-" for an empty cell."""
        return "".join(self.columns)

    @cached_property
    def places(self) -> tuple[tuple[int, float], ...]:
        """Column and height of each cell's centre, in cells, by cell number.

        On the hex board, shorter columns start higher.
        """
        longest = max(map(len, self.columns))
        return tuple(
            (x, y + (longest - len(column)) / 2) for x, column in enumerate(self.columns) for y in range(len(column))
        )

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """For each cell, the number of the neighbouring cell in each direction; -1 where the board ends."""
        shifts = {"SW": (-1, -1.0), "W": (-1, 0.0), "NW": (-1, 1.0), "S": (0, -1.0)}
        shifts |= {"N": (0, 1.0), "SE": (1, -1.0), "E": (1, 0.0), "NE": (1, 1.0)}
        slant = 0.5 if self.index == HEX else 1.0
        at = {place: cell for cell, place in enumerate(self.places)}
        rows = []
        for x, y in self.places:
            steps = [shifts[heading] for heading in self.headings]
            rows.append(tuple(at.get((x + dx, y + dy * (slant if dx else 1.0)), -1) for dx, dy in steps))
        return tuple(rows)

    @cached_property
    def piece_names(self) -> tuple[str, ...]:
        """Name of each piece, such as "RS" (colour and size), by piece number.

        Numbers start at 1; the entry 0 is "".
        """
        kinds = [colour + size for colour in self.colours for size in SIZES]
        return ("", *(name for name in kinds for _ in range(COPIES)))

    def step_name(self, action: int) -> str:
        """Returns the notation of an action, such as "B2-A3". The action must lead to a cell of the board."""
        cell, heading = divmod(action, len(self.headings))
        return f"{self.cells[cell]}-{self.cells[self.neighbours[cell][heading]]}"

    @cached_property
    def grid(self) -> tuple[tuple[int, int], ...]:
        """Each cell's position (column, height) in a square array of GRID × GRID.

        A direction is the same offset in the array for every cell. To make this true on the hex board, too, its columns
        are shifted.
        """
        slant = 0.5 if self.index == HEX else 0.0
        lowest = min(y - slant * x for x, y in self.places)
        return tuple((x, int(y - slant * x - lowest)) for x, y in self.places)

    @property
    def max_caps(self) -> int:
        return len(self.start_caps)


BOARDS = (
    Board(
        index=SQUARE,
        name="square",
        columns=("RGPPP", "YRGGP", "BYRGP", "BYYRG", "BBBYR"),
        colours="YRGBP",
        colour_names=("Yellow", "Red", "Green", "Blue", "Purple"),
        headings=("SW", "W", "NW", "S", "N", "SE", "E", "NE"),
        start_caps=("A1", "B2", "C3", "D4", "E5"),
        copies=5,
    ),
    Board(
        index=HEX,
        name="hex",
        columns=("YYYR", "GYYRR", "GGYRRR", "GGG-PPP", "BBBCPP", "BBCCP", "BCCC"),
        colours="YRGBPC",
        colour_names=("Yellow", "Red", "Green", "Blue", "Purple", "Clear"),
        headings=("SW", "NW", "S", "N", "SE", "NE"),
        start_caps=("C3", "C4", "D3", "D5", "E3", "E4"),
        copies=6,
    ),
)
VARIANTS = ("square", "square-random", "hex", "hex-random")


def board_of(variant: str | None) -> Board:
    """Returns the board on which a variant is played. If `variant` is None, it is the square board."""
    return BOARDS[HEX if variant is not None and variant.startswith("hex") else SQUARE]


# ---------------------------------------------------------------------------- tables for the kernels


def _action_tables() -> tuple[np.ndarray, ...]:
    origin = np.zeros((2, NUM_ACTIONS), np.int8)
    target = np.full((2, NUM_ACTIONS), -1, np.int8)
    beyond = np.full((2, NUM_ACTIONS), -1, np.int8)
    follow = np.full((2, NUM_ACTIONS), -1, np.int16)
    heading_to = np.full((2, CELLS, CELLS), -1, np.int8)
    near = np.zeros((2, CELLS), np.uint64)
    for board in BOARDS:
        width, index = len(board.headings), board.index
        for cell, around in enumerate(board.neighbours):
            for heading, neighbour in enumerate(around):
                action = cell * width + heading
                origin[index, action] = cell
                if neighbour >= 0:
                    target[index, action] = neighbour
                    follow[index, action] = neighbour * width + heading
                    beyond[index, action] = board.neighbours[neighbour][heading]
                    heading_to[index, cell, neighbour] = heading
                    near[index, cell] |= np.uint64(1 << neighbour)
    return origin, target, beyond, follow, heading_to, near


ORIGIN, TARGET, BEYOND, FOLLOW, HEADING_TO, NEAR = _action_tables()
"""Tables for the kernels. -1 means that there is no such cell, action or heading.

- `ORIGIN`, by board and action: the cell that the cap leaves.
- `TARGET`, by board and action: the cell that the cap enters.
- `BEYOND`, by board and action: the first cell on which a piece would land if the stack erupts.
- `FOLLOW`, by board and action: the action that steps from the target one cell further in the same direction.
- `HEADING_TO`, by board and two neighbouring cells: the heading from the first cell to the second.
- `NEAR`, by board and cell: the set of the cell's neighbours, as bits."""

CELL_COUNT = np.array([len(board.cells) for board in BOARDS], np.int64)
HEADINGS = np.array([len(board.headings) for board in BOARDS], np.int64)
ALL_COLOURS = np.array([(1 << len(board.colours)) - 1 for board in BOARDS], np.int64)

PLACE = np.zeros((2, CELLS), np.int64)
"""By board and cell: the cell's index in the array of `Board.grid`, flattened column by column."""
for _board in BOARDS:
    PLACE[_board.index, : len(_board.cells)] = [x * GRID + y for x, y in _board.grid]

KIND = np.array([-1] + [piece // COPIES for piece in range(PIECES)], np.int8)
"""By piece number: the piece's kind, which is colour × 3 + size. Pieces are numbered from 1; the entry 0 is -1."""
COLOUR = np.array([-1] + [piece // COPIES // 3 for piece in range(PIECES)], np.int8)
SIZE = np.array([-1] + [piece // COPIES % 3 for piece in range(PIECES)], np.int8)

CHOOSE = np.array([[comb(n, k) for k in range(MAX_CAPS + 1)] for n in range(CELLS + 1)], np.int64)
"""Binomial coefficients, by n and k. With them, `rules.turns.rank` numbers the sets of k cells from 0 without gaps: the
number of a set is the sum of CHOOSE[c, i] for i from 1 to k, where c is the i-th smallest cell of the set."""
