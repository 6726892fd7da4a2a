"""Effect of the layout of records on this processor: the same kernels on aligned and on packed records.

    python benchmarks/alignment.py

Lapilli stores positions aligned: every field has its natural alignment, and the size is a whole number of 64-bit words.
A packed record has the same fields without padding, and each position directly follows the one before. In each round,
the benchmark plays random games and copies positions with both layouts. The ratio is the time with packed records
divided by the time with aligned ones, as the median over the rounds. (A GPU reads a packed record byte by byte, and an
aligned one by words: a test counts the loads.)
"""

from __future__ import annotations

from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from lapilli.core.api import Game
from lapilli.games import load, names
from lapilli.kernels.kernel import new_random

ROUNDS, GAMES, POSITIONS = 15, 400, 4000


def packed(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns a dtype with the same fields and no padding."""
    fields: Any = dtype.fields
    return np.dtype([(name, kind) for name, (kind, *_) in fields.items() if not name.startswith("padding")])


def seconds(game: Game, dtype: np.dtype[Any]) -> tuple[float, float]:
    """Plays random games, and copies positions, in records of this dtype.

    Returns the seconds for the games, and the seconds for the copies.
    """
    text = game.instantiate("lapilli.core.rules.templates.speed_template")
    start = game.new_initial_state(seed=1)
    starts, work, many = (np.zeros(number, dtype) for number in (1, 1, POSITIONS))
    for name in dtype.names or ():
        starts[name] = start.array[name]
    out, rng = np.empty(game.verbs.MAX_LEGAL + start.num_players, np.int64), new_random(1)
    text.playouts(starts, work, 1, rng, out, start.static)
    text.copies(many, work)
    began = perf_counter()
    text.playouts(starts, work, GAMES if len(start.static) == 0 else GAMES // 50, rng, out, start.static)
    middle = perf_counter()
    for _ in range(100):
        text.copies(many, work)
    return middle - began, perf_counter() - middle


def main() -> None:
    for game in map(load, names()):
        aligned_dtype, packed_dtype = game.state.DTYPE, packed(game.state.DTYPE)
        rounds = [(seconds(game, aligned_dtype), seconds(game, packed_dtype)) for _ in range(ROUNDS)]
        games, copies = (median(packed[k] / aligned[k] for aligned, packed in rounds) for k in range(2))
        print(
            f"{game.name:11} {aligned_dtype.itemsize:5} bytes aligned, {packed_dtype.itemsize:5} packed; aligned is "
            f"{games:.3f} x as fast in random games, {copies:.2f} x in copies"
        )


if __name__ == "__main__":
    main()
