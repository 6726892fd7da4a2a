"""How fast a game's rules run on this machine: the same measurements for every game, on its verbs.

A game adds what only it has in its own `speed` module: `twin_game`, which plays a random game with the naive twin, and,
if it likes, `figures`.
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
"""How many positions single verbs are timed on: more than a processor learns by heart."""


def figures(game: Game, seconds: float = 1.0) -> dict[str, float]:
    """Measures for about `seconds` each, inside compiled code, on one core.

    Random games go from the start, lots and automatic steps included; actions are what they are made of (a simultaneous
    turn's count once). "play" copies a position of a random game and plays an action there, "legal" lists what is
    legal there. The naive twin plays random games, too, if there is one; actions a second are compared.
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
    """How many things a second `work` does, repeated for about `seconds`.

    A call returns how many it did, unless `amount` says so. A first call, in which kernels may be compiled, is not
    counted.
    """
    work()
    done = 0
    start = perf_counter()
    while (spent := perf_counter() - start) < seconds or not done:
        did = work()
        done += amount or did
    return done / spent
