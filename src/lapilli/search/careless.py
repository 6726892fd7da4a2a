"""How a search that makes errors at a given rate decides whether to make one: the setting `blunder` of every method."""

from __future__ import annotations

import numpy as np

from lapilli.kernels.kernel import Rng, kernel, random_unit, seed_random

SEEDS = (1 << 62) - 1
"""Mask of the seed of one search: kernels receive seeds of 62 bits."""


@kernel
def blunders(rng: Rng, seed: int, probability: float) -> bool:
    """Decides at random whether a search plays a beginner's turn. Then seeds the generator for the search itself.

    Args:
        rng: state of the search's random generator. Afterwards it is that of `new_random(seed)`.
        seed: seed of the search, from 0 to SEEDS.
        probability: the setting `blunder`.
    """
    seed_random(rng, np.uint64(seed ^ SEEDS))
    careless = random_unit(rng) < probability
    seed_random(rng, np.uint64(seed))
    return careless
