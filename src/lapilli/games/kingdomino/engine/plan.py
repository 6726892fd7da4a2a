"""Finds the best places for known tiles in a territory: a beam search that maximizes the expected final points."""

from __future__ import annotations

from lapilli.games.kingdomino.board import TILE
from lapilli.games.kingdomino.engine.scratch import WIDEST, DraftScratch
from lapilli.games.kingdomino.engine.value import outlook
from lapilli.games.kingdomino.rules.territory import lay, placements
from lapilli.kernels.kernel import kernel


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
) -> int:
    """Places a tile in each of several territories, in all possible ways, and keeps the best results.

    This is one step of the beam search. A territory in which the tile fits nowhere is a result without the tile.

    Args:
        scratch: scratch arrays, of which `nodes`, `worth` and `actions` are used.
        source: index in `nodes` of the first territory to extend.
        count: number of territories to extend.
        target: index in `nodes` of the first result. Results must not overlap the territories to extend.
        width: greatest number of results.
        player: owner of the territories.
        tile: number of the tile.
        coming: number of tiles that the player will get after this tile.

    Returns:
        The number of results. The best result comes first.
    """
    nodes, actions, worth = scratch.nodes, scratch.actions, scratch.worth
    spare = len(nodes) - 1
    chosen = len(actions) - 2 * WIDEST
    found = 0
    for index in range(source, source + count):
        number = placements(nodes[index], player, TILE[tile, 0], TILE[tile, 2], actions)
        for place in range(max(number, 1)):
            nodes[spare] = nodes[index]
            action = -1
            if number:
                action = actions[place]
                lay(nodes[spare], player, tile, action)
            value = outlook(nodes[spare], player, coming, scratch.network)
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
