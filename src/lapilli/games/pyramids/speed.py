"""How fast the kernel is on this machine."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from lapilli.games.kernel import kernel, new_random
from lapilli.games.pyramids.board import BOARDS, SQUARE
from lapilli.games.pyramids.layout import start_record
from lapilli.games.pyramids.rules import PYRAMIDS, play, playout, random_action
from lapilli.games.pyramids.turns import TurnOutcomes

_GAMES = 1000
"""Games replayed at a time, to time cap moves without move generation."""
_MIDDLES = 20
"""Positions whose turn outcomes are enumerated: the starts of turns of one random game."""


def figures(seconds: float = 1.0) -> dict[str, float]:
    """Measures for about `seconds` each on the square board, one core.

    Cap moves are timed inside the kernel on recorded random games, turn ends included; random games with a fresh copy
    of the start and move generation; turn outcomes as `TurnOutcomes` finds them, memory allocation included.
    """
    positions = np.zeros(2, PYRAMIDS)
    positions[0] = start_record(BOARDS[SQUARE], None)
    random = new_random(1)
    actions = np.empty(_GAMES * 1000, np.int64)
    recorded = _record(positions, _GAMES, actions, random)
    _replay(positions, actions, recorded)
    moves, spent_moves = 0, 0.0
    start = perf_counter()
    while (spent_moves := perf_counter() - start) < seconds or not moves:
        moves += _replay(positions, actions, recorded)
    _playouts(positions, 1, random)
    games = steps = 0
    start = perf_counter()
    while (spent := perf_counter() - start) < seconds or not games:
        steps += _playouts(positions, 1000, random)
        games += 1000
    opening_count, opening_ms = _outcomes(positions[:1], seconds / 2)
    _, middle_ms = _outcomes(_turn_starts(positions[0]), seconds)
    return {
        "cap moves/s": moves / spent_moves,
        "cap move ns": 1e9 * spent_moves / moves,
        "playouts/s": games / spent,
        "steps/playout": steps / games,
        "turn enumerations/s": 1e3 / middle_ms,
        "opening outcomes": opening_count,
        "opening outcomes ms": opening_ms,
    }


def _outcomes(records: Any, seconds: float) -> tuple[float, float]:
    """(outcomes, milliseconds) of an enumeration, the mean over the records."""
    found = searches = 0
    TurnOutcomes(records[0])
    start = perf_counter()
    while (spent := perf_counter() - start) < seconds or not searches:
        for record in records:
            found += len(TurnOutcomes(record))
            searches += 1
    return found / searches, 1e3 * spent / searches


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
