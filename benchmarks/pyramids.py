"""Volcano with pyramids: the kernel against the naive twin in one run, and against a published engine's figure.

python benchmarks/pyramids.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from games.pyramids import naive
from lapilli.games.pyramids import speed

PEER_CAP_MOVE_NS = 2900
"""AbstractPlay's TypeScript engine (gameslib, volcano.ts), a cap move, one core (issue 5)."""


def twin_steps(seconds: float) -> float:
    """Random steps per second of the twin, move generation included."""
    random = Random(1)
    steps, start = 0, perf_counter()
    while (spent := perf_counter() - start) < seconds:
        game = naive.Game("square")
        while not game.over:
            game.play(random.choice(game.steps()))
            steps += 1
    return steps / spent


def figures() -> dict[str, float]:
    """The kernel's figures, with how many times faster than the twin and the peer it is."""
    found = speed.figures(2.0)
    found["times the naive twin (random steps, same run)"] = (
        found["playouts/s"] * found["steps/playout"] / twin_steps(2.0)
    )
    found["times AbstractPlay's 2.9 us a cap move"] = PEER_CAP_MOVE_NS / found["cap move ns"]
    return found


def main() -> None:
    for name, figure in figures().items():
        print(f"{figure:16,.1f}  {name}")


if __name__ == "__main__":
    main()
