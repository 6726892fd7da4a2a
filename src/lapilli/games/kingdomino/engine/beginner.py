"""Chooses turns like a beginner: draws a few random turns and plays the one with the most points and crowns."""

from __future__ import annotations

from lapilli.games.kingdomino.board import DISCARD, TILE
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.rules.position import PUT
from lapilli.kernels.kernel import Batch, Ints, Position, Rng, kernel

_POINT, _CROWN = 4, 3
"""A beginner plays the turn with the greatest weighted sum. These are the weights of each point that the turn scores,
and of each crown on the picked tile."""


@kernel
def choose_beginners_turn(p: Position, player: int, sees: int, rng: Rng, turn: Ints, scratch: Batch, out: Ints) -> None:
    """Fills `turn` with the best of `sees` random turns.

    The turns are compared by the points that they score and by the crowns on the tile that they pick.

    Args:
        p: the position.
        player: the player to move.
        sees: number of random turns to compare.
        rng: state of the random generator.
        turn: filled with one or two actions; the second is -1 if the turn has only one action.
        scratch: scratch array of one position.
        out: scratch array of MAX_LEGAL integers.
    """
    most = -1
    for _ in range(sees):
        scratch[0] = p
        first = rules.random_action(scratch[0], player, rng, out)
        second = -1
        picked = first
        rules.play(scratch[0], first)
        value = _POINT * (int(scratch[0].score[player]) - int(p.score[player]))
        if p.phase == PUT and p.this_round < p.rounds:
            second = picked = rules.random_action(scratch[0], player, rng, out)
        if picked > DISCARD:
            value += _CROWN * (TILE[picked - DISCARD, 1] + TILE[picked - DISCARD, 3])
        if value > most:
            most = value
            turn[0], turn[1] = first, second
