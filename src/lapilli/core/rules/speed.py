"""Measures how fast a game's rules run on this machine, in the same way for every game.

A game may have a naive twin: a second, simple and slow implementation of its rules. Such a game has its own module
`speed`. This module defines the function `twin_game`, which plays a random game with the twin. It may also define the
function `figures` for further measurements.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from lapilli.kernels.kernel import new_random

if TYPE_CHECKING:
    from lapilli.core.game import Game

SAMPLE = 4000
"""Number of positions in which a single verb is timed: too many for a processor's branch prediction to learn."""


def figures(game: Game, seconds: float = 1.0) -> dict[str, float]:
    """Measures the speed of a game's rules inside compiled code, on one core.

    Args:
        game: the game.
        seconds: time for one measurement, in seconds. Some measurements take less.

    Returns:
        The measured values by name. "playouts/s" is the number of random games per second, from the start to the end,
        and "actions/s" the number of actions in them. Random draws and automatic steps are included, and a joint action
        of a simultaneous turn is one action. "actions/playout" is the number of actions per game. Three times are
        measured in positions of random games, in nanoseconds: "copy ns" for copying a position, "play ns" for copying a
        position and playing an action in the copy, and "legal ns" for listing the legal actions. If the game has a
        naive twin (`Game.twin`), "times the naive twin" is "actions/s" divided by the twin's actions per second. A
        game's own module `speed` can add further values.
    """
    kernels = game.instantiate("lapilli.core.rules.templates.speed_template")
    start = game.new_initial_state()
    static, players = start.static, start.num_players
    out = np.empty(game.verbs.MAX_LEGAL + players, np.int64)
    work, positions = np.zeros(1, start.DTYPE), np.zeros(SAMPLE, start.DTYPE)
    chosen = np.zeros((SAMPLE, players), np.int64)
    rng, played = new_random(1), np.zeros(2, np.int64)

    def games(number: int = 50) -> int:
        played[:] += number, kernels.playouts(start.array, work, number, rng, out, static)
        return number

    kernels.walk(start.array, positions, chosen, rng, out, static)
    playouts = rate(games, seconds)
    length = played[1] / played[0]
    measured = {
        "playouts/s": playouts,
        "actions/playout": length,
        "actions/s": playouts * length,
        "play ns": 1e9 / rate(lambda: kernels.plays(positions, work, chosen, static), seconds / 2),
        "legal ns": 1e9 / rate(lambda: kernels.legals(positions, players, out, static), seconds / 2, SAMPLE),
        "copy ns": 1e9 / rate(lambda: kernels.copies(positions, work), seconds / 4),
    }
    if game.twin:
        own = import_module(f"lapilli.games.{game.name}.speed")
        measured["times the naive twin"] = measured["actions/s"] / rate(partial(own.twin_game, Random(1)), seconds)
        if hasattr(own, "figures"):
            measured |= own.figures(seconds)
    return measured


def rate(work: Callable[[], int], seconds: float, amount: int = 0) -> float:
    """Returns the number of items per second that `work` handles. Calls `work` repeatedly to measure this.

    The first call is not measured, because it may compile kernels.

    Args:
        work: function that handles some items and returns their number.
        seconds: time for the measurement, in seconds. The last call may exceed it.
        amount: number of items per call; 0 to use the number that `work` returns.
    """
    work()
    total = 0
    start = perf_counter()
    while (spent := perf_counter() - start) < seconds or not total:
        handled = work()
        total += amount or handled
    return total / spent
