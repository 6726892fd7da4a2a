"""A simple, fast player for playouts. It needs two microseconds for a turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.games.kingdomino.board import DISCARD, TILE
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.rules.position import NOBODY, OVER, PUT
from lapilli.games.kingdomino.rules.territory import anchors, covered, joined, put_action_at, survey
from lapilli.games.kingdomino.rules.torus import CASTLE, ONE, around, step
from lapilli.kernels.kernel import Ints, Position, Rng, kernel, lowest, popcount, random_below

_POINT = 8
_SAME_TERRAIN = 3
_NEIGHBOUR = 1
_CROWN = 4
"""Weights of the quick player, in this order: of each point gained; of each edge shared with a square of the same
terrain; of each edge shared with any square; of each crown on the picked tile."""


@kernel
def play_out(p: Position, player: int, careless: int, rng: Rng, zones: Any, out: Ints) -> None:
    """Plays from a position to the end of the game. All players play quick turns (`quick_turn`).

    Args:
        p: the position; it is changed.
        player: the player who makes no random turns.
        careless: one in this many turns of the other players is random; 0 for no random turns.
        rng: state of the random generator.
        zones: scratch array for lists of zones, np.uint64 of shape (2, MAX_ZONES, 3).
        out: scratch array of MAX_LEGAL integers.
    """
    while p.phase != OVER:
        current_player = rules.current_player(p)
        if current_player != player and careless and random_below(rng, careless) == 0:
            phase = p.phase
            rules.play(p, rules.random_action(p, current_player, rng, out))
            if phase == PUT and p.phase != OVER and p.phase != PUT:
                rules.play(p, rules.random_action(p, current_player, rng, out))
        else:
            quick_turn(p, zones)


@kernel
def quick_turn(p: Position, zones: Any) -> None:
    """Plays a turn of the player to move: the PUT with the highest value, then the PICK with the highest value.

    The value of a PICK is the value of the tile's best PUT now, plus the weighted number of the tile's crowns.

    Args:
        p: the position; it is changed.
        zones: scratch array for lists of zones, np.uint64 of shape (2, MAX_ZONES, 3).
    """
    player = rules.current_player(p)
    if p.phase == PUT:
        last = p.this_round == p.rounds
        best = best_put(p, player, int(p.play_tile[p.slot]), zones)
        rules.play(p, DISCARD if best < 0 else best & 1023)
        if last:
            return
    chosen, most = 0, -1
    for slot in range(int(p.lot)):
        tile = int(p.pick_tile[slot])
        if p.pick_owner[slot] == NOBODY:
            value = best_put(p, player, tile, zones) >> 10
            value += _CROWN * (TILE[tile, 1] + TILE[tile, 3])
            if value > most:
                chosen, most = tile, value
    rules.play(p, DISCARD + chosen)


@kernel
def best_put(p: Position, player: int, tile: int, zones: Any) -> int:
    """Returns the best place for a tile in a territory: the PUT action with the highest value, with this value.

    The result is one integer: the lowest ten bits are the action, the other bits the value. It is -1 if the tile fits
    nowhere.

    Args:
        p: the position.
        player: owner of the territory.
        tile: number of the tile.
        zones: scratch array for lists of zones, np.uint64 of shape (2, MAX_ZONES, 3).
    """
    land = p.land[player]
    first, second = TILE[tile, 0], TILE[tile, 2]
    one, two, three, four = anchors(p, player, first, second)
    if not one | two | three | four:
        return -1
    same = first == second
    number_first = survey(land, first, zones[0])
    number_second = 0 if same else survey(land, second, zones[1])
    taken = covered(p, player) | CASTLE
    best, place, turned = -1, 0, 0
    for rotation in range(4):
        anchored = one if rotation == 0 else two if rotation == 1 else three if rotation == 2 else four
        while anchored:
            at = lowest(anchored)
            square = ONE << np.uint64(at)
            anchored ^= square
            other = step(square, rotation)
            beside, beyond = around(square), around(other)
            if same:
                gain = joined(zones[0], number_first, square | other, TILE[tile, 1] + TILE[tile, 3])
            else:
                gain = joined(zones[0], number_first, square, TILE[tile, 1])
                gain += joined(zones[1], number_second, other, TILE[tile, 3])
            value = _POINT * gain + _NEIGHBOUR * popcount((beside | beyond) & taken)
            value += _SAME_TERRAIN * (popcount(beside & land[first]) + popcount(beyond & land[second]))
            if value > best:
                best, place, turned = value, at, rotation
    return best << 10 | put_action_at(p, player, place, turned)
