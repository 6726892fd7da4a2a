"""Volcanoes: the kernel against the naive twin in one run, and against the original Java code's figure.

python benchmarks/volcanoes.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from games.volcanoes import naive
from lapilli.games.volcanoes import GAME
from lapilli.games.volcanoes.speed import figures

JAVA_PLAYOUTS = 27_537
"""Uniform random playouts/s of the original Java board, one core (its own machine; shared golden bench file)."""


def twin_playouts(seconds: float) -> float:
    """Playouts per second of the twin."""
    names, neighbours = naive.read_neighbours(GAME.protocol.opening_input(GAME.new_initial_state(), 0))
    random = Random(1)
    games, start = 0, perf_counter()
    while (spent := perf_counter() - start) < seconds:
        board = naive.Board(names, neighbours)
        while board.result is None:
            if board.mover() == "growth":
                board.grow()
            else:
                board.play(random.choice(board.legal()))
        games += 1
    return games / spent


def main() -> None:
    found = figures(3.0)
    for name, figure in found.items():
        print(f"{figure:14,.1f}  {name}")
    print(f"{found['playouts/s'] / twin_playouts(3.0):14,.1f}  times the naive twin, same run")
    print(f"{found['playouts/s'] / JAVA_PLAYOUTS:14,.1f}  times the original Java board's {JAVA_PLAYOUTS:,} playouts/s")


if __name__ == "__main__":
    main()
