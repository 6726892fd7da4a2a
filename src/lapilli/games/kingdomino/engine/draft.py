"""Predicts which of this round's new tiles (the *row to pick*) each player will pick. This is called the draft.

The prediction assumes that each player picks the tiles that are best for itself. A slot is the place of a tile in its
row, and also a turn of the round. A set of slots is an integer with one bit per slot. The argument `scratch` has the
scratch arrays (`engine.scratch.DraftScratch`).
"""

from __future__ import annotations

from typing import Any

from lapilli.games.kingdomino.engine.network.value import kind_of, outlook
from lapilli.games.kingdomino.engine.plan import extend
from lapilli.games.kingdomino.engine.scratch import WIDEST, DraftScratch
from lapilli.games.kingdomino.rules.position import NOBODY
from lapilli.kernels.kernel import Ints, Position, kernel

_MARGIN = 1e-5
"""Amount that each point of lead adds to the probability of winning, so that the lead decides between equal
probabilities."""


@kernel
def tiles_after(p: Position) -> int:
    """Returns the number of tiles that each player will still get in later rounds, after the picks of this round."""
    return max(int(p.rounds) - 1 - int(p.this_round), 0) * int(p.lot) // int(p.players)


@kernel
def picks_after(p: Position, player: int, slot: int) -> int:
    """Returns the number of tiles that a player will still pick in this round, in the turns after the turn `slot`."""
    count = 0
    if p.this_round < p.rounds and p.left[player] == 0:
        for later in range(slot + 1, int(p.lot)):
            count += p.play_owner[later] == player
    return count


@kernel
def slots_picked(p: Position, player: int) -> int:
    """Returns the set of slots (places in the row to pick) whose tiles a player has picked in this round.

    In the next round, the slots are turns: the player acts in these slots. The set has one bit per slot.
    """
    picked = 0
    for slot in range(int(p.lot)):
        picked |= (p.pick_owner[slot] == player) << slot
    return picked


@kernel
def put_known_tiles(p: Position, player: int, after: int, picks: int, width: int, scratch: DraftScratch) -> int:
    """Finds the best ways to place all known tiles of a player; returns the number of resulting territories.

    Two kinds of tiles are known: those that the player has picked in this round, and the player's tiles of this round
    that are not placed yet. The search starts from the territory in `scratch.nodes[0]`. It writes the resulting
    territories to `scratch.nodes`, the best first.

    Args:
        p: the position.
        player: the player.
        after: number of a slot (turn of the round); tiles in this slot and earlier ones have been placed already.
        picks: number of further tiles that the player will pick in this round.
        width: greatest number of territories to keep.
        scratch: scratch arrays.
    """
    known = 0
    for slot in range(int(p.lot)):
        known += slot > after and p.play_owner[slot] == player and p.play_tile[slot] != 0
        known += p.pick_owner[slot] == player
    count = 1
    coming = tiles_after(p) + picks + known
    for place in range(8):
        slot = place & 3
        tile = 0
        if place < 4 and slot > after and p.play_owner[slot] == player:
            tile = int(p.play_tile[slot])
        elif place >= 4 and p.pick_owner[slot] == player:
            tile = int(p.pick_tile[slot])
        if tile:
            coming -= 1
            count = add_tile(scratch, count, width, player, tile, coming, 0)
    return count


@kernel
def add_tile(scratch: DraftScratch, count: int, width: int, player: int, tile: int, coming: int, order: int) -> int:
    """Places a tile in the first `count` territories of `scratch.nodes`, and replaces them by the best results.

    Returns the number of results, at most `width`. The best result comes first.

    Args:
        scratch: scratch arrays.
        count: number of territories to start from.
        width: greatest number of results.
        player: owner of the territories.
        tile: number of the tile.
        coming: number of tiles that the player will get after this tile.
        order: when the player will act in the next round: a set of turns, one bit per turn; 0 if it is not known.
    """
    count = extend(scratch, 0, count, WIDEST, width, player, tile, coming, order)
    for index in range(count):
        scratch.nodes[index] = scratch.nodes[WIDEST + index]
    return count


