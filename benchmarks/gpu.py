"""Batches on a GPU: steps per second for several sizes of the batch, actions per second of random play alone, and
whether the results are equal to those of a CPU in every bit.

    pip install '.[cuda]'; python benchmarks/gpu.py

Each step draws and plays a random legal action in every environment, chance included, restarts games that are over, and
writes observation and legal actions. Random play (`Batch.play_random`) writes neither. Without a GPU you can try this
script with a simulated one (`NUMBA_ENABLE_CUDASIM=1 NUMBA_DISABLE_JIT=1`, with small numbers).
"""

from __future__ import annotations

import argparse
import time
from statistics import median

import lapilli
from lapilli.core.errors import LapilliError
from lapilli.envs.batch import Batch

KEPT = ("states", "observations", "legal", "legal_counts", "rewards", "terminated", "current_player", "refused")
LOOKS, TIMES = 20, 5


def wait(games: Batch) -> None:
    """Waits until the GPU has finished."""
    games.terminated.copy_to_host()


def rate(games: Batch, steps: int, alone: bool) -> float:
    """Returns the actions per second of a batch: the median of several periods, after a first period that does not
    count.

    Args:
        games: the batch.
        steps: number of steps in a period.
        alone: whether to measure random play (`Batch.play_random`), which writes no observations, instead of single
            steps.
    """
    found = []
    for _ in range(TIMES + 1):
        wait(games)
        start = time.perf_counter()
        if alone:
            games.play_random(steps)
        else:
            for _ in range(steps):
                games.step(games.sample())
        wait(games)
        found.append(games.num_envs * steps / (time.perf_counter() - start))
    return median(found[1:])


def difference(name: str, number: int, steps: int) -> str:
    """Plays the same games on a GPU and on a CPU, and compares all arrays several times.

    Returns the first difference in words; "" if all arrays are equal.

    Args:
        name: name of the game.
        number: number of environments.
        steps: number of steps to play.
    """
    here, there = (lapilli.batch(name, number, seed=7, device=device) for device in ("cpu", "cuda"))
    for step in range(1, steps + 1):
        actions = here.sample()
        if there.sample().copy_to_host().tobytes() != actions.tobytes():
            return f"what is drawn in step {step}"
        here.step(actions)
        there.step(actions)
        if step % max(1, steps // LOOKS) == 0 or step == steps:
            for what in KEPT:
                if getattr(there, what).copy_to_host().tobytes() != getattr(here, what).tobytes():
                    return f"{what} after step {step}"
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(lapilli.names()), metavar="GAME")
    parser.add_argument("--envs", type=int, nargs="+", default=[4096, 16384, 65536, 262144, 1048576])
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--checked", type=int, default=10_000_000, help="steps of all environments that are compared")
    given = parser.parse_args()
    for name in given.names:
        number = min(4096, given.checked)
        wrong = difference(name, number, -(-given.checked // number))
        said = f"other than on a CPU: {wrong}" if wrong else f"{given.checked:,} steps as on a CPU, bit for bit"
        print(f"{name:12}{number:10} {said}", flush=True)
        for number in given.envs:
            try:
                games = lapilli.batch(name, number, seed=1, device="cuda")
            except LapilliError as error:  # the GPU has too little memory
                print(f"{name:12}{number:10} {error}", flush=True)
                break
            games.play_random(200)  # then the games are in different phases
            shown, alone = (rate(games, given.steps, alone) / 1e6 for alone in (False, True))
            print(f"{name:12}{number:10} {shown:10.2f} million steps/s {alone:10.2f} of random play", flush=True)


if __name__ == "__main__":
    try:
        main()
    except LapilliError as error:
        raise SystemExit(str(error)) from None
