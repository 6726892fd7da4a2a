"""How a search makes a beginner's errors. This is the same in all search methods: the settings `blunder` and `sees`.

With the probability `blunder`, a search plays a beginner's turn. A beginner comes across a few turns, about `sees` of
them, and plays the one that seems best at a glance. So a beginner overlooks the other turns, and what the opponent can
do in return. Each search method and each game define which turns a beginner comes across: mostly near and simple ones.
"""

from __future__ import annotations

import numpy as np

from lapilli.kernels.kernel import Rng, kernel, random_unit, seed_random

SEEDS = (1 << 62) - 1
"""Bit mask for the seed of one search: kernels receive seeds of 62 bits."""


@kernel
def blunders(rng: Rng, seed: int, probability: float) -> bool:
    """Decides at random whether a search plays a beginner's turn. Then seeds the generator for the search itself.

    Args:
        rng: state of the search's random generator. Afterwards it is the state that `new_random(seed)` returns.
        seed: seed of the search, from 0 to SEEDS.
        probability: the setting `blunder`.
    """
    seed_random(rng, np.uint64(seed ^ SEEDS))
    careless = random_unit(rng) < probability
    seed_random(rng, np.uint64(seed))
    return careless


@kernel
def number_seen(rng: Rng, sees: float) -> int:
    """Returns how many turns a beginner comes across: `sees`, rounded at random so that the mean is `sees`."""
    whole = int(sees)
    return whole + int(random_unit(rng) < sees - whole)
