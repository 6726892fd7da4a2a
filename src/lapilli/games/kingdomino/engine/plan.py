"""Where known tiles are best put: a beam search over one territory, judged by what it is expected to come to."""

from __future__ import annotations

from lapilli.games.kingdomino.board import TILE
from lapilli.games.kingdomino.engine.room import WIDEST, Room
from lapilli.games.kingdomino.engine.value import outlook
from lapilli.games.kingdomino.rules.territory import lay, placements
from lapilli.kernels.kernel import kernel


@kernel
def extend(
    room: Room,
    source: int,
    count: int,
    target: int,
    width: int,
    player: int,
    tile: int,
    coming: int,
) -> int:
    """Puts a tile into each of `count` territories in `nodes`, from `source` on; the best go to `target` and on.

    Args:
        room: its `nodes`, `worth` and `actions`. source, count: the territories to put it into.
        target, width: where the best are to be, and how many at most; not among the sources.
        player: whose territories. tile: its number. coming: tiles that will come after it.
    Returns:
        how many there are, the best first; as many as before, if the tile fits nowhere.
    """
    nodes, actions, worth = room.nodes, room.actions, room.worth
    scratch = len(nodes) - 1
    chosen = len(actions) - 2 * WIDEST
    found = 0
    for index in range(source, source + count):
        number = placements(nodes[index], player, TILE[tile, 0], TILE[tile, 2], actions)
        for place in range(max(number, 1)):
            nodes[scratch] = nodes[index]
            action = -1
            if number:
                action = actions[place]
                lay(nodes[scratch], player, tile, action)
            value = outlook(nodes[scratch], player, coming, room.mind)
            at = found
            while at and worth[target + at - 1] < value:
                at -= 1
            if at == width or (at and worth[target + at - 1] == value):
                continue  # too bad, or the same in another order
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
