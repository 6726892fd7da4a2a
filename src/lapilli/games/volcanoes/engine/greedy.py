"""The greedy opponent, which looks one move ahead, and its evaluation function."""

from __future__ import annotations

from typing import Any, NamedTuple

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
    """Scratch arrays of the greedy opponent.

    Attributes:
        scratch: one position.
        tiles: a list of tiles.
        layers: sets of tiles, from `new_layers`.
        rng: state of a random generator.
    """

    scratch: Batch
    tiles: Ints
    layers: Any
    rng: Rng


def new_workspace() -> VolcanoesGreedyArrays:
    """Returns the scratch arrays for `choose_turn`."""
    tiles = np.empty(rules.MAX_LEGAL, np.int64)
    return VolcanoesGreedyArrays(np.zeros(1, rules.VOLCANOES), tiles, new_layers(), new_random(0))


def new_layers() -> Any:
    """Returns a scratch array for `best_tile`: space for sets of tiles, each as two bit masks, north and south."""
    return np.zeros((_UNREACHABLE + 1, 2), np.uint64)


@kernel
def choose_turn(
    p: Position, player: int, seed: int, nodes: int, w: VolcanoesGreedyArrays, static: Static, turn: Ints
) -> int:
    """Writes the greedy opponent's turn into `turn`, and returns 1, the number of its actions.

    The turn is the tile after which `evaluate` gives the best position.

    Args:
        p: the position.
        player: the player to move.
        seed: seed of the random generator, which decides between equally good tiles.
        nodes, static: not used.
        w: scratch arrays, from `new_workspace`.
        turn: filled with one action.
    """
    seed_random(w.rng, np.uint64(seed))
    turn[0] = best_tile(p, player, w.scratch, w.tiles, w.layers, w.rng)
    return 1


@kernel
def best_tile(p: Position, player: int, scratch: Batch, tiles: Ints, layers: Any, rng: Rng) -> int:
    """Returns the legal tile after which `evaluate` gives the best position. Ties are broken at random.

    If growth is the turn after the move, the position after growth is evaluated.

    Args:
        p: the position.
        player: the player to move.
        scratch: scratch array of one position.
        tiles: scratch array of MAX_LEGAL integers.
        layers: scratch array of sets of tiles, from `new_layers`.
        rng: state of the random generator.
    """
    own_lack, own_start = missing(p, player, 0, 0)
    other_lack, other_start = missing(p, 1 - player, 0, 0)
    count = rules.legal(p, player, tiles)
    best, best_value, ties = -1, 0, 0
    for i in range(count):
        scratch[0] = p
        after = scratch[0]
        rules.play(after, tiles[i])
        if after.result == rules.RUNNING and rules.side(after) < 0:
            rules.play(after, GROWTH)
        if after.result != rules.RUNNING:
            value = evaluate(after, player)
        else:
            lack, other = own_lack, other_lack
            if not _differs_by(p, after, player, tiles[i]):
                lack, own_start = missing(after, player, 0, own_start)
                other, other_start = missing(after, 1 - player, 0, other_start)
            elif rules.level(p, tiles[i]) == 0:
                lack = _with_tile(after, player, tiles[i], own_lack, layers)
                other, other_start = missing(after, 1 - player, other_lack, other_start)
            value = _value(after, player, lack, other)
        if best < 0 or value > best_value:
            best, best_value, ties = tiles[i], value, 1
        elif value == best_value:
            ties += 1
            if random_below(rng, ties) == 0:
                best = tiles[i]
    return best


@kernel
def _differs_by(p: Position, after: Position, player: int, tile: int) -> bool:
    """Returns whether only the tile `tile` has another owner after a move: `player`, or the same owner as before.

    `p` is the position before the move, `after` the position after it. In this case, the value can be computed faster.
    """
    bit = ONE << np.uint64(tile % HEMISPHERE)
    north, south = (bit, NONE) if tile < HEMISPHERE else (NONE, bit)
    blue_north, blue_south, orange_north, orange_south = p.blue_north, p.blue_south, p.orange_north, p.orange_south
    if player == 0:
        blue_north, blue_south = blue_north | north, blue_south | south
    else:
        orange_north, orange_south = orange_north | north, orange_south | south
    blue = after.blue_north == blue_north and after.blue_south == blue_south
    return bool(blue and after.orange_north == orange_north and after.orange_south == orange_south)


@kernel
def _tiles_of(p: Position, player: int) -> tuple[Word, Word, Word, Word]:
    """Returns a player's tiles and the empty tiles as bit masks, with one bit per tile.

    The four masks are: the player's northern and southern tiles, then the empty northern and southern tiles.
    """
    free_north, free_south = ALL & ~(p.blue_north | p.orange_north), ALL & ~(p.blue_south | p.orange_south)
    if player == 0:
        return p.blue_north, p.blue_south, free_north, free_south
    return p.orange_north, p.orange_south, free_north, free_south


