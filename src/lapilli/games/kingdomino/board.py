"""What never changes: terrains, the 48 tiles, the torus that territories lie on, the numbers of actions.

**The torus.** A territory with its castle fits a square of 5 by 5 (7 by 7 in the duel), though nobody knows beforehand
which. So a square is kept by its coordinates relative to the castle, *modulo 8*: eight columns of eight bits, one
64-bit word, castle at bit 0, and y + 1 is the next bit of the column, round the end. That is the order of the actions.
What a territory of at most 7 columns and the squares a tile may reach have in common modulo 8 is harmless:
`territory.anchors` says why. The true coordinates are found again from the bounding box.

**Actions.** PUT x y rotation is (x * 13 + y) * 4 + rotation, in the coordinates of the variant's own grid; then come
DISCARD and, for the tile of number n, DISCARD + n: a PICK where a player picks, a draw where lots decide.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

MAX_PLAYERS = 4
TILES = 48
TERRAINS = "cfglwm"
"""The terrains' letters; a terrain's number is its place here."""
TERRAIN_NAMES = ("corn field", "forest", "grassland", "lake", "wetland", "mine")
ONES, TWOS = 6, 7
"""The words of a territory after its six terrains: the two binary digits of each square's crowns."""
MAX_CROWNS = 3

# Terrain and crowns of both squares, tile 1 first; the order of the two is that of five public listings of seven.
_LIST = """
c0c0 c0c0 f0f0 f0f0 f0f0 f0f0 l0l0 l0l0 l0l0 g0g0 g0g0 w0w0 c0f0 c0l0 c0g0 c0w0
f0l0 f0g0 c1f0 c1l0 c1g0 c1w0 c1m0 f1c0 f1c0 f1c0 f1c0 f1l0 f1g0 l1c0 l1c0 l1f0
l1f0 l1f0 l1f0 c0g1 l0g1 c0w1 g0w1 m1c0 c0g2 l0g2 c0w2 g0w2 m2c0 w0m2 w0m2 c0m3
"""
SQUARES: tuple[tuple[str, str], ...] = (("_0", "_0"), *((tile[:2], tile[2:]) for tile in _LIST.split()))
"""Both squares of each tile as the bot text writes them; entry 0 stands for no tile."""
TILE = np.array(
    [(0, 0, 0, 0), *((TERRAINS.index(t[0]), int(t[1]), TERRAINS.index(t[2]), int(t[3])) for t in _LIST.split())],
    np.int64,
)
"""The same in numbers: first terrain, its crowns, second terrain, its crowns."""


class Variant(NamedTuple):
    """How long a game is and how far a territory may stretch.

    Attributes:
        extent: the most squares a territory may measure from side to side, and from top to bottom.
        lot: tiles that are laid out each round; as many turns are played.
        rounds: the first picks only, the last puts only.
    """

    extent: int
    lot: int
    rounds: int

    @property
    def side(self) -> int:
        """Rows and columns of the grid in the bot text: all that an off-centre castle can make use of."""
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
"""A PUT for each rotation and each square of the torus but the castle; DISCARD and one place to spare."""
COLUMN_STEP, ROW_STEP = 4 * MAX_SIDE, 4
"""By how much a PUT's number grows with x and with y."""
MAX_LENGTH = 3 * TILES
"""Actions of the longest games: each of the 48 tiles is drawn, picked and put."""

ROTATIONS = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""From the first square to the second, in x (right) and y (down)."""


def put_action(x: int, y: int, rotation: int) -> int:
    """The action that puts a tile's first square on column x, row y of the variant's grid."""
    return (x * MAX_SIDE + y) * 4 + rotation


def put_parts(action: int) -> tuple[int, int, int]:
    """(x, y, rotation) of a PUT action."""
    return action // 4 // MAX_SIDE, action // 4 % MAX_SIDE, action % 4


# ------------------------------------------------------------------------------------------- masks


def _stripes(step: int, across: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    """[start, n]: the mask of n neighbouring columns (or rows) from `start` on, round the end."""
    line = sum(1 << (across * i) for i in range(8))
    masks = [[sum(line << (step * ((start + i) % 8)) for i in range(n)) for n in range(9)] for start in range(8)]
    return np.array(masks, np.uint64)


COLUMNS = _stripes(8, 1)
ROWS = _stripes(1, 8)
