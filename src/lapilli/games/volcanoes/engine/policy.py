"""Describes each move by seven patterns, from which a learned policy estimates how likely the move is the best.

The policy (`lapilli.core.search.policy`) has a learned weight for each pattern. The weights of a move's patterns
determine the move's probability. A pattern describes a group of tiles around the tile that is played: the levels of
these tiles from the point of view of the player to move, and whether growth comes next. If one of the sphere's 120
rotations and reflections maps one group onto another, both groups have the same pattern, so nothing has to be learned
twice.

The sphere has two kinds of tiles: 60 corner tiles, at the corners of the icosahedron's faces, and 20 middle tiles, in
the middle of these faces. There are four kinds of groups:

- *Star*: the tile that is played and its three neighbours.
- *Neighbour's star*: one neighbour of the tile that is played, with the three neighbours of that neighbour.
- *Ring of five*: the five corner tiles around a corner of the icosahedron.
- *Ring of six*: six tiles around the middle of an edge of the icosahedron. Each of the two faces at the edge has three
  of them: a corner tile, the middle tile, and another corner tile.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.core.search.policy import Policy
from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import CYCLE, NEIGHBOURS, TILES
from lapilli.kernels.kernel import Ints, Position, kernel

LEVELS = 9
"""Number of different levels of a tile, from -4 (the opponent's volcano on level 4) to 4 (the player's own)."""


def _rings(length: int) -> list[tuple[int, ...]]:
    """Returns all rings of `length` tiles on the board, each ring once. A ring is a closed chain of neighbouring tiles.

    The tiles of a ring are in order around the ring.
    """
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
    """Returns the three neighbours of a tile: the corner tiles first, then the middle tiles.

    A corner tile lies at a corner of one of the icosahedron's faces, a middle tile in the middle of a face.
    """
    return sorted(NEIGHBOURS[tile], key=lambda near: -int(IS_CORNER[near]))


def _round(ring: tuple[int, ...], tile: int) -> tuple[int, ...]:
    """Returns the tiles of a ring without `tile`, in order around the ring, beginning at a neighbour of `tile`.

    If `tile` is a corner tile (at a corner of one of the icosahedron's faces) in a ring of six, the result begins with
    the middle tile of the same face.
    """
    place = ring.index(tile)
    others = ring[place + 1 :] + ring[:place]
    return others[::-1] if IS_CORNER[tile] and IS_CORNER[others[0]] and not IS_CORNER[others[-1]] else others


def _rounds(rings: list[tuple[int, ...]], tile: int, most: int) -> list[tuple[int, ...]]:
    """Returns the rings that contain `tile`, each as a tuple of the ring's other tiles.

    `rings` are the rings to choose from. Tuples of zeros are added until there are `most` tuples.
    """
    rounds = [_round(ring, tile) for ring in rings if tile in ring]
    return rounds + [(0,) * (len(rings[0]) - 1)] * (most - len(rounds))


NEAR = np.array([_near(tile) for tile in range(TILES)], np.int64)
BEYOND = np.array(
    [[[far for far in _near(near) if far != tile] for near in _near(tile)] for tile in range(TILES)], np.int64
)
"""Tiles two steps away. `BEYOND[tile, i]` has the two neighbours of the tile `NEAR[tile, i]` other than `tile`
itself."""
FIVE = np.array([_rounds(_FIVES, tile, 1)[0] for tile in range(TILES)], np.int64)
"""`FIVE[tile]` has the other four tiles of a corner tile's ring of five. For a middle tile it has zeros."""
SIX = np.array([_rounds(_SIXES, tile, 3) for tile in range(TILES)], np.int64)
"""`SIX[tile, i]` has the other five tiles of the tile's ring of six number i. A middle tile is in three such rings. A
corner tile is in two, and has zeros in place of the third."""
COARSE = np.array([1, 0, 1, 1, 2, 3, 3, 4, 3], np.int64)
"""Coarse levels, for the other tiles in a ring of six. The index is the level plus 4. 0: an opponent's tile on level 3,
about to erupt. 1: any other tile of the opponent. 2: an empty tile. 3: an own tile. 4: an own tile on level 3, about to
erupt."""
SORTS = int(COARSE.max()) + 1
STAR, RING, WIDE = LEVELS**4, LEVELS**5, LEVELS * SORTS**5
OF_STAR = 0
OF_NEAR = OF_STAR + 4 * STAR
OF_FIVE = OF_NEAR + 6 * STAR
OF_SIX = OF_FIVE + 2 * RING
PATTERNS = OF_SIX + 4 * WIDE
"""Number of patterns. Stars, neighbours' stars, rings of five and rings of six have the patterns from `OF_STAR`,
`OF_NEAR`, `OF_FIVE` and `OF_SIX` on."""


POLICY = Policy(search="rave", patterns=PATTERNS, features=7, scratch=TILES)


@kernel
def features(p: Position, player: int, actions: Ints, count: int, out: Any, scratch: Ints) -> None:
    """Describes each of the tiles in `actions` by seven patterns, and writes the patterns' numbers into `out`.

    From the learned weights of these patterns, the policy estimates how good it is to play the tile. Implements
    `MctsHooks.features`.

    A star is a tile with its three neighbours, a ring a closed chain of neighbouring tiles. The seven patterns are
    those of the tile's star, of the three neighbours' stars, of two rings of six tiles, and of one more ring: of five
    tiles for a corner tile, of six for a middle tile.

    Args:
        p: the position.
        player: the player to move.
        actions: the tiles.
        count: number of tiles in `actions`.
        out: filled; `out[i]` gets the seven numbers of `actions[i]`.
        scratch: filled with the levels of all tiles plus 4, where the player's own levels are positive.
    """
    sign = 1 if player == 0 else -1
    for tile in range(TILES):
        scratch[tile] = LEVELS // 2 + sign * rules.level(p, tile)
    late = 0 if CYCLE[int(p.turn) % 6] >= 0 else 1
    for place in range(count):
        tile = actions[place]
        out[place, 0] = OF_STAR + _star(scratch, tile, late)
        for nth in range(3):
            out[place, 1 + nth] = OF_NEAR + _neighbour(scratch, tile, nth, late)
            out[place, 4 + nth] = OF_SIX + _six_round(scratch, tile, nth, late)
        if IS_CORNER[tile]:
            out[place, 6] = OF_FIVE + _five_round(scratch, tile, late)


@kernel
def _star(seen: Ints, tile: int, late: int) -> int:
    """Returns the number of the pattern of the star of `tile`: the levels of this tile and its three neighbours.

    The patterns of stars are numbered from 0; the caller adds OF_STAR.

    Args:
        seen: levels of all tiles plus 4; the player's own levels are positive.
        tile: the tile that is played.
        late: 1 if growth comes next, else 0.
    """
    a, b, c = int(seen[NEAR[tile, 0]]), int(seen[NEAR[tile, 1]]), int(seen[NEAR[tile, 2]])
    a, b = min(a, b), max(a, b)
    if not IS_CORNER[tile]:
        b, c = min(b, c), max(b, c)
        a, b = min(a, b), max(a, b)
    first = (2 * late + int(IS_CORNER[tile])) * LEVELS + int(seen[tile])
    return ((first * LEVELS + a) * LEVELS + b) * LEVELS + c


@kernel
def _neighbour(seen: Ints, tile: int, nth: int, late: int) -> int:
    """Returns the number of the pattern of a neighbour's star: the levels of this neighbour and its own three
    neighbours.

    The patterns of neighbours' stars are numbered from 0; the caller adds OF_NEAR.

    Args:
        seen: levels of all tiles plus 4; the player's own levels are positive.
        tile: the tile that is played.
        nth: index of the neighbour in `NEAR[tile]`.
        late: 1 if growth comes next, else 0.
    """
    near = NEAR[tile, nth]
    a, b = int(seen[BEYOND[tile, nth, 0]]), int(seen[BEYOND[tile, nth, 1]])
    kind = int(IS_CORNER[tile] + IS_CORNER[near])  # 2: the other two neighbours are a corner and a middle tile
    if kind < 2:
        a, b = min(a, b), max(a, b)
        kind = int(IS_CORNER[tile])
    first = ((2 * kind + late) * LEVELS + int(seen[tile])) * LEVELS + int(seen[near])
    return (first * LEVELS + a) * LEVELS + b


@kernel
def _five_round(seen: Ints, tile: int, late: int) -> int:
    """Returns the number of the pattern of a corner tile's ring of five: the levels of five tiles around a corner.

    Mirror images have the same pattern. The patterns of rings of five are numbered from 0; the caller adds OF_FIVE.

    Args:
        seen: levels of all tiles plus 4; the player's own levels are positive.
        tile: the corner tile that is played.
        late: 1 if growth comes next, else 0.
    """
    one = two = 0
    for place in range(4):
        one = one * LEVELS + int(seen[FIVE[tile, place]])
        two = two * LEVELS + int(seen[FIVE[tile, 3 - place]])
    return (late * LEVELS + int(seen[tile])) * STAR + min(one, two)


@kernel
def _six_round(seen: Ints, tile: int, nth: int, late: int) -> int:
    """Returns the number of the pattern of one of the rings of six tiles that contain `tile`: the levels of its tiles.

    The patterns of rings of six are numbered from 0; the caller adds OF_SIX.

    Args:
        seen: levels of all tiles plus 4; the player's own levels are positive.
        tile: the tile that is played.
        nth: index of the ring in `SIX[tile]`.
        late: 1 if growth comes next, else 0.
    """
    one = two = 0
    for place in range(5):
        one = one * SORTS + int(COARSE[seen[SIX[tile, nth, place]]])
        two = two * SORTS + int(COARSE[seen[SIX[tile, nth, 4 - place]]])
    if not IS_CORNER[tile]:
        one = min(one, two)
    return ((2 * late + int(IS_CORNER[tile])) * LEVELS + int(seen[tile])) * SORTS**5 + one