@kernel
def tabulate(p: Position, player: int, picks: int, count: int, width: int, scratch: DraftScratch) -> None:
    """Fills `scratch.table[player]`: the player's expected final points, by the set of slots that the player picks.

    A slot is the place of a tile in the row to pick. A set of slots is an integer with one bit per slot.

    Args:
        p: the position.
        player: the player.
        picks: number of tiles that the player picks, at most 2.
        count: number of territories in `scratch.nodes` to start from.
        width: number of territories to keep between two tiles.
        scratch: scratch arrays.
    """
    table, worth, nodes, network = scratch.table[player], scratch.worth, scratch.nodes, scratch.network
    coming, order = tiles_after(p), slots_picked(p, player)
    if picks == 0:
        table[0] = outlook(nodes[0], player, coming, order, network)
        for index in range(1, count):
            table[0] = max(table[0], outlook(nodes[index], player, coming, order, network))
        return
    for slot in range(int(p.lot)):
        if p.pick_owner[slot] != NOBODY:
            continue
        tile = int(p.pick_tile[slot])
        keep = 1 if picks == 1 else width
        found = extend(scratch, 0, count, WIDEST, keep, player, tile, coming + picks - 1, order | 1 << slot)
        table[1 << slot] = worth[WIDEST]
        for other in range(slot + 1, int(p.lot)):
            if picks == 2 and p.pick_owner[other] == NOBODY:
                second = int(p.pick_tile[other])
                both = 1 << slot | 1 << other
                extend(scratch, WIDEST, found, 2 * WIDEST, 1, player, second, coming, order | both)
                table[both] = worth[2 * WIDEST]


@kernel
def beats(lead: float, spread: float) -> float:
    """Returns the probability that a player with a given lead in expected points wins against another player.

    The model is that the lead changes by a normally distributed number until the end. The error function is
    approximated by a hyperbolic tangent, and the tangent by a fraction, so that the result is the same on all machines.

    Args:
        lead: the lead, in points.
        spread: standard deviation of the change of the lead until the end, in points.
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
    """Writes each player's expected score: the average, over the other players, of the probability of beating that
    player.

    Args:
        players: number of players.
        table: the expected final points, by player and set of slots (places of tiles in the row to pick).
        got: by player, the set of slots that the player has picked.
        spread: standard deviation of the change of a lead until the end, in points.
        scores: filled with the expected scores, by player.
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
def draft(p: Position, after: int, scratch: DraftScratch) -> None:
    """Predicts the picks of this round: each player in turn picks the tile with which its expected score is highest.

    This is a complete search (max^n): each player expects the later players to choose in the same way. A slot is the
    place of a tile in the row to pick. A set of slots is an integer with one bit per slot.

    Args:
        p: the position.
        after: the last slot whose player has already picked.
        scratch: scratch arrays. Before the call, `table` must contain the expected points by player and set of slots.
            `got` must contain the set that each player has already picked and, as its last element, the set of all
            slots that are taken. The function fills `best` with the set that each player will have at the end, and
            `scores[0]` with the expected scores.
    """
    got, scores = scratch.got, scratch.scores
    spread = scratch.network.weights.spread[kind_of(p), tiles_after(p)]
    players, lot = int(p.players), int(p.lot)
    order, chosen, sets = scratch.steps[0, 0], scratch.steps[0, 1], scratch.steps[1]
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
            score_leaf(players, scratch.table, got, spread, scores[depth])
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
        picker = order[depth]
        got[picker] ^= 1 << chosen[depth]
        got[4] ^= 1 << chosen[depth]
        if scores[depth, 0] == -9.0 or scores[depth + 1, picker] > scores[depth, picker]:
            for player in range(players):
                scores[depth, player] = scores[depth + 1, player]
                sets[depth, player] = sets[depth + 1, player]
    for player in range(players):
        scratch.best[player] = sets[0, player]
