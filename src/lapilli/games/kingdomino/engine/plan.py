"""Finds the best places for known tiles in a territory: a beam search that maximizes the expected final points."""

from __future__ import annotations

import numpy as np

from lapilli.games.kingdomino.board import MAX_LEGAL, TILE
from lapilli.games.kingdomino.engine.network.value import outlook
from lapilli.games.kingdomino.engine.scratch import WIDEST, DraftScratch
from lapilli.games.kingdomino.rules.territory import anchors, covered, joined, lay, put_action_at, survey, vacant
from lapilli.games.kingdomino.rules.torus import CASTLE, ONE, around, step
from lapilli.kernels.kernel import Position, kernel, lowest, popcount

_POINT, _SAME_TERRAIN, _HOLE, _OPEN_CROWN = 4, 3, 6, 2
"""Weights of the quick estimate in `promising`, in this order: of each point gained; of each edge shared with a square
of the same terrain; of each empty square without empty neighbours (subtracted); of each open side of a crown. An edge
shared with any square counts 1."""


@kernel
def promising(p: Position, player: int, tile: int, most: int, scratch: DraftScratch) -> int:
    """Writes the best PUT actions of a tile, by a quick estimate, into `scratch.actions`; returns their number.

    If both squares of the tile are equal, there are two actions with the same result. Only one of them is considered.

    Args:
        p: the position.
        player: owner of the territory.
        tile: number of the tile.
        most: greatest number of actions.
        scratch: scratch arrays.
    """
    land, zones, actions, quick = p.land[player], scratch.zones, scratch.actions, scratch.quick
    first, second = TILE[tile, 0], TILE[tile, 2]
    masks = anchors(p, player, first, second)
    same = first == second
    number_first = survey(land, first, zones[0])
    number_second = 0 if same else survey(land, second, zones[1])
    taken, room = covered(p, player) | CASTLE, vacant(p, player)
    count = 0
    for rotation in range(2 if same and TILE[tile, 1] == TILE[tile, 3] else 4):
        anchored = masks[rotation]
        while anchored:
            place = lowest(anchored)
            square = ONE << np.uint64(place)
            anchored ^= square
            other = step(square, rotation)
            beside, beyond = around(square), around(other)
            rest = room & ~(square | other)
            if same:
                gain = joined(zones[0], number_first, square | other, TILE[tile, 1] + TILE[tile, 3])
            else:
                gain = joined(zones[0], number_first, square, TILE[tile, 1])
                gain += joined(zones[1], number_second, other, TILE[tile, 3])
            value = _POINT * gain + popcount((beside | beyond) & taken) - _HOLE * popcount(rest & ~around(rest))
            value += _SAME_TERRAIN * (popcount(beside & land[first]) + popcount(beyond & land[second]))
            value += _OPEN_CROWN * (popcount(beside & rest) * TILE[tile, 1] + popcount(beyond & rest) * TILE[tile, 3])
            at = min(count, most)
            while at and quick[at - 1] < value:
                at -= 1
            if at == most:
                continue
            count = min(count + 1, most)
            for later in range(count - 1, at, -1):
                quick[later], actions[later] = quick[later - 1], actions[later - 1]
            quick[at], actions[at] = value, place << 2 | rotation
    for index in range(count):
        actions[index] = put_action_at(p, player, actions[index] >> 2, actions[index] & 3)
    return count


@kernel
def extend(
    scratch: DraftScratch,
    source: int,
    count: int,
    target: int,
    width: int,
    player: int,
    tile: int,
    coming: int,
    order: int,
) -> int:
    """Places a tile in each of several territories, in different ways, and keeps the best results.

    This is one step of a beam search. It examines the `scratch.places[0]` most promising places in each territory, or
    all places if the tile is the player's last. A territory in which the tile fits nowhere is a result without the
    tile.

    Args:
        scratch: scratch arrays; its field `nodes` contains the territories.
        source: index in `nodes` of the first territory to extend.
        count: number of territories to extend.
        target: index in `nodes` of the first result. Results must not overlap the territories to extend.
        width: greatest number of results.
        player: owner of the territories.
        tile: number of the tile.
        coming: number of tiles that the player will get after this tile.
        order: set of the player's turns in the next round, one bit per turn; 0 if it is not known.

    Returns:
        The number of results. The best result comes first.
    """
    nodes, actions, worth = scratch.nodes, scratch.actions, scratch.worth
    spare = len(nodes) - 1
    chosen = len(actions) - 2 * WIDEST
    found = 0
    for index in range(source, source + count):
        number = promising(nodes[index], player, tile, int(scratch.places[0]) if coming else MAX_LEGAL, scratch)
        for place in range(max(number, 1)):
            nodes[spare] = nodes[index]
            action = -1
            if number:
                action = actions[place]
                lay(nodes[spare], player, tile, action)
            value = outlook(nodes[spare], player, coming, order, scratch.network)
            at = found
            while at and worth[target + at - 1] < value:
                at -= 1
            if at == width or (at and worth[target + at - 1] == value):
                continue  # the result is not good enough, or it was already found with the tiles in another order
            found = min(found + 1, width)
            for later in range(found - 1, at, -1):
                worth[target + later] = worth[target + later - 1]
                actions[chosen + 2 * later] = actions[chosen + 2 * later - 2]
                actions[chosen + 2 * later + 1] = actions[chosen + 2 * later - 1]
            worth[target + at] = value
            actions[chosen + 2 * at], actions[chosen + 2 * at + 1] = index, action
    for at in range(found):
        nodes[target + at] = nodes[actions[chosen + 2 * at]]
        if actions[chosen + 2 * at + 1] >= 0:
            lay(nodes[target + at], player, tile, actions[chosen + 2 * at + 1])
    return found
