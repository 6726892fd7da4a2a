"""Template of the opponent `random`: a kernel that chooses whole turns of uniformly random legal actions."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.core.rules.verbs import Verbs
from lapilli.kernels.kernel import SIMULTANEOUS, Ints, Position, kernel, random_below, seed_random

rules: Verbs


@kernel
def choose_turn(p: Position, player: int, seed: int, nodes: int, w: Any, static: Any, turn: Ints) -> int:
    """Writes a turn of random legal actions into `turn`. Returns the number of its actions.

    In a simultaneous turn, the kernel assumes that all other players do nothing.

    Args:
        p: the position, which stays unchanged.
        player: the player to act, or any player in a simultaneous turn.
        seed: seed of the random draws.
        nodes: ignored, because this opponent does not search.
        w: scratch arrays: one position, a list of legal actions, one action of each player, and the state of a random
            generator.
        static: the game's constant data (`State.static`).
        turn: array to which the actions are written.
    """
    copy, out, joint, rng = w
    seed_random(rng, np.uint64(seed))
    copy[0] = p
    number, length = rules.turn_number(p), 0
    while length < len(turn) and rules.turn_number(copy[0]) == number:
        current_player = rules.current_player(copy[0])
        if current_player == SIMULTANEOUS:
            for other in range(len(joint)):
                rules.legal(copy[0], other, out, *static)
                joint[other] = out[0]
            turn[length] = joint[player] = out[random_below(rng, rules.legal(copy[0], player, out, *static))]
            rules.play_joint(copy[0], joint, *static)
        elif current_player == player:
            turn[length] = rules.random_action(copy[0], player, rng, out, *static)
            rules.play(copy[0], turn[length], *static)
        else:
            break
        length += 1
    return length
