"""Speed measurements for `lapilli bench`: random games of the naive twin, and the time to find turn outcomes.

The naive twin is a second, slow implementation of the rules (`naive`).
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from lapilli.core.rules.speed import rate
from lapilli.games.pyramids import naive
from lapilli.games.pyramids.board import BOARDS, SQUARE
from lapilli.games.pyramids.rules import verbs as rules
from lapilli.games.pyramids.rules.turns import TurnOutcomes
from lapilli.games.pyramids.state.layout import start_record
from lapilli.kernels.kernel import TERMINAL, new_random

_MIDDLES = 20
"""Number of positions for which turn outcomes are found: the first turns of a random game."""


def figures(seconds: float = 1.0) -> dict[str, float]:
    """Measures, on the square board, how fast all outcomes of a turn are found. Memory allocation is included.

    `seconds` is the time for the main measurement.

    Returns:
        By name: searches per second, over the first turns of a game; the number of outcomes of the first turn; the time
            to find these outcomes, in milliseconds.
    """
    starts = _turn_starts()
    return {
        "turn enumerations/s": rate(lambda: _enumerate(starts), seconds),
        "opening outcomes": len(TurnOutcomes(starts[0])),
        "opening outcomes ms": 1e3 / rate(lambda: _enumerate(starts[:1]), seconds / 2),
    }


def twin_game(random: Random) -> int:
    """Plays a random game with the naive twin of the rules; returns the number of cap steps."""
    game, steps = naive.NaiveGame(BOARDS[SQUARE].name), 0
    while not game.over:
        game.play(random.choice(game.steps()))
        steps += 1
    return steps


def _enumerate(records: Any) -> int:
    """Finds all turn outcomes at the positions `records`, to measure the time. Returns the number of positions."""
    for record in records:
        TurnOutcomes(record)
    return len(records)


def _turn_starts() -> list[Any]:
    """Returns the positions at the beginning of the first turns of a random game on the square board."""
    record, rng, out = start_record(BOARDS[SQUARE], None), new_random(2), np.empty(rules.MAX_LEGAL, np.int64)
    starts: list[Any] = []
    while len(starts) < _MIDDLES and rules.current_player(record) != TERMINAL:
        if len(starts) < record["turn"]:
            starts.append(record.copy())
        rules.play(record, rules.random_action(record, rules.current_player(record), rng, out))
    return starts
