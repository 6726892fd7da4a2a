"""Kingdomino's built-in opponent."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from lapilli.games.kernel import kernel, new_random, popcount, random_below
from lapilli.games.kingdomino.board import DISCARD, NUM_ACTIONS, TILE
from lapilli.games.kingdomino.rules.territory import (
    all_crowns,
    around,
    crowns,
    first_zone,
    lay,
    placements,
    vacant,
)
from lapilli.games.kingdomino.rules.verbs import KINGDOMINO, NOBODY, PUT, legal
from lapilli.games.state import State

# What things are worth to `evaluate`: found by hill climbing in matches of two versions. These beat one that knows only
# points, crowns and the largest zones in about 70 of 100 games, and each of them adds to that.
_POINT = 16
_POINT_AT_THE_END = 4096
_CROWN = 20
_SQUARE_OF_LARGEST_ZONE = 5
_OPEN_SIDE_OF_CROWN, _OPEN_SIDES = 2, 3
_HOLE = 5
_VACANT = 4
_LATER_TURN = 16
_NOTHING = -1


def greedy(state: State, player: int, random: Random) -> Sequence[int]:
    """The PUT and the PICK after which the territory stands best once the picked tile lies well too; ties by lot.

    It values an early turn in the next round, looks no further, and does not look at the others.
    """
    plan = np.full(2, _NOTHING, np.int64)
    scratch = np.zeros(2, KINGDOMINO)
    actions = np.empty((2, NUM_ACTIONS), np.int64)
    best_turn(state.record, player, scratch, actions, new_random(random.getrandbits(63)), plan)
    return [action for action in plan.tolist() if action != _NOTHING]


@kernel
def best_turn(record: Any, player: int, scratch: Any, actions: Any, rng: Any, plan: Any) -> None:
    """Fills `plan` with the PUT or discard, and the PICK, of the player to move; -1 for what the turn has not."""
    putting = record["phase"] == PUT
    puts = legal(record, actions[0]) if putting else 1
    best, ties = 0, 0
    for index in range(puts):
        scratch[0] = record
        put = actions[0, index] if putting else _NOTHING
        if putting and put != DISCARD:
            lay(scratch[0], player, int(record["play_tile"][record["slot"]]), put)
        for slot in range(record["lot"]):
            tile = int(record["pick_tile"][slot])
            if tile == 0 and slot:
                break
            if tile and record["pick_owner"][slot] != NOBODY:
                continue
            value = prospect(scratch[0], player, tile, scratch[1:], actions[1]) - _LATER_TURN * slot
            if ties == 0 or value > best:
                best, ties = value, 0
            if value == best:
                ties += 1
                if random_below(rng, ties) == 0:
                    plan[0] = put
                    plan[1] = DISCARD + tile if tile else _NOTHING


@kernel
def prospect(record: Any, player: int, tile: int, scratch: Any, actions: Any) -> int:
    """The best `evaluate` after putting this tile somewhere; as it stands where that cannot be, or for tile 0."""
    count = 0
    if tile:
        count = placements(record, player, TILE[tile, 0], TILE[tile, 2], actions)
    if count == 0:
        return evaluate(record, player)
    best = 0
    for index in range(count):
        scratch[0] = record
        lay(scratch[0], player, tile, actions[index])
        value = evaluate(scratch[0], player)
        if index == 0 or value > best:
            best = value
    return best


@kernel
def evaluate(record: Any, player: int) -> int:
    """How well a territory stands: its points, what crowns and large zones promise, and how compact it is."""
    land = record["land"][player]
    last = record["round"] == record["rounds"]
    room = vacant(record, player)
    total = (_POINT_AT_THE_END if last else _POINT) * int(record["score"][player])
    total += _CROWN * all_crowns(record, player)
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
