"""The greedy opponent, a simple built-in bot.

It attacks where it kills more units than it loses, spawns while it has few units, guards its triangles, and sends every
spare unit to the triangle that is cheapest to capture. It never builds or removes paths. `policy` has its decisions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lapilli.games.tryangle.board import MAX_HOUSES
from lapilli.games.tryangle.engine import fast_state, hooks, policy
from lapilli.games.tryangle.rules.position import TRYANGLE
from lapilli.kernels.kernel import Batch, Ints, Position, Rng, Static, kernel, new_random, seed_random

TURN = hooks.MOST_ACTIONS
"""Greatest number of actions of a turn."""


class TryAngleGreedyArrays(NamedTuple):
    """Scratch arrays of the greedy opponent.

    Attributes:
        root: one position, to which the turn's commands are added.
        ground: its houses, paths and triangles.
        units: its units, owners and scores.
        distances: the array that `policy.measure` fills.
        sums: numbers of units by task and house (`policy.FREE`).
        row: the turn, encoded as integers (`fast_state.WIDTH`).
        rng: state of a random generator.
    """

    root: Batch
    ground: Any
    units: Any
    distances: Ints
    sums: Ints
    row: Ints
    rng: Rng


def new_workspace() -> TryAngleGreedyArrays:
    """Returns the scratch arrays for `choose_turn`."""
    return TryAngleGreedyArrays(
        root=np.zeros(1, TRYANGLE),
        ground=np.zeros(1, fast_state.GROUND),
        units=np.zeros(1, fast_state.FAST_STATE),
        distances=np.zeros((MAX_HOUSES, MAX_HOUSES), np.int64),
        sums=np.zeros((4, MAX_HOUSES), np.int64),
        row=np.zeros(fast_state.WIDTH, np.int64),
        rng=new_random(0),
    )


@kernel
def choose_turn(
    p: Position, player: int, seed: int, nodes: int, w: TryAngleGreedyArrays, static: Static, turn: Ints
) -> int:
    """Writes the greedy opponent's turn into `turn`, and returns the number of its actions. The last one is DONE.

    Args:
        p: the position.
        player: the player for whom the turn is chosen.
        seed: seed of the random generator, which decides between equally good actions.
        nodes: not used.
        w: scratch arrays, from `new_workspace`.
        static: the map's table (`rules.geometry`).
        turn: filled with the actions.
    """
    seed_random(w.rng, np.uint64(seed))
    fast_state.read(p, w.ground[0], w.units[0])
    policy.measure(w.ground[0], w.distances)
    policy.greedy_row(w.ground[0], w.units[0], w.distances, w.sums, player, w.rng, w.row)
    w.root[0] = p
    return hooks.actions_of(w.root[0], player, w.row, turn, *static)
