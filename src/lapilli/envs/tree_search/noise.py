"""Draws the noise at the root of a tree search, so that the search explores actions that the network finds unlikely.

These kernels call no game. `tree_template` describes the parameters that many of them have.
"""

from __future__ import annotations

from math import cos, log, pi, sqrt
from typing import Any

from lapilli.envs.tree_search.selection import GUMBEL, NOISE
from lapilli.envs.tree_search.tree_arrays import Space, Tree
from lapilli.kernels.kernel import Rng, kernel, random_unit

_NOISE_SHARE, _NOISE_ACTIONS = 0.25, 10.0
"""Share of noise in the root's priors (method `puct`), and the sum of the parameters of its Dirichlet distribution."""
_LEAST = 1e-300
"""Smallest random number whose logarithm is taken."""


@kernel
def draw_noise(t: Tree, number: int, s: Any, w: Space) -> None:
    """Draws noise for the root's actions: Gumbel noise into `t.chances`, or Dirichlet noise mixed into PUCT's priors.

    `t`: the trees. `number`: index of the environment. `s`: settings of the search. `w`: scratch arrays.
    """
    root, rng, total = t.nodes[number, 0], t.rng[number], 0.0
    t.chances[number, :] = 0.0
    if s[NOISE] == 0.0:
        return
    for place in range(root.count):
        if s[GUMBEL] > 0.0:
            t.chances[number, place] = -s[NOISE] * log(-log(random_unit(rng) + _LEAST) + _LEAST)
        else:
            w.scores[place] = _gamma(_NOISE_ACTIONS / root.count, rng)
            total += w.scores[place]
    if total > 0.0:
        share = _NOISE_SHARE * s[NOISE]
        for place in range(root.count):
            e = t.edges[number, root.first + place]
            e.prior = (1.0 - share) * e.prior + share * w.scores[place] / total


@kernel
def _gamma(shape: float, rng: Rng) -> float:
    """Draws from the gamma distribution with this shape parameter, by the method of Marsaglia and Tsang."""
    factor = 1.0
    if shape < 1.0:
        factor = (random_unit(rng) + _LEAST) ** (1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    while True:
        x = sqrt(-2.0 * log(random_unit(rng) + _LEAST)) * cos(2.0 * pi * random_unit(rng))
        v = (1.0 + x / sqrt(9.0 * d)) ** 3
        if v > 0.0 and log(random_unit(rng) + _LEAST) < 0.5 * x * x + d - d * v + d * log(v):
            return factor * d * v
