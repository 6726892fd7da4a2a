"""Batches compared with Pgx's and with OpenSpiel, in one run, on the same two cores; each figure is the median of
several periods.

    pip install pgx open_spiel; taskset -c 0,1 python benchmarks/envs.py --envs 1024 4096

Each step draws and plays a uniformly random legal action in every environment, chance included, restarts games that are
over, and writes observation and legal actions. In a game with simultaneous turns, each player chooses one action of its
turn in a step, and a turn can take several steps; the output also has the number of whole turns. OpenSpiel has no
batches: it plays one game after the other, from Python, on one core. `environments.py` measures random play without
observations.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

import lapilli
from lapilli.envs.batch import Batch

PGX = ("hex", "othello", "connect_four")
OPENSPIEL = ("hex", "othello", "connect_four")


def rates(step: Callable[[], object], steps: int, seconds: float, stretches: int = 7) -> tuple[float, float]:
    """Returns the number of calls of `step` per second: the median and the maximum over several periods.

    Args:
        step: function to call.
        steps: number of calls between two looks at the clock.
        seconds: total length of all periods, in seconds.
        stretches: number of periods.
    """
    measured = []
    step()
    for _ in range(stretches):
        done, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds / stretches or not done:
            for _ in range(steps):
                step()
            done += steps
        measured.append(done / spent)
    return median(measured), max(measured)


def ours(name: str, number: int, threads: int, seconds: float) -> str:
    games = lapilli.batch(name, number, seed=1, threads=threads)
    for _ in range(200):  # then the games are in different phases
        games.step(games.sample())
    usual, best = rates(lambda: games.step(games.sample()), 10, seconds)
    whole = f"   {usual * number * turns_a_step(games) / 1e6:.3f} million whole turns/s" if games.seats > 1 else ""
    return f"{usual * number / 1e6:10.2f} {best * number / 1e6:10.2f}{whole}"


def turns_a_step(games: Batch, steps: int = 50, looked_at: int = 64) -> float:
    """Returns the mean number of turns that are completed in a step of a batch.

    Args:
        games: the batch.
        steps: number of steps to play.
        looked_at: number of environments whose turns are counted.
    """
    carried_out = 0
    before = [games.state(number).turn for number in range(looked_at)]
    for _ in range(steps):
        games.step(games.sample())
        after = [games.state(number).turn for number in range(looked_at)]
        carried_out += sum(one != other for one, other in zip(before, after, strict=True))
        before = after
    return carried_out / steps / looked_at


def theirs(name: str, number: int, seconds: float) -> str:
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env: Any = pgx.make(name)
    move = jax.vmap(auto_reset(env.step, env.init))

    @jax.jit  # type: ignore[untyped-decorator, unused-ignore]
    def step(state: Any, key: Any) -> Any:
        key, own = jax.random.split(key)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        keys = jax.random.split(key, number)
        state = move(state, jax.random.categorical(own, logits), keys)
        return state, key

    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), number))
    now = [state, jax.random.PRNGKey(1)]

    def once() -> None:
        now[:] = step(*now)
        now[0].observation.block_until_ready()

    usual, best = rates(once, 10, seconds)
    return f"{usual * number / 1e6:10.2f} {best * number / 1e6:10.2f}"


def openspiel(name: str, seconds: float) -> str:
    import pyspiel

    game = pyspiel.load_game(name)
    chance = random.Random(1)
    now: list[Any] = [game.new_initial_state()]

    def once() -> None:
        (state,) = now
        state.observation_tensor(state.current_player())
        state.apply_action(chance.choice(state.legal_actions()))
        if state.is_terminal():
            now[:] = [game.new_initial_state()]

    usual, best = rates(once, 100, seconds)
    return f"{usual / 1e6:10.3f} {best / 1e6:10.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--envs", type=int, nargs="+", default=[1024, 4096])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=7.0)
    given = parser.parse_args()
    print(f"{'':32}{'median':>10} {'best':>10}   million steps/s; NumPy {np.__version__}")
    for number in given.envs:
        for name in lapilli.names():
            print(f"lapilli {name:16}{number:8}{ours(name, number, given.threads, given.seconds)}", flush=True)
        for name in PGX:
            try:
                figures = theirs(name, number, given.seconds)
            except ImportError as error:
                figures = f"   {error}: pip install pgx"
            print(f"pgx     {name:16}{number:8}{figures}", flush=True)
    for name in OPENSPIEL:
        try:
            figures = openspiel(name, given.seconds)
        except ImportError as error:
            figures = f"   {error}: pip install open_spiel"
        print(f"OpenSpiel {name:14}{1:8}{figures}", flush=True)
    print(f"load of this machine while this ran: {', '.join(f'{load:.1f}' for load in os.getloadavg())}")


if __name__ == "__main__":
    main()
