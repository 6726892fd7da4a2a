"""The functions of Volcanoes that Monte Carlo tree search calls (`MctsHooks`): candidate tiles, and moves in playouts.

A candidate is a legal tile near a volcano. The search examines only candidates.
"""

from __future__ import annotations

import numpy as np

from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import (
    ALL,
    CYCLE,
    HEMISPHERE,
    MAX_TURNS,
    NEAR_NORTH,
    NEAR_SOUTH,
    NEIGHBOURS,
    NONE,
    ONE,
    TILES,
)
from lapilli.games.volcanoes.engine.policy import features
from lapilli.kernels.kernel import Ints, Position, Rng, Word, kernel, popcount, random_below

__all__ = ["candidates", "choose", "features", "may_end"]

STEPS = 2
"""Greatest distance of a candidate tile from the nearest volcano. One step leads from a tile to a neighbour."""
SHORTEST = 12
"""Number of tiles in the shortest chain from a tile to its antipode. It is the same for all tiles."""


def _within(steps: int) -> tuple[list[int], list[int]]:
    """Returns two lists of bit masks, north and south.

    Each list has one mask per tile: the tiles at most `steps` away.
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


@kernel
def candidates(p: Position, player: int, out: Ints) -> int:
    """Writes the candidate tiles, which are the legal tiles near a volcano, into `out`; returns their number.

    On a board without volcanoes, all legal tiles are candidates.
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
def may_end(p: Position, player: int) -> bool:
    """Returns whether the next move, or growth right after it, might end the game.

    This is a quick estimate. True may be wrong: it means that a player would have a winning chain with all the tiles
    that this player might gain, or that few turns are left.
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
    """Returns the neighbours of a set of tiles as two bit masks, north and south."""
    near_north = near_south = NONE
    while north | south:
        tile, north, south = rules.take_tile(north, south)
        near_north |= NEAR_NORTH[tile]
        near_south |= NEAR_SOUTH[tile]
    return near_north, near_south


@kernel
def choose(p: Position, player: int, style: int, rng: Rng, out: Ints) -> int:
    """Returns a random candidate tile for a move of a playout. Implements `MctsHooks.choose`.

    In style 1, if an empty tile completes the player's winning chain, that tile is returned instead. Tiles are drawn at
    random until one is a candidate. Most tiles are candidates, so this is faster than listing the candidates.
    """
    north, south = rules.legal_masks(p, player)
    taken_north, taken_south = p.blue_north | p.orange_north, p.blue_south | p.orange_south
    if style == 1:
        own_north, own_south = (p.blue_north, p.blue_south) if player == 0 else (p.orange_north, p.orange_south)
        last = completing(own_north, own_south, ALL & ~taken_north, ALL & ~taken_south)
        if last >= 0:
            return last
    while True:
        tile: int = random_below(rng, TILES)
        word = north if tile < HEMISPHERE else south
        if not (word >> np.uint64(tile % HEMISPHERE)) & ONE:
            continue
        if WITHIN_NORTH[tile] & taken_north | WITHIN_SOUTH[tile] & taken_south or not taken_north | taken_south:
            return tile


@kernel
def completing(north: Word, south: Word, free_north: Word, free_south: Word) -> int:
    """Returns an empty tile that would complete a player's chain from some tile to its antipode; -1 if no tile would.

    Args:
        north, south: tiles that the player owns.
        free_north, free_south: empty tiles.
    """
    if popcount(north) + popcount(south) < SHORTEST - 1:
        return -1
    near_north, near_south = around(north, south)
    near_north &= free_north
    near_south &= free_south
    if not (north | near_north) & (south | near_south):
        return -1
    if not rules.has_path(north | near_north, south | near_south):
        return -1
    while near_north | near_south:
        tile, near_north, near_south = rules.take_tile(near_north, near_south)
        bit = ONE << np.uint64(tile % HEMISPHERE)
        beside = popcount(NEAR_NORTH[tile] & north) + popcount(NEAR_SOUTH[tile] & south)
        if beside < 2 and not bit & (north | south):
            continue
        n, s = (bit, NONE) if tile < HEMISPHERE else (NONE, bit)
        if joins(n, s, north | n, south | s):
            return tile
    return -1


@kernel
def joins(start_north: Word, start_south: Word, north: Word, south: Word) -> bool:
    """Returns whether the part of a set of tiles that is connected to a start tile contains some tile and its antipode.

    Args:
        start_north, start_south: the start tile, as a bit.
        north, south: the set of tiles.
    """
    reached_north = front_north = start_north
    reached_south = front_south = start_south
    while front_north | front_south:
        tile, front_north, front_south = rules.take_tile(front_north, front_south)
        near = NEAR_NORTH[tile] & north & ~reached_north
        reached_north |= near
        front_north |= near
        near = NEAR_SOUTH[tile] & south & ~reached_south
        reached_south |= near
        front_south |= near
        if reached_north & reached_south:
            return True
    return False