@kernel
def _with_tile(p: Position, player: int, tile: int, before: int, layers: Any) -> int:
    """Returns how many empty tiles a player lacks to join some tile to its antipode, just after founding a volcano.

    The result is the same as that of `missing`, but is found faster from the number before the move: it is this number
    or one less. It is one less if a shortest chain leads through the new volcano. To find out, the tiles are sorted by
    their distance from the volcano, in empty tiles: `layers[d]` are the tiles at distance d or less.

    Args:
        p: the position after the move. All other tiles must have the same owners as before.
        player: the player.
        tile: the tile on which the volcano was founded.
        before: the number of tiles that the player lacked before the move.
        layers: scratch array, from `new_layers`.
    """
    if before == _UNREACHABLE:
        return before
    own_north, own_south, free_north, free_south = _tiles_of(p, player)
    bit = ONE << np.uint64(tile % HEMISPHERE)
    front_north, front_south = (bit, NONE) if tile < HEMISPHERE else (NONE, bit)
    seen_north, seen_south = front_north, front_south
    for distance in range(before):
        seen_north, seen_south, front_north, front_south = _reach(
            front_north, front_south, own_north, own_south, free_north, free_south, seen_north, seen_south
        )
        layers[distance, 0], layers[distance, 1] = seen_north, seen_south
        seen_north |= front_north
        seen_south |= front_south
    for distance in range(before):
        if layers[distance, 0] & layers[before - 1 - distance, 1]:
            return before - 1
    return before


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
    return _value(p, player, missing(p, player, 0, 0)[0], missing(p, 1 - player, 0, 0)[0])


@kernel
def _value(p: Position, player: int, own_lack: int, other_lack: int) -> int:
    """Returns the value of a position for `player`, in a game that is not over.

    `own_lack` and `other_lack` are the numbers of empty tiles that the player and the opponent still need to join a
    tile to its antipode (`missing`).
    """
    levels = _weight(p.blue_north, p.low_north, p.high_north) + _weight(p.blue_south, p.low_south, p.high_south)
    levels -= _weight(p.orange_north, p.low_north, p.high_north)
    levels -= _weight(p.orange_south, p.low_south, p.high_south)
    return 40 * (other_lack - own_lack) + (levels if player == 0 else -levels)


@kernel
def _weight(owned: Word, low: Word, high: Word) -> int:
    """Returns the sum of the levels of the tiles `owned`. A tile on level 3, which is about to erupt, adds 2 more.

    All arguments are bit masks with one bit per tile. `low` and `high` contain the low and the high bit of each tile's
    level minus one.
    """
    about = owned & high & ~low
    return popcount(owned) + popcount(owned & low) + 2 * popcount(owned & high) + 2 * popcount(about)


@kernel
def missing(p: Position, player: int, least: int, first: int) -> tuple[int, int]:
    """Returns the least number of empty tiles that a player must still occupy to join some tile to its antipode.

    Args:
        p: the position.
        player: the player.
        least: a number that is known not to be greater than the result, 0 if nothing is known. The search stops as soon
            as it finds this number.
        first: the northern tile with which the search begins. A good guess makes it faster.

    Returns:
        The number, and the northern one of the two tiles. If the opponent blocks every path: 40, and `first`.
    """
    north, south, free_north, free_south = _tiles_of(p, player)
    best, place = _UNREACHABLE, first
    for step in range(HEMISPHERE):
        start = (first + step) % HEMISPHERE
        bit = ONE << np.uint64(start)
        if (north | free_north) & (south | free_south) & bit:
            distance = _distance(bit, north, south, free_north, free_south, best)
            if distance < best:
                best, place = distance, start
                if best <= least:
                    break
    return best, place


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
    while cost < enough:
        seen_north, seen_south, front_north, front_south = _reach(
            front_north, front_south, north, south, free_north, free_south, seen_north, seen_south
        )
        if seen_south & start:
            return cost
        if not front_north | front_south:
            return enough
        cost += 1
        seen_north |= front_north
        seen_south |= front_south
    return enough


@kernel
def _reach(
    front_north: Word,
    front_south: Word,
    north: Word,
    south: Word,
    free_north: Word,
    free_south: Word,
    seen_north: Word,
    seen_south: Word,
) -> tuple[Word, Word, Word, Word]:
    """Extends a set of tiles by all tiles of a player that are connected to it, and finds the empty tiles beside them.

    A set of tiles is two bit masks with one bit per tile: the northern and the southern tiles.

    Args:
        front_north, front_south: tiles to go on from.
        north, south: tiles that the player owns.
        free_north, free_south: empty tiles.
        seen_north, seen_south: tiles seen before, which include `front_north` and `front_south`.

    Returns:
        Four masks. The first two are the tiles seen, now with the player's tiles that were reached. The last two are
        the empty tiles beside them that were not seen before.
    """
    next_north = next_south = NONE
    while front_north | front_south:
        tile, front_north, front_south = rules.take_tile(front_north, front_south)
        near_north, near_south = NEAR_NORTH[tile] & ~seen_north, NEAR_SOUTH[tile] & ~seen_south
        front_north |= near_north & north
        front_south |= near_south & south
        seen_north |= near_north & north
        seen_south |= near_south & south
        next_north |= near_north & free_north
        next_south |= near_south & free_south
    return seen_north, seen_south, next_north & ~seen_north, next_south & ~seen_south
