"""Strength that is still missing after a tuning by SPSA, on simulated bots whose best values are known
(docs/tuning-methods.md).

python benchmarks/tuning.py [TUNINGS]        the number of simulated tunings for each cell, by default 40
"""

from __future__ import annotations

import sys
from random import Random
from statistics import fmean, stdev

from lapilli.arena.statistics import expected_score
from lapilli.arena.tuning.parameters import Parameter
from lapilli.arena.tuning.spsa import Spsa

BEST = (0.2, 0.7, 0.9)
PARAMETERS = tuple(Parameter.between(name, 0, 1) for name in "abc")


def loss(values: dict[str, float], height: float) -> float:
    """Returns how much weaker a bot with these values is than with the best values, in Elo.

    `height`: loss of one parameter at a distance of 1 from its best value, in Elo.
    """
    return sum(height * (values[one.name] - best) ** 2 for one, best in zip(PARAMETERS, BEST, strict=True))


def tuned(height: float, pairs: int, seed: int) -> float:
    """Simulates a tuning, and returns how much weaker the bot then still is than with the best values, in Elo."""
    spsa, luck = Spsa(PARAMETERS, pairs, seed), Random(f"luck {seed}")
    for _ in range(pairs):
        raised, lowered = spsa.propose().sides
        chance = expected_score(loss(lowered, height) - loss(raised, height))
        spsa.learn((luck.random() < chance) + (luck.random() < chance) - 1)
    return loss({one.name: one.value(place) for one, place in zip(PARAMETERS, spsa.positions(), strict=True)}, height)


def main(tunings: int) -> None:
    print("| a range costs | at the start | 200 matches | 1,000 | 4,000 |")
    for height in (50, 200, 400, 1600):
        cells = []
        for pairs in (100, 500, 2000):
            losses = [tuned(height, pairs, seed) for seed in range(tunings)]
            cells.append(f"{fmean(losses):.1f} ± {stdev(losses) / tunings**0.5:.1f}")
        start = loss({one.name: one.start for one in PARAMETERS}, height)
        print(f"| {height} | {start:.1f} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
