"""How fast the kernel is on this machine."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from lapilli.games.kernel import kernel, new_random
from lapilli.games.volcanoes import rules


def figures(seconds: float = 1.0) -> dict[str, float]:
    """Measures for about `seconds` each: uniform random games from the empty board, and single kernel calls.

    A ply is a referee turn, growth included. `play` and `legal` are timed inside the kernel, on positions of random
    games; the legal tiles are written out as a list.
    """
    states = np.zeros(2, rules.VOLCANOES)
    states[0]["turn"] = 1
    rng = new_random(1)
    tiles = np.empty(80, np.int64)
    _playouts(states, 1, rng)
    _legal_only(states[0], 1, tiles)
    games = plies = 0
    start = perf_counter()
    while (spent := perf_counter() - start) < seconds:
        plies += _playouts(states, 1000, rng)
        games += 1000
    calls = 0
    start = perf_counter()
    while (spent_legal := perf_counter() - start) < seconds / 2:
        calls += 10_000
        _legal_only(states[0], 10_000, tiles)
    return {
        "playouts/s": games / spent,
        "plies/s": plies / spent,
        "play ns": 1e9 * spent / plies,
        "legal ns": 1e9 * spent_legal / calls,
    }


@kernel
def _playouts(states: Any, number: int, rng: Any) -> int:
    plies = 0
    for _ in range(number):
        states[1] = states[0]
        plies += rules.playout(states[1], rng)
    return plies


@kernel
def _legal_only(state: Any, number: int, tiles: Any) -> int:
    total = 0
    for _ in range(number):
        total += rules.legal(state, 0, tiles)
    return total
