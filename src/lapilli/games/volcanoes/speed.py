"""How fast the kernel is on this machine."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from lapilli.games.kernel import kernel, new_random
from lapilli.games.timing import rate
from lapilli.games.volcanoes import GAME, naive, rules
from lapilli.games.volcanoes.board import GROWTH

SAMPLE = 4000
"""How many positions `play` and `legal` are timed on: more than a processor learns by heart."""


def figures(seconds: float = 1.0) -> dict[str, float]:
    """Measures for about `seconds` each, inside the kernel, on one core.

    A ply is a referee turn, growth included. "play" copies a position of a random game and plays one ply, the test for
    paths included; "legal" writes a list of the legal tiles there. The naive twin plays random games, too.
    """
    states = np.zeros(SAMPLE + 1, rules.VOLCANOES)
    states[:]["turn"] = 1
    rng = new_random(1)
    tiles = np.empty(80, np.int64)
    played = np.zeros(2, np.int64)

    def games() -> int:
        played[:] += 1000, _playouts(states, 1000, rng)
        return 1000

    games_per_second = rate(games, seconds)
    plies_per_second = games_per_second * played[1] / played[0]
    actions = np.zeros(SAMPLE, np.int64)
    _advance_some(states, rng)
    _choose_all(states, actions, rng)
    return {
        "playouts/s": games_per_second,
        "plies/s": plies_per_second,
        "play ns": 1e9 / rate(lambda: _play_only(states, actions), seconds / 2, SAMPLE),
        "legal ns": 1e9 / rate(lambda: _legal_only(states, tiles), seconds / 2, SAMPLE),
        "times the naive twin": games_per_second / rate(_twin_games(), seconds),
    }


def _twin_games() -> Callable[[], int]:
    """What plays one random game with the naive twin."""
    names, neighbours = naive.read_neighbours(GAME.protocol.opening_input(GAME.new_initial_state(), 0))
    random = Random(1)

    def game() -> int:
        board = naive.Board(names, neighbours)
        while board.result is None:
            if board.mover() == "growth":
                board.grow()
            else:
                board.play(random.choice(board.legal()))
        return 1

    return game


@kernel
def _playouts(states: Any, number: int, rng: Any) -> int:
    """Random games from the first state, played on the last one."""
    last = len(states) - 1
    plies = 0
    for _ in range(number):
        states[last] = states[0]
        plies += rules.playout(states[last], rng)
    return plies


@kernel
def _advance_some(states: Any, rng: Any) -> None:
    """Takes each state but the last some way into a random game, one turn further than the one before."""
    for i in range(1, len(states) - 1):
        states[i] = states[i - 1]
        player = rules.mover(states[i])
        rules.play(states[i], GROWTH if player < 0 else rules.choose(states[i], player, rng))
        if states[i].result != rules.RUNNING:
            states[i] = states[0]


@kernel
def _choose_all(states: Any, actions: Any, rng: Any) -> None:
    """Chooses an action for every state but the last."""
    for i in range(len(states) - 1):
        player = rules.mover(states[i])
        actions[i] = GROWTH if player < 0 else rules.choose(states[i], player, rng)


@kernel
def _play_only(states: Any, actions: Any) -> int:
    """Plays every state's action in a copy, which is the last state."""
    last = len(states) - 1
    total = 0
    for i in range(last):
        states[last] = states[i]
        rules.play(states[last], actions[i])
        total += states[last].turn
    return total


@kernel
def _legal_only(states: Any, tiles: Any) -> int:
    """Lists the legal tiles of every state but the last."""
    total = 0
    for i in range(len(states) - 1):
        total += rules.legal(states[i], 0, tiles)
    return total
