"""Volcanoes: the rules beside the same algorithm in C, and beside the naive twin, in one run.

python benchmarks/volcanoes.py
"""

from __future__ import annotations

import os
import statistics
import subprocess
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from lapilli.core.game import Game
from lapilli.games import load
from lapilli.games.volcanoes.board import CYCLE, MAX_TURNS, NEAR_NORTH, NEAR_SOUTH
from lapilli.kernels.kernel import new_random

JAVA_PLAYOUTS = 27_537
"""Uniform random playouts/s of the original Java board on one core (on another machine; shared golden bench file)."""
SOURCE = Path(__file__).with_name("volcanoes.c")
GAMES, ROUNDS = 200_000, 9


def main() -> None:
    game = load("volcanoes")
    with TemporaryDirectory() as folder:
        program = compiled(Path(folder))
        kernels, c = zip(*(one_round(game, program, number) for number in range(1, ROUNDS + 1)), strict=True)
    print(f"{GAMES / statistics.median(kernels):14,.0f}  random games/s, the rules as they are compiled here")
    print(f"{GAMES / statistics.median(c):14,.0f}  random games/s, C (-O3 -march=native), the very same games")
    ratios = [theirs / ours for ours, theirs in zip(kernels, c, strict=True)]
    print(f"{statistics.median(ratios):14.2f}  times C (rounds: {min(ratios):.2f} to {max(ratios):.2f})")
    figures = game.speed(3.0)
    for name, figure in figures.items():
        print(f"{figure:14,.1f}  {name}")
    times = figures["playouts/s"] / JAVA_PLAYOUTS
    print(f"{times:14,.1f}  times the original Java board's {JAVA_PLAYOUTS:,} playouts/s")


def compiled(folder: Path) -> Path:
    """Compiles the program in C, with the tables of the board, and returns its path."""
    tables: dict[str, tuple[str, Iterable[int]]] = {
        "CYCLE": ("int", CYCLE),
        "NEAR_NORTH": ("word", NEAR_NORTH.tolist()),
        "NEAR_SOUTH": ("word", NEAR_SOUTH.tolist()),
    }
    lines = [f"enum {{ MAX_TURNS = {MAX_TURNS} }};"]
    for name, (kind, numbers) in tables.items():
        lines.append(f"static const {kind} {name}[] = {{{', '.join(map(str, numbers))}}};")
    (folder / "tables.h").write_text("\n".join(lines) + "\n")
    program = folder / "volcanoes"
    command = [os.environ.get("CC", "cc"), "-O3", "-march=native", f"-I{folder}", str(SOURCE), "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def one_round(game: Game, program: Path, seed: int) -> tuple[float, float]:
    """Plays the same random games with the rules and with the program in C. Returns the seconds that each took."""
    kernels = game.instantiate("lapilli.core.rules.templates.speed_template")
    start = game.new_initial_state()
    work, out, rng = np.zeros(1, start.DTYPE), np.empty(game.verbs.MAX_LEGAL + 2, np.int64), new_random(seed)
    kernels.playouts(start.array, work, 1, new_random(seed), out, start.static)
    state = int(rng[0])
    before = perf_counter()
    turns = kernels.playouts(start.array, work, GAMES, rng, out, start.static)
    seconds = perf_counter() - before
    done = subprocess.run([program, str(state), str(GAMES)], capture_output=True, text=True, check=True)
    their_turns, their_seconds = done.stdout.split()
    assert int(their_turns) == turns, "both play the same games"
    return seconds, float(their_seconds)


if __name__ == "__main__":
    main()
