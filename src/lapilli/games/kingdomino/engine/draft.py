"""The draft: which player gets which tile of a row if each picks what is best for itself, and the expected scores after
it.
"""

from __future__ import annotations

from typing import Any

from lapilli.games.kingdomino.engine.plan import extend
from lapilli.games.kingdomino.engine.room import WIDEST, Room
from lapilli.games.kingdomino.engine.value import kind_of, outlook
from lapilli.games.kingdomino.rules.position import NOBODY
from lapilli.kernels.kernel import Ints, Position, kernel

_MARGIN = 1e-5
"""Value of one point of lead, in addition to the probability of winning: it decides where that probability does not
change.
"""


@kernel
def coming_after(p: Position) -> int:
    """Returns how many tiles each player will still get after those of the present row to pick."""
    return max(int(p.rounds) - 1 - int(p.this_round), 0) * int(p.lot) // int(p.players)


@kernel
def picks_after(p: Position, player: int, slot: int) -> int:
    """Returns how many picks the player has in this round after this slot."""
    count = 0
    if p.this_round < p.rounds and p.left[player] == 0:
        for later in range(slot + 1, int(p.lot)):
            count += p.play_owner[later] == player
    return count


@kernel
def settle_known(p: Position, player: int, after: int, picks: int, width: int, room: Room) -> int:
    """Puts all known tiles of the player, starting from the first territory of `nodes`; returns the number of results.

    Known are the tiles that it has picked, and its tiles in play in slots after `after`. The best resulting territories
    replace those in `nodes`, from index 0 on.

    Args:
        picks: number of further tiles that the player will pick this round.
        width: maximum number of territories to keep.
    """
    known = 0
    for slot in range(int(p.lot)):
        known += slot > after and p.play_owner[slot] == player and p.play_tile[slot] != 0
        known += p.pick_owner[slot] == player
    count = 1
    coming = coming_after(p) + picks + known
    for place in range(8):
        slot = place & 3
        tile = 0
        if place < 4 and slot > after and p.play_owner[slot] == player:
            tile = int(p.play_tile[slot])
        elif place >= 4 and p.pick_owner[slot] == player:
            tile = int(p.pick_tile[slot])
        if tile:
            coming -= 1
            count = add_tile(room, count, width, player, tile, coming)
    return count


@kernel
def add_tile(room: Room, count: int, width: int, player: int, tile: int, coming: int) -> int:
    """Extends the first `count` territories of `nodes` by a tile, with `extend`, in place.

    Returns:
        The number of resulting territories, at most `width`; the best come first.
    """
    count = extend(room, 0, count, WIDEST, width, player, tile, coming)
    for index in range(count):
        room.nodes[index] = room.nodes[WIDEST + index]
    return count


@kernel
def tabulate(p: Position, player: int, picks: int, count: int, width: int, room: Room) -> None:
    """Computes how many points the player's territory is expected to reach with each set of tiles that it may pick.

    Args:
        picks: number of tiles that it picks, at most 2.
        count: number of territories in `nodes` to start from.
        width: number of territories to keep between two tiles.
        room: scratch arrays. The player's row of `table` receives the expected points; its index is a set of free
            slots, one bit each.
    """
    table, worth, nodes, mind = room.table[player], room.worth, room.nodes, room.mind
    coming = coming_after(p)
    if picks == 0:
        table[0] = outlook(nodes[0], player, coming, mind)
        for index in range(1, count):
            table[0] = max(table[0], outlook(nodes[index], player, coming, mind))
        return
    for slot in range(int(p.lot)):
        if p.pick_owner[slot] != NOBODY:
            continue
        tile = int(p.pick_tile[slot])
        keep = 1 if picks == 1 else width
        found = extend(room, 0, count, WIDEST, keep, player, tile, coming + picks - 1)
        table[1 << slot] = worth[WIDEST]
        for other in range(slot + 1, int(p.lot)):
            if picks == 2 and p.pick_owner[other] == NOBODY:
                second = int(p.pick_tile[other])
                extend(room, WIDEST, found, 2 * WIDEST, 1, player, second, coming)
                table[1 << slot | 1 << other] = worth[2 * WIDEST]


@kernel
def beats(lead: float, spread: float) -> float:
    """Returns the probability that a lead in expected points wins.

    The error function is approximated by a hyperbolic tangent, as is usual, and the tangent by a fraction, so that the
    result is the same on all machines.

    Args:
        spread: standard deviation of what is still to come.
    """
    if spread <= 0.0:
        return 0.5 + 0.5 * (lead > 0.0) - 0.5 * (lead < 0.0)
    z = lead / spread
    y = 0.7979 * z * (1.0 + 0.0447 * z * z)
    if y >= 3.6 or y <= -3.6:
        return 1.0 if y > 0.0 else 0.0
    square = y * y
    return 0.5 + 0.5 * y * (945.0 + square * (105.0 + square)) / (945.0 + square * (420.0 + 15.0 * square))


@kernel
def score_leaf(players: int, table: Any, got: Ints, spread: float, scores: Any) -> None:
    """Writes each player's expected score: the probability that it beats another player, averaged over the others.

    Args:
        table: by player and set of slots, the expected points.
        got: by player, the set of slots that it picked.
        spread: as for `beats`.
        scores: filled, by player.
    """
    for player in range(players):
        own = table[player, got[player]]
        total = 0.0
        for other in range(players):
            if other != player:
                lead = own - table[other, got[other]]
                total += beats(lead, spread) + _MARGIN * lead
        scores[player] = total / (players - 1)


@kernel
def draft(p: Position, after: int, room: Room) -> None:
    """Plays the draft: all players who pick after a slot choose what is best for them, and each knows that the next
    ones will.

    Args:
        p: the position.
        after: the last slot that has picked.
        room: scratch arrays. `table` contains the expected points by player and set of slots. `got` contains the set
            that each player has already, and last the set of all slots that are taken. `best` receives each player's
            set at the end, and the first row of `scores` receives the expected scores.
    """
    got, scores = room.got, room.scores
    spread = room.mind.weights.spread[kind_of(p), coming_after(p)]
    players, lot = int(p.players), int(p.lot)
    order, chosen, sets = room.steps[0, 0], room.steps[0, 1], room.steps[1]
    pickers = 0
    for slot in range(after + 1, lot):
        owner = p.play_owner[slot]
        if p.this_round < p.rounds and owner != NOBODY and p.left[owner] == 0:
            order[pickers] = owner
            pickers += 1
    depth = 0
    chosen[0] = -1
    for row in range(5):
        scores[row, 0] = -9.0
    while True:
        if depth == pickers:
            score_leaf(players, room.table, got, spread, scores[depth])
            for player in range(players):
                sets[depth, player] = got[player]
        else:
            slot = chosen[depth] + 1
            while slot < lot and (got[4] >> slot & 1 or p.pick_owner[slot] != NOBODY):
                slot += 1
            if slot < lot:
                chosen[depth] = slot
                got[order[depth]] |= 1 << slot
                got[4] |= 1 << slot
                depth += 1
                if depth < pickers:
                    chosen[depth] = -1
                    scores[depth, 0] = -9.0
                continue
        if depth == 0:
            break
        depth -= 1
        mover = order[depth]
        got[mover] ^= 1 << chosen[depth]
        got[4] ^= 1 << chosen[depth]
        if scores[depth, 0] == -9.0 or scores[depth + 1, mover] > scores[depth, mover]:
            for player in range(players):
                scores[depth, player] = scores[depth + 1, player]
                sets[depth, player] = sets[depth + 1, player]
    for player in range(players):
        room.best[player] = sets[0, player]
