"""How fast the kernel is on this machine."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

import numpy as np

from lapilli.games.kernel import kernel, new_random
from lapilli.games.pyramids import naive
from lapilli.games.pyramids.board import BOARDS, SQUARE
from lapilli.games.pyramids.rules.turns import TurnOutcomes
from lapilli.games.pyramids.rules.verbs import PYRAMIDS, play, playout, random_action
from lapilli.games.pyramids.state.layout import start_record
from lapilli.games.timing import rate

_GAMES = 1000
"""Games replayed at a time, to time cap moves without move generation."""
_MIDDLES = 20
"""Positions whose turn outcomes are enumerated: the starts of turns of one random game."""


def figures(seconds: float = 1.0) -> dict[str, float]:
    """Measures for about `seconds` each on the square board, one core.

    Cap moves are timed inside the kernel on recorded random games, turn ends included; random games with a fresh copy
    of the start and move generation; turn outcomes as `TurnOutcomes` finds them, memory allocation included. The
    naive twin plays random games, and its steps are counted.
    """
    positions = np.zeros(2, PYRAMIDS)
    positions[0] = start_record(BOARDS[SQUARE], None)
    random = new_random(1)
    actions = np.empty(_GAMES * 1000, np.int64)
    recorded = _record(positions, _GAMES, actions, random)
    played = np.zeros(2, np.int64)

    def games() -> int:
        played[:] += 1000, _playouts(positions, 1000, random)
        return 1000

    moves_per_second = rate(lambda: _replay(positions, actions, recorded), seconds)
    playouts_per_second = rate(games, seconds)
    steps_per_playout = played[1] / played[0]
    twin_steps_per_second = rate(partial(_twin_game, Random(1)), seconds)
    middles = _turn_starts(positions[0])
    return {
        "cap moves/s": moves_per_second,
        "cap move ns": 1e9 / moves_per_second,
        "playouts/s": playouts_per_second,
        "steps/playout": steps_per_playout,
        "turn enumerations/s": rate(lambda: _enumerate(middles), seconds),
        "opening outcomes": len(TurnOutcomes(positions[0])),
        "opening outcomes ms": 1e3 / rate(lambda: _enumerate(positions[:1]), seconds / 2),
        "times the naive twin": playouts_per_second * steps_per_playout / twin_steps_per_second,
    }


def _twin_game(random: Random) -> int:
    """Plays one random game with the naive twin; how many steps it took."""
    game = naive.Game(BOARDS[SQUARE].name)
    steps = 0
    while not game.over:
        game.play(random.choice(game.steps()))
        steps += 1
    return steps


def _enumerate(records: Any) -> int:
    """Finds the outcomes of all the records' turns; how many records there are."""
    for record in records:
        TurnOutcomes(record)
    return len(records)


def _turn_starts(first: Any) -> list[Any]:
    random = new_random(2)
    record = first.copy()
    starts = [record.copy()]
    while len(starts) < _MIDDLES and record["over"] == 0:
        if play(record, random_action(record, random)) and record["over"] == 0:
            starts.append(record.copy())
    return starts


@kernel
def _playouts(positions: Any, number: int, random: Any) -> int:
    steps = 0
    for _ in range(number):
        positions[1] = positions[0]
        steps += playout(positions[1], random)
    return steps


@kernel
def _record(positions: Any, number: int, actions: Any, random: Any) -> int:
    """Writes the actions of random games to `actions`, game after game; returns how many fitted."""
    steps = 0
    for _ in range(number):
        positions[1] = positions[0]
        while positions[1]["over"] == 0 and steps < actions.shape[0]:
            actions[steps] = random_action(positions[1], random)
            play(positions[1], actions[steps])
            steps += 1
    return steps


@kernel
def _replay(positions: Any, actions: Any, number: int) -> int:
    for step in range(number):
        if step == 0 or positions[1]["over"] != 0:
            positions[1] = positions[0]
        play(positions[1], actions[step])
    return number
