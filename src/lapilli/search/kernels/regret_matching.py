"""Regret matching: finds the probability with which each player of a matrix game should choose each plan.

The double oracle compares the plans of two players, and so makes the matrix (`double_oracle_template`). Where an array
has the index *side*, side 0 is the player for whom the search runs, and side 1 the other player.
"""

from __future__ import annotations

from typing import Any

from lapilli.kernels.kernel import Ints, Rng, kernel, random_below

MOST_PLANS = 16
"""Greatest number of plans of a player. Arrays of plans have one more element, for the trial plan of a hill climb."""
_REGRETS = 100
_RARE = 0.02
"""_REGRETS: number of steps of regret matching. _RARE: a plan whose probability is lower gets the probability 0."""


@kernel
def match_regrets(worth: Any, counts: Ints, mixes: Any, regrets: Any) -> None:
    """Computes each player's mixture, the probability of each plan, by averaged regret matching.

    Side 0 is the player for whom the search runs, side 1 the other player.

    Args:
        worth: `worth[m, n]` is the value, for side 0, of its plan m against plan n of side 1.
        counts: number of plans of each side.
        mixes: array to fill. `mixes[side, n]` is the probability of plan n of this side.
        regrets: scratch array. For each side, it has three rows with one number per plan: the regret, the sum of the
            mixtures of all steps, and the value in the current step.
    """
    scale = 1e-9
    for side in range(2):
        for k in range(MOST_PLANS):
            mixes[side, k] = regrets[side, 0, k] = regrets[side, 1, k] = 0.0
    for a in range(counts[0]):
        for b in range(counts[1]):
            scale = max(scale, abs(worth[a, b]))
    for step in range(_REGRETS):
        for side in range(2):
            normalise(regrets[side, 0], counts[side], 0.0, mixes[side])
            for k in range(counts[side]):
                regrets[side, 1, k] += mixes[side, k] * (step + 1)
        for side in range(2):
            regret(worth, side, counts, mixes, regrets[side], scale)
    for side in range(2):
        normalise(regrets[side, 1], counts[side], _RARE, mixes[side])


@kernel
def normalise(amounts: Any, number: int, least: float, mix: Any) -> None:
    """Converts amounts to probabilities in proportion to them, and writes these into `mix`.

    The first `number` of `amounts` are used. Probabilities below `least` are replaced by 0, and the others are scaled
    so that their sum is 1. If all amounts are 0, all probabilities are equal.
    """
    whole = kept = 0.0
    for k in range(number):
        whole += amounts[k]
    for k in range(number):
        share = amounts[k] / whole if whole > 0.0 else 1.0 / number
        mix[k] = share if share >= least or whole <= 0.0 else 0.0
        kept += mix[k]
    for k in range(number):
        mix[k] /= kept


@kernel
def regret(worth: Any, side: int, counts: Ints, mixes: Any, regrets: Any, scale: float) -> None:
    """Updates the regrets of one side's plans, in one step of regret matching.

    The amount by which a plan is better than the side's mixture is added to the plan's regret. A negative sum becomes
    0.

    Args:
        worth: `worth[m, n]` is the value, for side 0, of its plan m against plan n of side 1.
        side: the side, 0 or 1.
        counts: number of plans of each side.
        mixes: `mixes[side, n]` is the probability of plan n of this side.
        regrets: the side's three rows, with one number per plan. The first row contains the regrets. The third is
            filled with the values of the plans in this step.
        scale: the greatest absolute value in `worth`.
    """
    mean = 0.0
    for k in range(counts[side]):
        value = 0.0
        for m in range(counts[1 - side]):
            value += mixes[1 - side, m] * (worth[k, m] if side == 0 else -worth[m, k]) / scale
        regrets[2, k] = value
        mean += mixes[side, k] * value
    for k in range(counts[side]):
        regrets[0, k] = max(0.0, regrets[0, k] + regrets[2, k] - mean)


@kernel
def draw_plan(mix: Any, rng: Rng) -> int:
    """Draws a plan at random and returns its index. `mix` contains the probability of each plan."""
    threshold, last = random_below(rng, 1 << 30) / (1 << 30), 0
    for k in range(MOST_PLANS):
        if mix[k] > 0.0:
            last = k
            threshold -= mix[k]
            if threshold < 0.0:
                return k
    return last


@kernel
def most_probable(mix: Any, count: int) -> int:
    """Returns the index of the most probable of the first `count` plans; of equally probable plans, the lowest.

    `mix` contains the probability of each plan.
    """
    best = 0
    for k in range(1, count):
        if mix[k] > mix[best]:
            best = k
    return best
