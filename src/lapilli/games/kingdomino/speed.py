"""Speed measurements for `lapilli bench`: random games with the slow rules in `naive`, and lists of legal
placements."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from lapilli.core.rules.speed import rate
from lapilli.core.setup import Setup
from lapilli.games.kingdomino import naive
from lapilli.games.kingdomino.board import MAX_LEGAL, SQUARES
from lapilli.games.kingdomino.protocol.referee import grid_rows
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.rules.territory import MAX_ZONES, scored
from lapilli.games.kingdomino.state.grid import placements
from lapilli.games.kingdomino.state.state import KingdominoState
from lapilli.kernels.kernel import Batch, Ints, Rng, kernel, new_random


def twin_game(random: Random) -> int:
    """Plays a random 2-player game with the slow rules in `naive`; returns the number of actions and draws."""
    twin, actions = naive.NaiveMatch(2), 0
    while moves := twin.moves():
        twin.make(random.choice(moves))
        actions += 1
    return actions


def figures(seconds: float) -> dict[str, float]:
    """Measures how often per second the legal placements of a tile can be listed, in two ways.

    Returns the rates by name.

    The first way lists every legal placement with the score after it. The second calls `placements()`, the function for
    bot writers, which takes a grid and a tile as text. Each way runs for about `seconds`, on positions of random
    2-player games in which a tile is to be placed.
    """
    positions = sample(500)
    arrays = np.zeros((2, MAX_ZONES, 3), np.uint64), np.zeros(MAX_LEGAL, np.int64), np.zeros(MAX_LEGAL, np.int64)
    states = [KingdominoState.of_record(_start().setup, p) for p in positions]
    questions = [(grid_rows(state, state.current_player()), SQUARES[state.tile_in_play()]) for state in states]

    def call_placements() -> int:
        for grid, tile in questions:
            placements(grid, tile)
        return len(questions)

    return {
        "enumerations with scores/s": rate(lambda: enumerate_all(positions, *arrays), seconds, len(positions)),
        "placements() calls/s from Python": rate(call_placements, seconds),
    }


def sample(number: int) -> Batch:
    """Returns `number` positions of random 2-player games in which a tile is to be placed."""
    positions, work = np.zeros(number, rules.KINGDOMINO), np.zeros(1, rules.KINGDOMINO)
    _collect(_start().array, work, positions, new_random(2), np.zeros(MAX_LEGAL, np.int64))
    return positions


def _start() -> KingdominoState:
    """Returns the starting position of a 2-player game in the variant "standard", whose draws are chance nodes."""
    return KingdominoState.initial(Setup(variant="standard", players=2, league="bronze"))


@kernel
def _collect(starts: Batch, work: Batch, positions: Batch, rng: Rng, out: Ints) -> None:
    """Plays random games from `starts[0]`, and fills `positions` with positions in which a tile is to be placed.

    `work` is a scratch array of one position, and `out` one of MAX_LEGAL integers.
    """
    work[0] = starts[0]
    p = work[0]
    for index in range(len(positions)):
        putting = False
        while not putting:
            if p.phase == rules.OVER:
                work[0] = starts[0]
            if p.phase == rules.DRAW:
                rules.play(p, rules.chance(p, rng))
            else:
                rules.play(p, rules.random_action(p, rules.current_player(p), rng, out))
            putting = p.phase == rules.PUT
        positions[index] = p


@kernel
def enumerate_all(positions: Batch, scratch: Any, actions: Ints, scores: Ints) -> int:
    """Lists all legal placements, with the scores after them, in each of `positions`; returns their total number.

    This is what the speed measurement calls. `scratch`, `actions` and `scores` are scratch arrays.
    """
    total = 0
    for index in range(len(positions)):
        p = positions[index]
        total += scored(p, rules.current_player(p), int(p.play_tile[p.slot]), scratch, actions, scores)
    return total
