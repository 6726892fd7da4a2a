"""The turns of a beginner: it compares a few random turns and takes the one that looks best at once."""

from __future__ import annotations

from lapilli.games.kingdomino.board import DISCARD, TILE
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.rules.position import PUT
from lapilli.kernels.kernel import Batch, Ints, Position, Rng, kernel

_POINT, _CROWN = 4, 3
"""Weights of a beginner's choice: a point scored now, and a crown of the tile that it picks."""


@kernel
def beginners_turn(p: Position, player: int, looks: int, rng: Rng, turn: Ints, scratch: Batch, out: Ints) -> None:
    """Fills `turn` with the most pleasing of some random turns.

    Args:
        looks: number of random turns to compare.
        turn: receives one or two actions; the second is -1 if there is only one.
        scratch, out: scratch arrays.
    """
    most = -1
    for _ in range(looks):
        scratch[0] = p
        one = rules.random_action(scratch[0], player, rng, out)
        other = -1
        picked = one
        rules.play(scratch[0], one)
        pleasing = _POINT * (int(scratch[0].score[player]) - int(p.score[player]))
        if p.phase == PUT and p.this_round < p.rounds:
            other = picked = rules.random_action(scratch[0], player, rng, out)
        if picked > DISCARD:
            pleasing += _CROWN * (TILE[picked - DISCARD, 1] + TILE[picked - DISCARD, 3])
        if pleasing > most:
            most = pleasing
            turn[0], turn[1] = one, other
