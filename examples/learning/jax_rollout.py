"""A batch in JAX: a policy plays all games of a batch inside one compiled loop.

    pip install 'lapilli[learning]'
    python jax_rollout.py --game volcanoes --envs 512 --steps 100

The games stay in the batch: in each round of the loop, JAX calls it back with the actions. The policy here is a linear
one with random weights. The example is for games of players who act one after the other, with masks of legal actions.
"""

from __future__ import annotations

import argparse
import time
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

import lapilli
from lapilli.envs.arrays import has_masks


class Seen(NamedTuple):
    """The data of a batch that the policy sees, and the results of the last step: copies of the `Batch`'s arrays of
    these names.
    """

    observations: Any
    legal: Any
    current_player: Any
    rewards: Any
    terminated: Any


def seen(games: Any) -> Seen:
    """Returns copies of the batch's arrays: the next step overwrites the originals, and JAX may read them later."""
    return Seen(*(np.array(getattr(games, name)) for name in Seen._fields))


def compiled_rollout(games: Any, steps: int) -> Any:
    """Returns a compiled function (weights, key) -> (actions, arrays), each with the axes step, environment, ….

    It plays `steps` steps of the batch from its current positions.
    """
    shapes = jax.tree.map(lambda array: jax.ShapeDtypeStruct(array.shape, array.dtype), seen(games))

    def step(actions: Any) -> Seen:
        games.step(np.asarray(actions))
        return seen(games)

    @jax.jit
    def rollout(weights: Any, key: Any) -> tuple[Any, Seen]:
        def once(before: Seen, own_key: Any) -> tuple[Seen, tuple[Any, Seen]]:
            logits = before.observations.astype(jnp.float32) @ weights
            actions = jax.random.categorical(own_key, jnp.where(before.legal, logits, -1e9)).astype(jnp.int32)
            after = io_callback(step, shapes, actions, ordered=True)
            return after, (actions, after)

        start = io_callback(lambda: seen(games), shapes, ordered=True)
        return jax.lax.scan(once, start, jax.random.split(key, steps))[1]

    return rollout


def main() -> None:
    games_with_masks = [name for name in lapilli.names() if has_masks(lapilli.load(name))]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="volcanoes", choices=games_with_masks)
    parser.add_argument("--envs", type=int, default=512)
    parser.add_argument("--steps", type=int, default=100)
    given = parser.parse_args()
    if min(given.envs, given.steps) <= 0:
        parser.error("--envs, --steps: expected more than 0")
    games = lapilli.batch(given.game, given.envs, seed=7)
    shared = jnp.from_dlpack(games.observations)  # the batch's own memory: valid until the next step
    print(f"without a copy: {shared.unsafe_buffer_pointer() == games.observations.ctypes.data}")
    weights = jax.random.normal(jax.random.PRNGKey(0), (games.game.observation.size, games.game.num_distinct_actions))
    rollout = compiled_rollout(games, given.steps)
    jax.block_until_ready(rollout(weights, jax.random.PRNGKey(1)))  # compiles
    begun = time.perf_counter()
    _, arrays = jax.block_until_ready(rollout(weights, jax.random.PRNGKey(2)))
    spent = time.perf_counter() - begun
    print(f"{given.envs * given.steps / spent:,.0f} steps/s, {int(arrays.terminated.sum()):,} games ended")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
