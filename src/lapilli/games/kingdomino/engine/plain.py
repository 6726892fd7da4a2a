"""The kernels of `mce`, the simpler one of Kingdomino's two searches.

They propose the turns that the greedy opponent's evaluation ranks highest, and play quick turns to the end of the game.
"""

from __future__ import annotations

from typing import Any

from lapilli.games.kingdomino.board import DISCARD
from lapilli.games.kingdomino.engine.greedy import LATER_TURN, NOTHING, list_puts, prospect, put_into, tile_offered
from lapilli.games.kingdomino.engine.quick import play_out
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.kernels.kernel import Batch, Ints, Position, Rng, kernel

_CARELESS = 4
"""In a playout, one in this many turns of the other players is a random turn."""
_LEAD = 12.0
"""A lead of this many points has an expected score of 0.85."""


@kernel
def value_of_playout(p: Position, player: int, rng: Rng, zones: Any, actions: Ints) -> float:
    """Plays quick turns to the end of the game, and returns the player's expected score, in [0, 1].

    One in four turns of the other players is random. The expected score is computed from the player's lead over the
    best other player.

    Args:
        p: the position; it is changed.
        player: the player.
        rng: state of the random generator.
        zones: scratch array for lists of zones, np.uint64 of shape (2, MAX_ZONES, 3).
        actions: scratch array of MAX_LEGAL integers.
    """
    play_out(p, player, _CARELESS, rng, zones, actions)
    best = -1
    for other in range(int(p.players)):
        if other != player:
            best = max(best, int(p.score[other]))
    lead = (int(p.score[player]) - best) / _LEAD
    value: float = 0.5 + 0.5 * lead / (1.0 + lead * lead) ** 0.5
    return value


@kernel
def propose_plain(
    p: Position,
    player: int,
    most: int,
    turns: Any,
    priors: Any,
    starts: Batch,
    scratch: Batch,
    actions: Any,
    order: Ints,
) -> int:
    """Proposes the turns that the greedy opponent's evaluation ranks highest, the best first; returns their number.

    Args:
        p: the position.
        player: the player to move.
        most: greatest number of turns.
        turns: filled with the actions of each turn; NOTHING in place of a missing action.
        priors: filled with 0.5 for each turn, because the greedy opponent's evaluation is not an expected score.
        starts: filled with the position after each turn.
        scratch: scratch array of two positions.
        actions: scratch array of shape (2, MAX_LEGAL).
        order: scratch array of MOST integers.
    """
    count = 0
    for index in range(list_puts(p, player, actions[0])):
        scratch[0] = p
        put = actions[0, index]
        put_into(scratch[0], player, put)
        for slot in range(int(p.lot)):
            tile = tile_offered(p, slot)
            if tile == NOTHING:
                continue
            value = prospect(scratch[0], player, tile, scratch[1:], actions[1]) - LATER_TURN * slot
            at = count
            while at and order[at - 1] < value:
                at -= 1
            if at >= most:
                continue
            count = min(count + 1, most)
            for later in range(count - 1, at, -1):
                order[later] = order[later - 1]
                turns[later, 0], turns[later, 1] = turns[later - 1, 0], turns[later - 1, 1]
            order[at] = value
            turns[at, 0] = put if put != NOTHING else DISCARD + tile
            turns[at, 1] = DISCARD + tile if tile and put != NOTHING else NOTHING
    for index in range(count):
        priors[index] = 0.5
        starts[index] = p
        rules.play(starts[index], turns[index, 0])
        if turns[index, 1] != NOTHING:
            rules.play(starts[index], turns[index, 1])
    return count
