"""Patterns of a move, from which a learned policy computes the move's probability (`lapilli.core.policy`).

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
    """Returns the other tiles of each ring that contains `tile`, padded to `most` rings with zeros."""
    rounds = [_round(ring, tile) for ring in rings if tile in ring]
    return rounds + [(0,) * (len(rings[0]) - 1)] * (most - len(rounds))


NEAR = np.array([_near(tile) for tile in range(TILES)], np.int64)
BEYOND = np.array(
    [[[far for far in _near(near) if far != tile] for near in _near(tile)] for tile in range(TILES)], np.int64
)
"""For each tile and each of its neighbours, the two other neighbours of this neighbour."""
FIVE = np.array([_rounds(_FIVES, tile, 1)[0] for tile in range(TILES)], np.int64)
"""The other tiles of a corner tile's ring of five."""
SIX = np.array([_rounds(_SIXES, tile, 3) for tile in range(TILES)], np.int64)
"""The other tiles of a tile's rings of six: a corner tile is in two of them, a middle tile in three."""
COARSE = np.array([1, 0, 1, 1, 2, 3, 3, 4, 3], np.int64)
"""Coarse levels for the other tiles in a ring of six, by level from -4 to 4: 0 opponent's and about to erupt, 1
opponent's on another level, 2 empty, 3 own on another level, 4 own and about to erupt."""
SORTS = int(COARSE.max()) + 1
STAR, RING, WIDE = LEVELS**4, LEVELS**5, LEVELS * SORTS**5
OF_STAR = 0
OF_NEAR = OF_STAR + 4 * STAR
OF_FIVE = OF_NEAR + 6 * STAR
OF_SIX = OF_FIVE + 2 * RING
PATTERNS = OF_SIX + 4 * WIDE
"""Number of patterns. The constants above are the first pattern numbers of stars, neighbours' stars, rings of five and
rings of six."""


POLICY = Policy(search="rave", patterns=PATTERNS, features=7, scratch=TILES)


@kernel
def features(p: Position, player: int, actions: Ints, count: int, out: Any, scratch: Ints) -> None:
    """Implements `MctsHooks.features`: writes the numbers of each tile's patterns into a row of `out`.

    They are those of its star, its three neighbours' stars, its rings of six, and its ring of five if it is a corner
    tile or a third ring of six if not. `scratch` is filled with the levels of all tiles, seen by the player, plus 4.
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
    """Returns the number of a tile's star within the stars. `late` is 1 if growth comes next; `seen` has all levels."""
    a, b, c = int(seen[NEAR[tile, 0]]), int(seen[NEAR[tile, 1]]), int(seen[NEAR[tile, 2]])
    a, b = min(a, b), max(a, b)
    if not IS_CORNER[tile]:
        b, c = min(b, c), max(b, c)
        a, b = min(a, b), max(a, b)
    first = (2 * late + int(IS_CORNER[tile])) * LEVELS + int(seen[tile])
    return ((first * LEVELS + a) * LEVELS + b) * LEVELS + c


@kernel
def _neighbour(seen: Ints, tile: int, nth: int, late: int) -> int:
    """Returns the number of a neighbour's star within these stars; `nth` is the index of the neighbour in NEAR."""
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
    """Returns the index of the pattern that a corner tile and its ring of five form. Mirror images have the same index.

    Args:
        seen: what lies on each tile, seen by the player.
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
    """Returns the number of one of a tile's rings of six within these rings; `nth` is the index of the ring in SIX."""
    one = two = 0
    for place in range(5):
        one = one * SORTS + int(COARSE[seen[SIX[tile, nth, place]]])
        two = two * SORTS + int(COARSE[seen[SIX[tile, nth, 4 - place]]])
    if not IS_CORNER[tile]:
        one = min(one, two)
    return ((2 * late + int(IS_CORNER[tile])) * LEVELS + int(seen[tile])) * SORTS**5 + one
