"""The functions of Volcanoes that Monte Carlo tree search calls (`MctsHooks`). Two of them are in modules of their own.

A candidate is a legal tile near a volcano. The search examines only candidates.
"""

from __future__ import annotations

import numpy as np

from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import (
    CYCLE,
    HEMISPHERE,
    MAX_TURNS,
    NEAR_NORTH,
    NEAR_SOUTH,
    NONE,
    ONE,
    WITHIN_NORTH,
    WITHIN_SOUTH,
)
from lapilli.games.volcanoes.engine.playouts import play_out
from lapilli.games.volcanoes.engine.policy import features
from lapilli.kernels.kernel import Ints, Position, Word, kernel

__all__ = ["candidates", "distance", "features", "may_end", "play_out"]


@kernel
def candidates(p: Position, player: int, out: Ints) -> int:
    """Writes the candidate tiles, which are the legal tiles near a volcano, into `out`; returns their number.

    The search examines only candidates. On a board without volcanoes, all legal tiles are candidates.
    """
    count = rules.legal(p, player, out)
    north, south = p.blue_north | p.orange_north, p.blue_south | p.orange_south
    if not north | south:
        return count
    kept = 0
    for i in range(count):
        if WITHIN_NORTH[out[i]] & north | WITHIN_SOUTH[out[i]] & south:
            out[kept] = out[i]
            kept += 1
    return kept


@kernel
def distance(p: Position, player: int, action: int) -> int:
    """Returns how far the tile `action` is from the player's tiles: 0, 1 or 2. Beginners more often see near tiles.

    0: beside a tile of the player. 1: a tile of the player, or two steps from one. 2: any other tile.
    """
    north, south = (p.blue_north, p.blue_south) if player == 0 else (p.orange_north, p.orange_south)
    bit = ONE << np.uint64(action % HEMISPHERE)
    is_own = bool(bit & (north if action < HEMISPHERE else south))
    if not is_own and NEAR_NORTH[action] & north | NEAR_SOUTH[action] & south:
        return 0
    return 1 if is_own or WITHIN_NORTH[action] & north | WITHIN_SOUTH[action] & south else 2


@kernel
def may_end(p: Position, player: int) -> bool:
    """Returns whether the next move, or growth right after it, might end the game.

    This is a quick estimate. True may be wrong: it means that few turns are left, or that a player would have a winning
    chain (from a tile to its antipode) with all the tiles that this player might gain.
    """
    own_north, own_south, other_north, other_south = p.blue_north, p.blue_south, p.orange_north, p.orange_south
    if player == 1:
        own_north, own_south, other_north, other_south = other_north, other_south, own_north, own_south
    near_north, near_south = around(own_north, own_south)
    near_north, near_south = own_north | near_north & ~other_north, own_south | near_south & ~other_south
    if rules.has_path(near_north, near_south) or int(p.turn) > MAX_TURNS - 3:
        return True
    if CYCLE[int(p.turn) % 6] >= 0:
        return False
    near_north, near_south = around(other_north & p.high_north, other_south & p.high_south)
    return rules.has_path(other_north | near_north & ~own_north, other_south | near_south & ~own_south)


@kernel
def around(north: Word, south: Word) -> tuple[Word, Word]:
    """Returns the neighbours of a set of tiles.

    The set and the result are two bit masks each, with one bit per tile: northern and southern tiles.
    """
    near_north = near_south = NONE
    while north | south:
        tile, north, south = rules.take_tile(north, south)
        near_north |= NEAR_NORTH[tile]
        near_south |= NEAR_SOUTH[tile]
    return near_north, near_south
