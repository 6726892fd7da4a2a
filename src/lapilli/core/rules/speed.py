"""Measures how fast a game's rules run on this machine, in the same way for every game.

A game with a naive twin adds a module `speed` of its own. It has `twin_game`, which plays a random game with the twin,
and optionally `figures`, for further measurements.
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
"""Number of positions on which single verbs are timed: too many for a processor to memorise."""


def figures(game: Game, seconds: float = 1.0) -> dict[str, float]:
    """Measures the speed of a game's rules inside compiled code, on one core. Each figure takes about `seconds`.

    Random games go from the start to the end, with random draws and automatic steps. Every action counts, and those of
    a simultaneous turn count once. "play" copies a position of a random game and plays an action there; "legal" lists
    the legal actions there. If there is a naive twin, it plays random games, too, and actions per second are compared.
    """
    text = game.instantiate("lapilli.core.rules.speed_template")
    start = game.new_initial_state()
    world, players = start.world, start.num_players
    out = np.empty(game.verbs.MAX_LEGAL + players, np.int64)
    work, positions = np.zeros(1, start.DTYPE), np.zeros(SAMPLE, start.DTYPE)
    chosen = np.zeros((SAMPLE, players), np.int64)
    rng, played = new_random(1), np.zeros(2, np.int64)

    def games(number: int = 50) -> int:
        played[:] += number, text.playouts(start.array, work, number, rng, out, world)
        return number

    text.walk(start.array, positions, chosen, rng, out, world)
    playouts = rate(games, seconds)
    length = played[1] / played[0]
    measured = {
        "playouts/s": playouts,
        "actions/playout": length,
        "actions/s": playouts * length,
        "play ns": 1e9 / rate(lambda: text.plays(positions, work, chosen, world), seconds / 2),
        "legal ns": 1e9 / rate(lambda: text.legals(positions, players, out, world), seconds / 2, SAMPLE),
        "copy ns": 1e9 / rate(lambda: text.copies(positions, work), seconds / 4),
    }
    if game.twin:
        own = import_module(f"lapilli.games.{game.name}.speed")
        measured["times the naive twin"] = measured["actions/s"] / rate(partial(own.twin_game, Random(1)), seconds)
        if hasattr(own, "figures"):
            measured |= own.figures(seconds)
    return measured


def rate(work: Callable[[], int], seconds: float, amount: int = 0) -> float:
    """Returns how many things per second `work` does, repeating it for about `seconds`.

    A first call, which may compile kernels, is not counted.

    Args:
        work: does some things and returns how many.
        seconds: time to spend.
        amount: number of things per call; if it is 0, the number that `work` returns.
    """
    work()
    done = 0
    start = perf_counter()
    while (spent := perf_counter() - start) < seconds or not done:
        did = work()
        done += amount or did
    return done / spent
