"""The greedy opponent, which looks one move ahead, and its evaluation function."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import ALL, GROWTH, HEMISPHERE, NEAR_NORTH, NEAR_SOUTH, NONE, ONE
from lapilli.kernels.kernel import (
    Batch,
    Ints,
    Position,
    Rng,
    Static,
    Word,
    kernel,
    new_random,
    popcount,
    random_below,
    seed_random,
)

TURN = 1
"""Number of actions of a turn."""
_UNREACHABLE = 40
_WON = 1_000_000


class VolcanoesGreedyArrays(NamedTuple):
    """Scratch arrays: one position, a list of tiles, and the state of a random generator."""

    scratch: Batch
    tiles: Ints
    rng: Rng


def new_workspace() -> VolcanoesGreedyArrays:
    """Returns the scratch arrays for `choose_turn`."""
    return VolcanoesGreedyArrays(np.zeros(1, rules.VOLCANOES), np.empty(rules.MAX_LEGAL, np.int64), new_random(0))


@kernel
def choose_turn(
    p: Position, player: int, seed: int, nodes: int, w: VolcanoesGreedyArrays, static: Static, turn: Ints
) -> int:
    """Writes the greedy opponent's turn into `turn`, and returns 1, the number of its actions.

    `lapilli.core.turn_kernel` describes the arguments. The turn is the tile after which `evaluate` gives the best
    position.
    """
    seed_random(w.rng, np.uint64(seed))
    turn[0] = best_tile(p, player, w.scratch, w.tiles, w.rng)
    return 1


@kernel
def best_tile(p: Position, player: int, scratch: Batch, tiles: Ints, rng: Rng) -> int:
    """Returns the legal tile after which `evaluate` gives the best position. Ties are broken at random.

    If growth is the turn after the move, the position after growth is evaluated.

    Args:
        p: the position.
        player: the player to move.
        scratch: scratch array of one position.
        tiles: scratch array of MAX_LEGAL integers.
        rng: state of the random generator.
    """
    count = rules.legal(p, player, tiles)
    best, best_value, ties = -1, 0, 0
    for i in range(count):
        scratch[0] = p
        after = scratch[0]
        rules.play(after, tiles[i])
        if after.result == rules.RUNNING and rules.side(after) < 0:
            rules.play(after, GROWTH)
        value = evaluate(after, player)
        if best < 0 or value > best_value:
            best, best_value, ties = tiles[i], value, 1
        elif value == best_value:
            ties += 1
            if random_below(rng, ties) == 0:
                best = tiles[i]
    return best


@kernel
def evaluate(p: Position, player: int) -> int:
    """Returns the value of a position for `player`.

    The value for the other player is the same number with the other sign.

    The main term is the number of tiles that the opponent still needs to join a tile to its antipode, minus the number
    that `player` needs. A smaller term compares the levels of the two players' volcanoes.
    """
    if p.result != rules.RUNNING:
        won = rules.winner(p)
        if won < 0:
            return 0
        return _WON if won == player else -_WON
    blue_north, blue_south = p.blue_north, p.blue_south
    orange_north, orange_south = p.orange_north, p.orange_south
    free_north, free_south = ALL & ~(blue_north | orange_north), ALL & ~(blue_south | orange_south)
    lack = missing(orange_north, orange_south, free_north, free_south)
    lack -= missing(blue_north, blue_south, free_north, free_south)
    levels = _weight(blue_north, p.low_north, p.high_north) + _weight(blue_south, p.low_south, p.high_south)
    levels -= _weight(orange_north, p.low_north, p.high_north)
    levels -= _weight(orange_south, p.low_south, p.high_south)
    value = 40 * lack + levels
    return value if player == 0 else -value


@kernel
def _weight(owned: Word, low: Word, high: Word) -> int:
    """Returns the sum of the levels of the tiles `owned`. A tile on level 3, which is about to erupt, adds 2 more.

    `low` and `high` contain the low and the high bit of each tile's level minus one.
    """
    about = owned & high & ~low
    return popcount(owned) + popcount(owned & low) + 2 * popcount(owned & high) + 2 * popcount(about)


@kernel
def missing(north: Word, south: Word, free_north: Word, free_south: Word) -> int:
    """Returns the least number of empty tiles that a player must still occupy to join some tile to its antipode.

    Returns 40 if the opponent blocks every path.

    Args:
        north, south: tiles that the player owns.
        free_north, free_south: empty tiles.
    """
    best = _UNREACHABLE
    for start in range(HEMISPHERE):
        bit = ONE << np.uint64(start)
        if (north | free_north) & (south | free_south) & bit:
            best = min(best, _distance(bit, north, south, free_north, free_south, best))
    return best


@kernel
def _distance(start: Word, north: Word, south: Word, free_north: Word, free_south: Word, enough: int) -> int:
    """Returns the least number of empty tiles on a path of own and empty tiles from a northern tile to its antipode.

    Returns `enough` if every path needs at least `enough` empty tiles.

    Args:
        start: the northern tile, as a bit.
        north, south: tiles that the player owns.
        free_north, free_south: empty tiles.
        enough: number of empty tiles at which the search stops.
    """
    cost = 1 if start & free_north else 0
    front_north, front_south = start, NONE
    seen_north, seen_south = start, NONE
    next_north = next_south = NONE
    while cost < enough:
        while front_north | front_south:
            tile, front_north, front_south = rules.take_tile(front_north, front_south)
            near_north, near_south = NEAR_NORTH[tile] & ~seen_north, NEAR_SOUTH[tile] & ~seen_south
            front_north |= near_north & north
            front_south |= near_south & south
            seen_north |= near_north & north
            seen_south |= near_south & south
            next_north |= near_north & free_north
            next_south |= near_south & free_south
        if seen_south & start:
            return cost
        next_north &= ~seen_north
        next_south &= ~seen_south
        if not next_north | next_south:
            return enough
        cost += 1
        front_north, front_south = next_north, next_south
        seen_north |= next_north
        seen_south |= next_south
        next_north = next_south = NONE
    return enough
