"""Fairness of time limits on a busy machine: does a bot lose because other programs use the processor?

    python benchmarks/fairness.py [--matches 200] [--loops 4]

An honest bot uses 5 to 20 ms of processor time for an answer, a slow one 40; the limit is 25 ms. Both play on one
processor together with four busy loops. The honest bot must lose no match on time, the slow one all.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import lapilli
from lapilli.match import Clock

BOT = Path(__file__).parents[1] / "tests" / "bots" / "computes.py"
LIMIT_MS = 25.0


def play(low: int, high: int, matches: int) -> None:
    endings: Counter[str] = Counter()
    longest = 0.0
    for seed in range(matches):
        bot = [sys.executable, str(BOT), str(low), str(high)]
        clock = Clock(first_ms=5000, reply_ms=LIMIT_MS)
        record = lapilli.play_match("volcanoes", [bot, "random"], seed=seed, clock=clock)
        assert record.outcome
        assert record.outcome.termination
        endings["lost on time" if record.outcome.termination == "timeout" else record.outcome.termination.value] += 1
        longest = max([longest, *(entry.milliseconds or 0.0 for entry in record.turns[2:])])
    told = ", ".join(f"{number} {ending}" for ending, number in sorted(endings.items()))
    print(f"{low} to {high} ms an answer: of {matches} matches {told}; the longest answer took {longest:.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--loops", type=int, default=4)
    options = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # processes started here inherit this
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.loops)]
    try:
        play(5, 20, options.matches)
        play(40, 40, options.matches)
    finally:
        for loop in loops:
            loop.kill()


main()
