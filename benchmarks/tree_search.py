"""Tree searches for networks, compared with mctx on Pgx's Hex, in one run on the same cores.

    pip install pgx mctx; taskset -c 0,1 python benchmarks/tree_search.py --envs 512 --simulations 32

The network is a constant: all logits and values are 0, so that the search alone is measured. A simulation includes the
moves, the observation and the legal actions of a new position. Between two searches each environment plays the action
that was found, and restarts if the game is over. The first figure is the median of several periods. The second one
counts the processor's seconds of all threads, so it changes little with the machine's other load.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

import lapilli

METHODS = ("gumbel", "puct")


def rate(search: Callable[[], object], amount: int, seconds: float, periods: int = 7) -> str:
    """Returns two figures as text: simulations per second, and simulations per second of processor time.

    `amount`: number of simulations in one call of `search`.
    """
    search()
    measured, total, used = [], 0, time.process_time()
    for _ in range(periods):
        done, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds / periods or not done:
            search()
            done += amount
        measured.append(done / spent)
        total += done
    return f"{median(measured):12,.0f}{total / (time.process_time() - used):12,.0f}"


def ours(name: str, method: str, number: int, simulations: int, threads: int, seconds: float) -> str:
    games = lapilli.batch(name, number, seed=1, threads=threads)
    for _ in range(50):  # then the games are in different phases
        games.step(games.sample())
    search = lapilli.TreeSearch(games, simulations, method=method)
    logits, values = np.zeros(games.legal.shape, np.float32), np.zeros(number, np.float32)

    def once() -> None:
        games.step(search.run(lambda observations, legal: (logits, values)).actions)

    return rate(once, number * simulations, seconds)


def theirs(name: str, method: str, number: int, simulations: int, seconds: float) -> str:
    import jax
    import jax.numpy as jnp
    import mctx
    import pgx
    from pgx.experimental import auto_reset

    env: Any = pgx.make(name)
    play, restart = jax.vmap(env.step), jax.vmap(auto_reset(env.step, env.init))
    policy = mctx.gumbel_muzero_policy if method == "gumbel" else mctx.muzero_policy

    def masked(state: Any) -> Any:
        return jnp.where(state.legal_action_mask, 0.0, jnp.finfo(jnp.float32).min)

    def follow(params: Any, key: Any, action: Any, state: Any) -> Any:
        player, state = state.current_player, play(state, action)
        reward = state.rewards[jnp.arange(number), player]
        discount = jnp.where(state.terminated, 0.0, -1.0)
        output = mctx.RecurrentFnOutput(
            reward=reward, discount=discount, prior_logits=masked(state), value=jnp.zeros(number)
        )
        return output, state

    @jax.jit  # type: ignore[untyped-decorator, unused-ignore]
    def search(state: Any, key: Any) -> Any:
        key, own, again = jax.random.split(key, 3)
        root = mctx.RootFnOutput(prior_logits=masked(state), value=jnp.zeros(number), embedding=state)
        found = policy(
            params=(),
            rng_key=own,
            root=root,
            recurrent_fn=follow,
            num_simulations=simulations,
            invalid_actions=~state.legal_action_mask,
        )
        return restart(state, found.action, jax.random.split(again, number)), key

    now = [jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), number)), jax.random.PRNGKey(1)]

    def once() -> None:
        now[:] = search(*now)
        now[0].observation.block_until_ready()

    return rate(once, number * simulations, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=["volcanoes", "kingdomino", "pyramids"])
    parser.add_argument("--envs", type=int, default=512)
    parser.add_argument("--simulations", type=int, default=32)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=7.0)
    given = parser.parse_args()
    print(f"{given.envs} environments, {given.simulations} simulations: simulations/s, and a second of the processor")
    for method in METHODS:
        for name in given.games:
            found = ours(name, method, given.envs, given.simulations, given.threads, given.seconds)
            print(f"lapilli {name:16}{method:8}{found}", flush=True)
        try:
            figure = theirs("hex", method, given.envs, given.simulations, given.seconds)
        except ImportError as error:
            figure = f"   {error}: pip install pgx mctx"
        print(f"mctx    {'pgx: hex':16}{method:8}{figure}", flush=True)
    print(f"load of this machine while this ran: {', '.join(f'{load:.1f}' for load in os.getloadavg())}")


if __name__ == "__main__":
    main()
