"""Patterns of a move, from whose learned weights `lapilli.core.policy` computes the move's probability.

A pattern describes a group of tiles around the tile played: their levels, seen by the player to move, and whether
growth comes next. If one of the sphere's 120 rotations and reflections maps a group onto another, both have the same
pattern, so nothing has to be learned twice.

The sphere has two kinds of tiles: 60 corner tiles, at the corners of the icosahedron's faces, and 20 middle tiles, in
the middle of these faces. There are four kinds of groups. A *star* is a tile and its three neighbours. A *neighbour's
star* is a neighbour of the tile played, and the neighbours of that neighbour. A *ring of five* lies around a corner of
the icosahedron. A *ring of six* lies around the middle of an edge: corner, middle and corner tile of the face on one
side of the edge, then of the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.core.policy import Policy
from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import CYCLE, NEIGHBOURS, TILES
from lapilli.kernels.kernel import Ints, Position, kernel

LEVELS = 9
"""Number of levels of a tile: -4 (the opponent's) to 4 (the player's)."""


def _rings(length: int) -> list[tuple[int, ...]]:
    """Returns all rings of `length` tiles, each once. The tiles of a ring are in order around it."""
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
    """Returns a tile's neighbours, corner tiles first."""
    return sorted(NEIGHBOURS[tile], key=lambda near: -int(IS_CORNER[near]))


def _round(ring: tuple[int, ...], tile: int) -> tuple[int, ...]:
    """Returns the other tiles of a ring, in order, starting next to `tile`.

    For a corner tile in a ring of six, the middle tile of the same face comes first.
    """
    place = ring.index(tile)
    others = ring[place + 1 :] + ring[:place]
    return others[::-1] if IS_CORNER[tile] and IS_CORNER[others[0]] and not IS_CORNER[others[-1]] else others


def _rounds(rings: list[tuple[int, ...]], tile: int, most: int) -> list[tuple[int, ...]]:
    """Returns the other tiles of each ring that contains `tile`, then rings of zeros to make `most` rings."""
    rounds = [_round(ring, tile) for ring in rings if tile in ring]
    return rounds + [(0,) * (len(rings[0]) - 1)] * (most - len(rounds))


NEAR = np.array([_near(tile) for tile in range(TILES)], np.int64)
BEYOND = np.array(
    [[[far for far in _near(near) if far != tile] for near in _near(tile)] for tile in range(TILES)], np.int64
)
"""By tile and index of the neighbour in NEAR: the two other neighbours of this neighbour."""
FIVE = np.array([_rounds(_FIVES, tile, 1)[0] for tile in range(TILES)], np.int64)
"""By tile: the other four tiles in a corner tile's ring of five; zeros for a middle tile."""
SIX = np.array([_rounds(_SIXES, tile, 3) for tile in range(TILES)], np.int64)
"""By tile: the other five tiles in each of its rings of six. A corner tile is in two such rings, and has zeros in place
of the third; a middle tile is in three."""
COARSE = np.array([1, 0, 1, 1, 2, 3, 3, 4, 3], np.int64)
"""Coarse levels for the other tiles in a ring of six, by level plus 4: 0 for an opponent's tile about to erupt (on
level 3), 1 for its other tiles, 2 for an empty tile, 3 for an own tile, 4 for an own tile about to erupt."""
SORTS = int(COARSE.max()) + 1
STAR, RING, WIDE = LEVELS**4, LEVELS**5, LEVELS * SORTS**5
OF_STAR = 0
OF_NEAR = OF_STAR + 4 * STAR
OF_FIVE = OF_NEAR + 6 * STAR
OF_SIX = OF_FIVE + 2 * RING
PATTERNS = OF_SIX + 4 * WIDE
"""Number of patterns. `OF_STAR`, `OF_NEAR`, `OF_FIVE` and `OF_SIX` are the numbers of the first patterns of stars,
neighbours' stars, rings of five and rings of six."""


POLICY = Policy(search="rave", patterns=PATTERNS, features=7, scratch=TILES)


@kernel
def features(p: Position, player: int, actions: Ints, count: int, out: Any, scratch: Ints) -> None:
    """Writes the numbers of seven patterns for each tile in `actions` into a row of `out`.

    The patterns are those of the tile's star, of its three neighbours' stars, of two rings of six, and of its ring of
    five (corner tile) or third ring of six (middle tile). `scratch` is filled with the levels of all tiles plus 4,
    where the player's own levels are positive. Implements `MctsHooks.features`.
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
    """Returns the pattern number of a tile's star (the tile and its neighbours), counted from OF_STAR.

    Args:
        seen: levels of all tiles plus 4; the player's own levels are positive.
        tile: the tile.
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
    """Returns the pattern number of a neighbour's star, counted from OF_NEAR.

    Args:
        seen: levels of all tiles plus 4; the player's own levels are positive.
        tile: the tile played.
        nth: index of the neighbour in NEAR.
        late: 1 if growth comes next, else 0.
    """
    near = NEAR[tile, nth]
    a, b = int(seen[BEYOND[tile, nth, 0]]), int(seen[BEYOND[tile, nth, 1]])
    kind = int(IS_CORNER[tile] + IS_CORNER[near])  # both corner tiles: beyond lie a corner and a middle tile
    if kind < 2:
        a, b = min(a, b), max(a, b)
        kind = int(IS_CORNER[tile])
    first = ((2 * kind + late) * LEVELS + int(seen[tile])) * LEVELS + int(seen[near])
    return (first * LEVELS + a) * LEVELS + b


@kernel
def _five_round(seen: Ints, tile: int, late: int) -> int:
    """Returns the pattern number of a corner tile's ring of five, counted from OF_FIVE; mirror images have the same.

    Args:
        seen: levels of all tiles plus 4; the player's own levels are positive.
        tile: the corner tile.
        late: 1 if growth comes next, else 0.
    """
    one = two = 0
    for place in range(4):
        one = one * LEVELS + int(seen[FIVE[tile, place]])
        two = two * LEVELS + int(seen[FIVE[tile, 3 - place]])
    return (late * LEVELS + int(seen[tile])) * STAR + min(one, two)


@kernel
def _six_round(seen: Ints, tile: int, nth: int, late: int) -> int:
    """Returns the pattern number of one of a tile's rings of six, counted from OF_SIX.

    Args:
        seen: levels of all tiles plus 4; the player's own levels are positive.
        tile: the tile played.
        nth: index of the ring in SIX.
        late: 1 if growth comes next, else 0.
    """
    one = two = 0
    for place in range(5):
        one = one * SORTS + int(COARSE[seen[SIX[tile, nth, place]]])
        two = two * SORTS + int(COARSE[seen[SIX[tile, nth, 4 - place]]])
    if not IS_CORNER[tile]:
        one = min(one, two)
    return ((2 * late + int(IS_CORNER[tile])) * LEVELS + int(seen[tile])) * SORTS**5 + one
