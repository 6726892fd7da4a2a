"""The greedy opponent, which considers only its own next turn, and its evaluation of a territory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lapilli.games.kingdomino.board import DISCARD, MAX_LEGAL, TILE
from lapilli.games.kingdomino.rules.position import KINGDOMINO, NOBODY, PUT, WOOD
from lapilli.games.kingdomino.rules.territory import (
    all_crowns,
    crowns,
    lay,
    placements,
    vacant,
)
from lapilli.games.kingdomino.rules.torus import around, first_zone
from lapilli.kernels.kernel import (
    Batch,
    Ints,
    Position,
    Rng,
    Static,
    kernel,
    new_random,
    popcount,
    random_below,
    seed_random,
)

# Weights of `evaluate`. Hill climbing found them: in each step, two versions with different weights played matches.
# With these weights, greedy wins about 70 of 100 games against a version that considers only points, crowns and the
# largest zones. Each of the other weights increases this number.
_POINT = 16
_POINT_AT_THE_END = 4096
_CROWN = 20
_SQUARE_OF_LARGEST_ZONE = 5
_OPEN_SIDE_OF_CROWN, _OPEN_SIDES = 2, 3
_HOLE = 5
_VACANT = 4
LATER_TURN = 16
TURN = 2
"""Greatest number of actions of a turn."""
NOTHING = -1
"""Stands for an action that a turn does not have."""


class KingdominoGreedyArrays(NamedTuple):
    """Scratch arrays: two positions, two lists of actions, and the state of a random generator."""

    scratch: Batch
    actions: Any
    rng: Rng


def new_workspace() -> KingdominoGreedyArrays:
    """Returns the scratch arrays for `choose_turn`."""
    return KingdominoGreedyArrays(np.zeros(2, KINGDOMINO), np.empty((2, MAX_LEGAL), np.int64), new_random(0))


@kernel
def choose_turn(
    p: Position, player: int, seed: int, nodes: int, w: KingdominoGreedyArrays, static: Static, turn: Ints
) -> int:
    """Writes the greedy opponent's turn into `turn`, and returns the number of its actions.

    The turn is the PUT and the PICK after which the territory's evaluation is best. The picked tile is evaluated at its
    best place in the territory. A tile with an earlier turn in the next round is preferred. Later tiles and the other
    players are ignored.

    Args:
        p: the position.
        player: the player to move.
        seed: seed of the random generator, which decides between equally good turns.
        nodes, static: not used.
        w: scratch arrays, from `new_workspace`.
        turn: filled with one or two actions.
    """
    turn[0] = turn[1] = NOTHING
    seed_random(w.rng, np.uint64(seed))
    best_turn(p, player, w.scratch, w.actions, w.rng, turn)
    length = 0
    for index in range(TURN):
        if turn[index] != NOTHING:
            turn[length] = turn[index]
            length += 1
    return length


@kernel
def best_turn(p: Position, player: int, scratch: Batch, actions: Any, rng: Rng, plan: Ints) -> None:
    """Fills `plan` with the greedy turn of the player to move: PUT or DISCARD, then PICK; -1 in place of a missing
    action.

    Args:
        p: the position.
        player: the player to move.
        scratch: scratch array of two positions.
        actions: scratch array of shape (2, MAX_LEGAL).
        rng: state of the random generator, which decides between equally good turns.
        plan: filled, two integers.
    """
    best, ties = 0, 0
    for index in range(list_puts(p, player, actions[0])):
        scratch[0] = p
        put = actions[0, index]
        put_into(scratch[0], player, put)
        for slot in range(int(p.lot)):
            tile = tile_offered(p, slot)
            if tile == NOTHING:
                continue
            value = prospect(scratch[0], player, tile, scratch[1:], actions[1]) - LATER_TURN * slot
            if ties == 0 or value > best:
                best, ties = value, 0
            if value == best:
                ties += 1
                if random_below(rng, ties) == 0:
                    plan[0] = put
                    plan[1] = DISCARD + tile if tile else NOTHING


@kernel
def list_puts(p: Position, player: int, puts: Ints) -> int:
    """Lists what the player to move can do with the tile in play, and returns the number of these actions.

    They are PUTs, and DISCARD if it is allowed. If there is no tile in play, NOTHING is the only entry.

    Args:
        p: the position.
        player: the player to move.
        puts: filled with the actions.
    """
    if p.phase != PUT:
        puts[0] = NOTHING
        return 1
    tile = int(p.play_tile[p.slot])
    many = int(placements(p, player, TILE[tile, 0], TILE[tile, 2], puts))
    if many == 0 or p.options & WOOD:
        puts[many] = DISCARD
        many += 1
    return many


@kernel
def put_into(p: Position, player: int, put: int) -> None:
    """Places the tile in play by an action of `list_puts`. Changes nothing but the territory of `player`."""
    if put != NOTHING and put != DISCARD:
        lay(p, player, int(p.play_tile[p.slot]), put)


@kernel
def tile_offered(p: Position, slot: int) -> int:
    """Returns the tile that the player to move can pick from a slot; NOTHING if this slot cannot be picked.

    In the last round there are no tiles. Then the result is 0 for slot 0, and NOTHING for the others.
    """
    tile = int(p.pick_tile[slot])
    if tile == 0:
        return NOTHING if slot else 0
    return tile if p.pick_owner[slot] == NOBODY else NOTHING


@kernel
def prospect(p: Position, player: int, tile: int, scratch: Batch, actions: Ints) -> int:
    """Returns the best evaluation that a territory can have after a given tile is placed in it.

    If the tile fits nowhere, or is 0 (no tile), returns the evaluation of the territory as it is.

    Args:
        p: the position.
        player: owner of the territory.
        tile: number of the tile.
        scratch: scratch array of one position.
        actions: scratch array of MAX_LEGAL integers.
    """
    count = 0
    if tile:
        count = placements(p, player, TILE[tile, 0], TILE[tile, 2], actions)
    if count == 0:
        return evaluate(p, player)
    best = 0
    for index in range(count):
        scratch[0] = p
        lay(scratch[0], player, tile, actions[index])
        value = evaluate(scratch[0], player)
        if index == 0 or value > best:
            best = value
    return best


@kernel
def evaluate(p: Position, player: int) -> int:
    """Returns the value of a player's territory: a weighted sum of its points, crowns, compactness and large zones.

    A zone is a group of connected squares of one terrain.
    """
    land = p.land[player]
    last = p.this_round == p.rounds
    room = vacant(p, player)
    total = (_POINT_AT_THE_END if last else _POINT) * int(p.score[player])
    total += _CROWN * all_crowns(p, player)
    total -= _HOLE * popcount(room & ~around(room)) + _VACANT * popcount(room)
    for terrain in range(6):
        squares = land[terrain]
        largest = 0
        while squares:
            zone = first_zone(squares)
            squares &= ~zone
            largest = max(largest, popcount(zone))
            open_sides = min(popcount(around(zone) & room), _OPEN_SIDES)
            total += _OPEN_SIDE_OF_CROWN * open_sides * crowns(zone, land)
        total += _SQUARE_OF_LARGEST_ZONE * largest
    return total
