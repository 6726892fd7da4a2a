"""Constants of Kingdomino: terrains, the 48 tiles, the torus that stores territories, and the numbers of actions.

**Words.** In each round a player places the tile that it picked in the round before, in its territory (action PUT), and
picks a new tile (PICK). The *row in play* has the tiles that are placed in this round. The *row to pick* has the new
tiles. A *slot* is the place of a tile in its row; as the tiles are placed in this order, a slot is also a turn of the
round.

**The torus.** A territory with its castle fits into an area of 5 by 5 squares (7 by 7 in the duel), but the position of
that area around the castle is not known beforehand. So each square is stored by its coordinates relative to the castle,
*modulo 8*: eight columns of eight bits, in one 64-bit word. The castle is bit 0. The next bit of a column is the square
below (y + 1); after the eighth square of a column the first follows again. Actions are numbered in the same order,
column by column. A territory has at most 7 columns and rows, so its own squares are distinct modulo 8. Two squares on
which a tile could be placed may be equal modulo 8; `territory.anchors` explains why this does no harm. The true
coordinates are computed from the bounding box.

**Actions.** `PUT x y rotation` has the number (x * 13 + y) * 4 + rotation, where x and y are a column and a row of the
grid in the bot input. DISCARD is the number after the last PUT. DISCARD + n is the action for tile n: a PICK if a
player picks, a draw if a tile is drawn at random.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

MAX_PLAYERS = 4
TILES = 48
TERRAINS = "cfglwm"
"""Letters of the terrains; a terrain's number is its index here."""
TERRAIN_NAMES = ("corn field", "forest", "grassland", "lake", "wetland", "mine")
ONES, TWOS = 6, 7
"""Indices of two masks in a territory's eight words, after the six masks of the terrains. They hold the low and the
high bit of each square's number of crowns."""
MAX_CROWNS = 3

# Terrain and crowns of both squares of each tile, from tile 1 on. Seven public lists of the tiles differ in the order
# of a tile's two squares; this is the order of five of them.
_LIST = """
c0c0 c0c0 f0f0 f0f0 f0f0 f0f0 l0l0 l0l0 l0l0 g0g0 g0g0 w0w0 c0f0 c0l0 c0g0 c0w0
f0l0 f0g0 c1f0 c1l0 c1g0 c1w0 c1m0 f1c0 f1c0 f1c0 f1c0 f1l0 f1g0 l1c0 l1c0 l1f0
l1f0 l1f0 l1f0 c0g1 l0g1 c0w1 g0w1 m1c0 c0g2 l0g2 c0w2 g0w2 m2c0 w0m2 w0m2 c0m3
"""
SQUARES: tuple[tuple[str, str], ...] = (("_0", "_0"), *((tile[:2], tile[2:]) for tile in _LIST.split()))
"""Both squares of each tile as in the bot input, by tile number. Entry 0 means "no tile"."""
TILE = np.array(
    [(0, 0, 0, 0), *((TERRAINS.index(t[0]), int(t[1]), TERRAINS.index(t[2]), int(t[3])) for t in _LIST.split())],
    np.int64,
)
"""The same squares as numbers, by tile number: first terrain, its crowns, second terrain, its crowns."""


class Variant(NamedTuple):
    """The sizes of one form of the game (the variant, with its number of players).

    Attributes:
        extent: greatest width and height of a territory, castle included, in squares.
        lot: number of tiles drawn in each round; this is also the number of turns in a round.
        rounds: number of rounds. In the first round, players only pick tiles; in the last, they only place tiles.
    """

    extent: int
    lot: int
    rounds: int

    @property
    def side(self) -> int:
        """Number of columns, and of rows, of the grid in the bot input.

        The castle is in the centre of the grid, and a territory may extend from the castle in any direction.
        """
        return 2 * self.extent - 1


VARIANTS = {
    ("standard", 2): Variant(extent=5, lot=4, rounds=7),
    ("standard", 3): Variant(extent=5, lot=3, rounds=13),
    ("standard", 4): Variant(extent=5, lot=4, rounds=13),
    ("duel", 2): Variant(extent=7, lot=4, rounds=13),
}
EXTENTS = (5, 7)
MAX_SIDE = 13
MAX_TURNS = 4 * 13

DISCARD = MAX_SIDE * MAX_SIDE * 4
NUM_ACTIONS = DISCARD + 1 + TILES
MAX_LEGAL = 4 * 64
"""Length of an array for legal actions. It is enough for DISCARD and a PUT with each rotation on each square of the
torus except the castle."""
COLUMN_STEP, ROW_STEP = 4 * MAX_SIDE, 4
"""Difference between the numbers of two PUT actions whose x (or y) differ by 1."""
MAX_LENGTH = 3 * TILES
"""Number of actions in the longest games. In them each of the 48 tiles is drawn, picked, and then placed or
discarded."""

ROTATIONS = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""By rotation: offset of a tile's second square from its first (x to the right, y down)."""


def put_action(x: int, y: int, rotation: int) -> int:
    """Returns the action that places a tile with its first square on column x, row y of the grid in the bot input.

    `rotation` is the direction from the tile's first square to the second: 0 right, 1 down, 2 left, 3 up.
    """
    return (x * MAX_SIDE + y) * 4 + rotation


def put_parts(action: int) -> tuple[int, int, int]:
    """Returns the parts of a PUT action: column x and row y of the tile's first square, and the rotation (0 to 3)."""
    return action // 4 // MAX_SIDE, action // 4 % MAX_SIDE, action % 4


# ------------------------------------------------------------------------------------------- masks


def _stripes(step: int, across: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    """Returns a table of masks that contain neighbouring columns (or rows) of the torus.

    The torus is the 8 by 8 squares in which a territory is stored; after the eighth column, the first one follows. A
    mask is a 64-bit word with one bit per square. The mask at the index [start, n] contains n columns, from column
    `start` on.

    Args:
        step: distance from one column (or row) to the next, in bits.
        across: distance between neighbouring squares of one column (or row), in bits.
    """
    line = sum(1 << (across * i) for i in range(8))
    masks = [[sum(line << (step * ((start + i) % 8)) for i in range(n)) for n in range(9)] for start in range(8)]
    return np.array(masks, np.uint64)


COLUMNS = _stripes(8, 1)
ROWS = _stripes(1, 8)
