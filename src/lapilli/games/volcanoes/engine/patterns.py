"""How likely a tile is the best, by what lies around it: weights learned from searches, see `learned`.

A pattern is what a tile and its neighbours look like to the player who is to move, or one of these neighbours and its
other neighbours; and whether growth comes next.
"""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np

from lapilli.games.kernel import Ints, Position, kernel
from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import CYCLE, NEIGHBOURS, TILES
from lapilli.games.volcanoes.engine.learned import NEAR_WEIGHTS, TILE_WEIGHTS

NEAR = np.array(NEIGHBOURS, np.int64)
BEYOND = np.array(
    [
        [[far for far in NEIGHBOURS[near] if far != tile] for near in NEIGHBOURS[tile]]
        for tile in range(len(NEIGHBOURS))
    ],
    np.int64,
)
"""For each tile and each of its neighbours, that one's other neighbours."""
LEVELS = 9
"""What a tile may look like: from level -4, the opponent's, to 4."""


def _numbered(length: int) -> Any:
    """A number for each multiset of so many levels, by any order of them."""
    numbers: dict[tuple[int, ...], int] = {}
    table = np.zeros((LEVELS,) * length, np.int16)
    for index in np.ndindex(table.shape):
        table[index] = numbers.setdefault(tuple(sorted(index)), len(numbers))
    return table


THREE, TWO = _numbered(3), _numbered(2)
THREES, TWOS = int(THREE.max()) + 1, int(TWO.max()) + 1


@kernel
def priors(p: Position, player: int, actions: Ints, count: int, out: Any, room: Ints) -> None:
    """A likelihood for each of these tiles; their sum is 1."""
    sign = 1 if player == 0 else -1
    for tile in range(TILES):
        room[tile] = LEVELS // 2 + sign * rules.level(p, tile)
    kind = 0 if CYCLE[int(p.turn) % 6] >= 0 else LEVELS // 2
    total = 0.0
    for i in range(count):
        out[i] = exp(0.01 * float(weigh(room, actions[i], kind)))
        total += out[i]
    for i in range(count):
        out[i] /= total


@kernel
def weigh(seen: Ints, tile: int, kind: int) -> int:
    """How good a tile looks: the logarithm of a likelihood, in hundredths.

    Args:
        seen: what each tile looks like to the player, 0 to LEVELS - 1. kind: 4 where growth comes next, else 0.
    """
    kind += seen[tile] - LEVELS // 2
    a, b, c = seen[NEAR[tile, 0]], seen[NEAR[tile, 1]], seen[NEAR[tile, 2]]
    weight = int(TILE_WEIGHTS[kind * THREES + THREE[a, b, c]])
    for place in range(3):
        pair = TWO[seen[BEYOND[tile, place, 0]], seen[BEYOND[tile, place, 1]]]
        weight += NEAR_WEIGHTS[(kind * LEVELS + seen[NEAR[tile, place]]) * TWOS + pair]
    return weight
