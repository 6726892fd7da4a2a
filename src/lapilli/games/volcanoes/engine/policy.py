"""How likely a tile is the best, by what lies around it: which patterns are told apart. Their weights are learned.

The sphere's tiles are of two kinds: 60 at corners, each in a ring of five round a corner of the icosahedron, and 20 in
the middle of its faces. Round the middle of each of the icosahedron's edges lies a ring of six: corner, middle, corner
of one face, then of the next. A pattern is what such a group of tiles looks like to the player who is to move, seen
from one of them, and whether growth comes next. What the sphere's 120 rotations and reflections make of each other is
one pattern, so that nothing must be learned twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.core.policy import Policy
from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import CYCLE, NEIGHBOURS, TILES
from lapilli.kernels.kernel import Ints, Position, kernel

LEVELS = 9
"""What a tile may look like: from level -4, the opponent's, to 4."""


def _rings(length: int) -> list[tuple[int, ...]]:
    """The cycles of so many tiles, each once, in order round what they share."""
    found: dict[frozenset[int], tuple[int, ...]] = {}

    def walk(path: tuple[int, ...]) -> None:
        for near in NEIGHBOURS[path[-1]]:
            if near == path[0] and len(path) == length:
                found.setdefault(frozenset(path), path)
            elif near not in path and len(path) < length:
                walk((*path, near))

    for tile in range(TILES):
        walk((tile,))
    return list(found.values())


_FIVES, _SIXES = _rings(5), _rings(6)
IS_CORNER = np.array([any(tile in ring for ring in _FIVES) for tile in range(TILES)], np.int64)


def _near(tile: int) -> list[int]:
    """A tile's neighbours, corners first."""
    return sorted(NEIGHBOURS[tile], key=lambda near: -int(IS_CORNER[near]))


def _round(ring: tuple[int, ...], tile: int) -> tuple[int, ...]:
    """The other tiles of a ring, in order from a tile on; in a ring of six a corner sees the middle of its face
    first."""
    place = ring.index(tile)
    others = ring[place + 1 :] + ring[:place]
    return others[::-1] if IS_CORNER[tile] and IS_CORNER[others[0]] and not IS_CORNER[others[-1]] else others


def _rounds(rings: list[tuple[int, ...]], tile: int, most: int) -> list[tuple[int, ...]]:
    """A tile's rings, filled up to so many with ones of the tile 0."""
    found = [_round(ring, tile) for ring in rings if tile in ring]
    return found + [(0,) * (len(rings[0]) - 1)] * (most - len(found))


NEAR = np.array([_near(tile) for tile in range(TILES)], np.int64)
BEYOND = np.array(
    [[[far for far in _near(near) if far != tile] for near in _near(tile)] for tile in range(TILES)], np.int64
)
"""For each tile and each of its neighbours, that one's other neighbours."""
FIVE = np.array([_rounds(_FIVES, tile, 1)[0] for tile in range(TILES)], np.int64)
"""The others of a corner's ring of five."""
SIX = np.array([_rounds(_SIXES, tile, 3) for tile in range(TILES)], np.int64)
"""The others of a tile's rings of six: a corner has two, a middle three."""
COARSE = np.array([1, 0, 1, 1, 2, 3, 3, 4, 3], np.int64)
"""What the others in a ring of six look like, by level: the opponent's, about to erupt or not, empty, own, or not."""
SORTS = int(COARSE.max()) + 1
STAR, RING, WIDE = LEVELS**4, LEVELS**5, LEVELS * SORTS**5
OF_STAR = 0
OF_NEAR = OF_STAR + 4 * STAR
OF_FIVE = OF_NEAR + 6 * STAR
OF_SIX = OF_FIVE + 2 * RING
PATTERNS = OF_SIX + 4 * WIDE
"""How many patterns there are, and where stars, neighbours' stars, rings of five and of six begin."""


POLICY = Policy(search="rave", patterns=PATTERNS, features=7, room=TILES)


@kernel
def describe(p: Position, player: int, actions: Ints, count: int, out: Any, room: Ints) -> None:
    """Writes the numbers of the patterns of each of these tiles: its star, its neighbours' stars, and its rings."""
    sign = 1 if player == 0 else -1
    for tile in range(TILES):
        room[tile] = LEVELS // 2 + sign * rules.level(p, tile)
    late = 0 if CYCLE[int(p.turn) % 6] >= 0 else 1
    for place in range(count):
        tile = actions[place]
        out[place, 0] = OF_STAR + _star(room, tile, late)
        for nth in range(3):
            out[place, 1 + nth] = OF_NEAR + _neighbour(room, tile, nth, late)
            out[place, 4 + nth] = OF_SIX + _six_round(room, tile, nth, late)
        if IS_CORNER[tile]:
            out[place, 6] = OF_FIVE + _five_round(room, tile, late)


@kernel
def _star(seen: Ints, tile: int, late: int) -> int:
    """The number of what a tile and its neighbours look like; `late` is 1 where growth comes next."""
    a, b, c = int(seen[NEAR[tile, 0]]), int(seen[NEAR[tile, 1]]), int(seen[NEAR[tile, 2]])
    a, b = min(a, b), max(a, b)
    if not IS_CORNER[tile]:
        b, c = min(b, c), max(b, c)
        a, b = min(a, b), max(a, b)
    first = (2 * late + int(IS_CORNER[tile])) * LEVELS + int(seen[tile])
    return ((first * LEVELS + a) * LEVELS + b) * LEVELS + c


@kernel
def _neighbour(seen: Ints, tile: int, nth: int, late: int) -> int:
    """The number of what a tile, one of its neighbours, and that one's other neighbours look like."""
    near = NEAR[tile, nth]
    a, b = int(seen[BEYOND[tile, nth, 0]]), int(seen[BEYOND[tile, nth, 1]])
    kind = int(IS_CORNER[tile] + IS_CORNER[near])  # two corners: what lies beyond is a corner and a middle
    if kind < 2:
        a, b = min(a, b), max(a, b)
        kind = int(IS_CORNER[tile])
    first = ((2 * kind + late) * LEVELS + int(seen[tile])) * LEVELS + int(seen[near])
    return (first * LEVELS + a) * LEVELS + b


@kernel
def _five_round(seen: Ints, tile: int, late: int) -> int:
    """The number of what the ring of five looks like from one of its tiles, whichever way round."""
    one = two = 0
    for place in range(4):
        one = one * LEVELS + int(seen[FIVE[tile, place]])
        two = two * LEVELS + int(seen[FIVE[tile, 3 - place]])
    return (late * LEVELS + int(seen[tile])) * STAR + min(one, two)


@kernel
def _six_round(seen: Ints, tile: int, nth: int, late: int) -> int:
    """The number of what one of the rings of six looks like from one of its tiles."""
    one = two = 0
    for place in range(5):
        one = one * SORTS + int(COARSE[seen[SIX[tile, nth, place]]])
        two = two * SORTS + int(COARSE[seen[SIX[tile, nth, 4 - place]]])
    if not IS_CORNER[tile]:
        one = min(one, two)
    return ((2 * late + int(IS_CORNER[tile])) * LEVELS + int(seen[tile])) * SORTS**5 + one
