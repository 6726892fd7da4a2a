"""Playouts of Volcanoes, the quick games to the end with which Monte Carlo tree search judges a position.

In a playout, players mostly draw random candidates (`playing.candidates`). The moves of a playout have the same effects
as in the module `rules`, but a playout searches for winning chains less often. For each player it stores the *gaps*:
the empty tiles that would complete a winning chain of the player. A player's gaps are computed again only after the
player has founded a volcano, or after volcanoes have erupted.
"""

from __future__ import annotations

import numpy as np

from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import (
    ALL,
    GROWTH,
    HEMISPHERE,
    NEAR_NORTH,
    NEAR_SOUTH,
    NONE,
    ONE,
    SHORTEST,
    TILES,
    WITHIN_NORTH,
    WITHIN_SOUTH,
)
from lapilli.kernels.kernel import Ints, Position, Rng, Word, kernel, popcount, random_below

_GROUP = 4
"""Number of integers that `gaps` stores for a group of tiles: its tiles and its border, north and south."""


@kernel
def play_out(p: Position, player: int, style: int, rng: Rng, played: Ints, stamp: int, out: Ints) -> None:
    """Plays the position `p` to the end of the game. Implements `MctsHooks.play_out`.

    Args:
        p: the position; it is changed.
        player: the player to move.
        style: 1: a player who can complete a winning chain with an empty tile does so. 0: players always draw a tile at
            random.
        rng: state of the random generator.
        played: `played[player, tile]` is set to `stamp` for each tile that a player plays.
        stamp: number of the simulation.
        out: scratch array.
    """
    blue_known = orange_known = False
    blue_north = blue_south = orange_north = orange_south = NONE
    while p.result == rules.RUNNING and player >= 0:
        free_north, free_south = ALL & ~(p.blue_north | p.orange_north), ALL & ~(p.blue_south | p.orange_south)
        if player == 0 and not blue_known:
            blue_known = True
            _, blue_north, blue_south = gaps(p.blue_north, p.blue_south, free_north, free_south, out)
        if player == 1 and not orange_known:
            orange_known = True
            _, orange_north, orange_south = gaps(p.orange_north, p.orange_south, free_north, free_south, out)
        north, south = (blue_north, blue_south) if player == 0 else (orange_north, orange_south)
        north, south = north & free_north, south & free_south
        if style == 1 and north | south:
            tile = rules.take_tile(north, south)[0]
        else:
            tile = _drawn_candidate(p, player, rng)
            if tile < 0:
                return
        played[player, tile] = stamp
        bit = ONE << np.uint64(tile % HEMISPHERE)
        blue_wins = orange_wins = False
        if bit & (free_north if tile < HEMISPHERE else free_south):
            wins = bool(bit & (north if tile < HEMISPHERE else south))
            blue_wins, orange_wins = wins and player == 0, wins and player == 1
            blue_known, orange_known = blue_known and player == 1, orange_known and player == 0
        for action in (tile, GROWTH):
            if action == GROWTH and (p.result != rules.RUNNING or rules.side(p) >= 0):
                break
            erupts_north, erupts_south = rules.begin(p, action)
            if erupts_north | erupts_south:
                while erupts_north | erupts_south:
                    erupts_north, erupts_south = rules.erupt(p, erupts_north, erupts_south)
                free_north, free_south = ALL & ~(p.blue_north | p.orange_north), ALL & ~(p.blue_south | p.orange_south)
                blue_wins, blue_north, blue_south = gaps(p.blue_north, p.blue_south, free_north, free_south, out)
                orange_wins, orange_north, orange_south = gaps(
                    p.orange_north, p.orange_south, free_north, free_south, out
                )
                blue_known = orange_known = True
            rules.end_turn(p, blue_wins, orange_wins)
        player = rules.side(p)


@kernel
def _drawn_candidate(p: Position, player: int, rng: Rng) -> int:
    """Returns a random candidate of `player`; -1 if the player has no legal move.

    Tiles are drawn until one is a candidate. Most tiles are candidates, so this is faster than listing the candidates.
    """
    north, south = rules.legal_masks(p, player)
    if not north | south:
        return -1
    taken_north, taken_south = p.blue_north | p.orange_north, p.blue_south | p.orange_south
    while True:
        tile: int = random_below(rng, TILES)
        word = north if tile < HEMISPHERE else south
        if not (word >> np.uint64(tile % HEMISPHERE)) & ONE:
            continue
        if WITHIN_NORTH[tile] & taken_north | WITHIN_SOUTH[tile] & taken_south or not taken_north | taken_south:
            return tile


@kernel
def gaps(north: Word, south: Word, free_north: Word, free_south: Word, out: Ints) -> tuple[bool, Word, Word]:
    """Finds the empty tiles that would complete a winning chain of a player: a chain from a tile to its antipode.

    The player's tiles form groups of connected tiles. An empty tile completes a chain in two cases. It borders on two
    groups, of which one contains the antipode of a tile in the other. Or it borders on a group that contains its own
    antipode.

    Args:
        north, south: tiles that the player owns.
        free_north, free_south: empty tiles.
        out: scratch array.

    Returns:
        Whether the player has a winning chain; and the tiles that would complete one, as two bit masks, for the
        northern and the southern tiles. The masks are empty if the player has a winning chain.
    """
    gaps_north = gaps_south = NONE
    if popcount(north) + popcount(south) < SHORTEST - 1:
        return False, gaps_north, gaps_south
    left_north, left_south = north, south
    stored = 0
    while left_north | left_south:
        front_north = front_south = NONE
        if left_north:
            front_north = left_north & (~left_north + ONE)
        else:
            front_south = left_south & (~left_south + ONE)
        left_north ^= front_north
        left_south ^= front_south
        own_north, own_south = front_north, front_south
        border_north = border_south = NONE
        while front_north | front_south:
            tile, front_north, front_south = rules.take_tile(front_north, front_south)
            border_north |= NEAR_NORTH[tile]
            border_south |= NEAR_SOUTH[tile]
            near = NEAR_NORTH[tile] & left_north
            left_north ^= near
            front_north |= near
            own_north |= near
            near = NEAR_SOUTH[tile] & left_south
            left_south ^= near
            front_south |= near
            own_south |= near
        if own_north & own_south:
            return True, NONE, NONE
        border_north &= free_north
        border_south &= free_south
        gaps_north |= border_north & own_south
        gaps_south |= border_south & own_north
        if own_north & south | own_south & north:  # some antipodes are in other groups
            for place in range(0, stored, _GROUP):
                if own_north & np.uint64(out[place + 1]) | own_south & np.uint64(out[place]):
                    gaps_north |= border_north & np.uint64(out[place + 2])
                    gaps_south |= border_south & np.uint64(out[place + 3])
            out[stored], out[stored + 1] = own_north, own_south
            out[stored + 2], out[stored + 3] = border_north, border_south
            stored += _GROUP
    return False, gaps_north, gaps_south
