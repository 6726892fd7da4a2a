"""SPSA on a simulated bot comes as close to the optimum as the theory of its steps says, over many seeds."""

from __future__ import annotations

import math
from functools import cache
from random import Random
from statistics import fmean, stdev, variance

import pytest

from arena.tuning.simulated import HEIGHTS, OPTIMUM, PARAMETERS, match, strength
from lapilli.arena.tuning.method import Proposal
from lapilli.arena.tuning.parameters import Parameter
from lapilli.arena.tuning.spsa import Spsa

STEPS, SEEDS = 200, 150
RESULT_OF_ELO = math.log(10) / 800
"""A pair of matches: the mean of its results, 1 or -1, for each Elo of difference, where that is small."""


@cache
def tuned() -> tuple[list[tuple[float, ...]], list[tuple[float, ...]]]:
    """The last positions and the estimates, by seed."""
    last, estimates = [], []
    for seed in range(SEEDS):
        spsa, luck = Spsa(PARAMETERS, STEPS, seed), Random(f"luck {seed}")
        for _ in range(STEPS):
            raised, lowered = spsa.propose().sides
            spsa.learn(match(raised, lowered, luck) + match(raised, lowered, luck) - 1)
        last.append(spsa.current)
        estimates.append(spsa.positions())
    return last, estimates


def theory() -> tuple[list[float], list[float]]:
    """Mean and variance of the distance from the optimum after the last step, for each parameter.

    A step moves a parameter by a r / c. The mean of r is that of the difference in Elo, linearised; its mean square is
    1/2, because both matches of a pair are won or lost.
    """
    spsa = Spsa(PARAMETERS, STEPS, 0)
    mean = [one.position(one.start) - best for one, best in zip(PARAMETERS, OPTIMUM, strict=True)]
    spread = [0.0, 0.0]
    for step in range(STEPS):
        change, gain = spsa.change(step), spsa.gain(step)
        for place, height in enumerate(HEIGHTS):
            pull = 1 - gain * 4 * height * RESULT_OF_ELO
            mean[place] *= pull
            spread[place] = spread[place] * pull**2 + (gain / change) ** 2 / 2
    return mean, spread


@pytest.mark.parametrize("place", range(len(PARAMETERS)))
def test_mean_and_variance_are_those_of_the_theory(place: int) -> None:
    last, _ = tuned()
    distances = [positions[place] - OPTIMUM[place] for positions in last]
    mean, spread = (found[place] for found in theory())
    assert fmean(distances) == pytest.approx(mean, abs=4 * stdev(distances) / math.sqrt(SEEDS))
    assert 1 - 4 * math.sqrt(2 / SEEDS) < variance(distances) / spread < 1 + 4 * math.sqrt(2 / SEEDS)
    start = PARAMETERS[place].start - OPTIMUM[place]
    assert abs(mean) < 0.4 * abs(start), "most of the way is made"


def test_what_is_lost_in_elo_is_what_the_theory_says_and_the_mean_of_the_path_loses_less() -> None:
    losses, means = (
        [-strength({one.name: place for one, place in zip(PARAMETERS, found, strict=True)}) for found in positions]
        for positions in tuned()
    )
    mean, spread = theory()
    expected = sum(height * (m**2 + v) for height, m, v in zip(HEIGHTS, mean, spread, strict=True))
    assert fmean(losses) == pytest.approx(expected, abs=4 * stdev(losses) / math.sqrt(SEEDS))
    assert fmean(means) < fmean(losses)
    assert fmean(means) < expected


def test_the_same_seed_proposes_the_same() -> None:
    def proposals(seed: int) -> list[Proposal]:
        spsa = Spsa(PARAMETERS, 30, seed)
        found = []
        for step in range(30):
            found.append(spsa.propose())
            spsa.learn(1 - step % 3)
        return found

    assert proposals(3) == proposals(3)
    assert proposals(3) != proposals(4)


def test_values_stay_in_their_ranges() -> None:
    parameters = (Parameter.between("a", 0.01, 10, log=True), Parameter.between("n", 1, 4, whole=True))
    spsa = Spsa(parameters, 100, 1)
    for _ in range(100):
        for side in spsa.propose().sides:
            assert 0.01 <= side["a"] <= 10
            assert side["n"] in (1, 2, 3, 4)
        spsa.learn(1.0)
    assert all(0 <= place <= 1 for place in spsa.current)


def test_whole_numbers_differ_on_both_sides_and_are_right_on_average() -> None:
    parameter = Parameter.parse("n=0..1000:int:start=400")
    spsa = Spsa([parameter], 2000, 1)
    sums, distances = 0.0, set[float]()
    for _ in range(2000):
        raised, lowered = spsa.propose().sides
        sums += raised["n"] + lowered["n"]
        distances.add(abs(raised["n"] - lowered["n"]))
        spsa.learn(0.0)
    assert min(distances) >= 200 - 1, "at least a tenth of the range on each side"
    assert sums / 4000 == pytest.approx(400, abs=0.05)
    narrow = Spsa([Parameter.parse("n=1..3:int:start=2")], 100, 1)
    for _ in range(100):
        raised, lowered = narrow.propose().sides
        assert raised["n"] != lowered["n"]
        narrow.learn(0.0)
