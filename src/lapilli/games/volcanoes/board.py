"""The board of Volcanoes: a sphere of 80 triangular tiles, with their names, neighbours and antipodes.

The antipode of a tile is the tile on the opposite side of the sphere. Tiles are numbered 0-79 in the order N01 … N40,
S01 … S40, so the numbers of a tile and its antipode differ by 40. A set of tiles is stored as two 40-bit words, one for
each hemisphere. A tile and its antipode have the same bit, each in the word of its hemisphere.

The solid is a pentakis icosidodecahedron: an icosahedron whose 20 faces are each cut into four triangles.
"""

from __future__ import annotations

import numpy as np

SIDES = ("Blue", "Orange")
TILES = 80
HEMISPHERE = 40
GROWTH = 80
"""The action for growth, which no player chooses. The actions 0 to 79 play the tiles."""
MAX_TURNS = 200
"""Maximum number of referee turns, growth included. If no player has won by then, both players score 0."""
CYCLE = (0, 1, -1, 1, 0, -1)
"""The players of a cycle of six turns (turns 1-6, then 7-12, …): 0 for Blue, 1 for Orange, -1 for growth."""

NAMES = tuple(f"{half}{number:02}" for half in "NS" for number in range(1, HEMISPHERE + 1))
INDEX = {name: tile for tile, name in enumerate(NAMES)}

# The three neighbours of each tile, in the order in which the original referee sends them in the opening input.
_NEIGHBOURS = """
    6 1 4, 9 2 0, 12 3 1, 15 4 2, 18 0 3, 6 20 19, 0 7 5, 6 22 8,
    9 24 7, 1 10 8, 9 26 11, 12 28 10, 2 13 11, 12 30 14, 15 32 13, 3 16 14,
    15 34 17, 18 36 16, 4 19 17, 18 38 5, 21 5 39, 71 20 22, 21 23 7, 73 22 24,
    25 8 23, 75 24 26, 25 27 10, 77 26 28, 29 11 27, 79 28 30, 29 31 13, 61 30 32,
    33 14 31, 63 32 34, 33 35 16, 65 34 36, 37 17 35, 67 36 38, 37 39 19, 69 38 20,
    46 41 44, 49 42 40, 52 43 41, 55 44 42, 58 40 43, 46 60 59, 40 45 47, 46 48 62,
    49 64 47, 41 48 50, 49 51 66, 52 68 50, 42 51 53, 52 54 70, 55 72 53, 43 54 56,
    55 57 74, 58 76 56, 44 57 59, 58 45 78, 61 45 79, 31 62 60, 61 63 47, 33 64 62,
    65 48 63, 35 66 64, 65 67 50, 37 68 66, 69 51 67, 39 70 68, 69 71 53, 21 72 70,
    73 54 71, 23 74 72, 73 75 56, 25 76 74, 77 57 75, 27 78 76, 77 79 59, 29 60 78,
"""
NEIGHBOURS = tuple(
    (int(a), int(b), int(c)) for a, b, c in (triple.split() for triple in _NEIGHBOURS.strip().rstrip(",").split(","))
)

ONE = np.uint64(1)
NONE = np.uint64(0)
ALL = np.uint64((1 << HEMISPHERE) - 1)


SHORTEST = 12
"""Number of tiles in the shortest chain from a tile to its antipode. It is the same for all tiles."""
STEPS = 2
"""Engines consider only tiles that are at most this many steps (from neighbour to neighbour) from a volcano."""


def _words(half: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Returns the tiles' neighbours in one hemisphere, as bit masks: one mask per tile, with one bit per neighbour.

    `half` is the hemisphere: 0 for north, 1 for south.
    """
    words = [sum(1 << near % HEMISPHERE for near in triple if near // HEMISPHERE == half) for triple in NEIGHBOURS]
    return np.array(words, np.uint64)


NEAR_NORTH = _words(0)
NEAR_SOUTH = _words(1)


def _within(steps: int) -> tuple[list[int], list[int]]:
    """Returns, for each tile, the tiles that are at most `steps` away, as bit masks with one bit per tile.

    The result is a pair of lists with one mask per tile. The first list contains the northern ones of these nearby
    tiles, the second list the southern ones.
    """
    words: tuple[list[int], list[int]] = [], []
    for tile in range(TILES):
        reached = {tile}
        for _ in range(steps):
            reached |= {near for one in reached for near in NEIGHBOURS[one]}
        for half in (0, 1):
            words[half].append(sum(1 << near % HEMISPHERE for near in reached if near // HEMISPHERE == half))
    return words


WITHIN_NORTH, WITHIN_SOUTH = (np.array(words, np.uint64) for words in _within(STEPS))
