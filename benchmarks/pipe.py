"""Time that the referee adds to a bare pipe: a question asked with `ask`, compared with write, flush and readline.

    python benchmarks/pipe.py

Both ways run alternately in one process with the same bot, so that changes in the machine's load affect both. The bots
are an echo in C (if there is a compiler) and one in Python. The ratio is the median over the pairs of runs. It matters
greatly whether the system runs referee and bot on one core or on two, so the benchmark decides this itself: first both
on one core (the strictest measure, because the referee's share of the time is largest there), then each on its own
core.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from lapilli.players.bots.process import BotProcess, Prompt, ask

PYTHON_BOT = """\
import sys
for line in sys.stdin:
    print(line, end="", flush=True)
"""
C_BOT = """\
#include <stdio.h>
int main(void) {
    char line[4096];
    while (fgets(line, sizeof line, stdin)) { fputs(line, stdout); fflush(stdout); }
}
"""
LINE = "N01 N02 N03 N04 N05 N06 N07 N08 N09 N10\n"
PAIRS = 21
QUESTIONS = 500
STARTS = 20


def bare_us(bot: subprocess.Popen[str], number: int) -> float:
    """Returns the time of one question over a bare pipe, in microseconds. `number`: number of questions."""
    assert bot.stdin is not None
    assert bot.stdout is not None
    start = perf_counter()
    for _ in range(number):
        bot.stdin.write(LINE)
        bot.stdin.flush()
        bot.stdout.readline()
    return (perf_counter() - start) / number * 1e6


def referee_us(bot: BotProcess, number: int) -> float:
    """Returns the time of one question with `ask`, in microseconds. `number`: number of questions."""
    start = perf_counter()
    for _ in range(number):
        ask([Prompt(bot, LINE, lines=1, limit_ms=100)])
    return (perf_counter() - start) / number * 1e6


def pair_us(command: Sequence[str], ours: set[int], bots: set[int]) -> tuple[float, float]:
    """Returns the time of a question over a bare pipe and with the referee, in microseconds, each with a new bot.

    `ours`, `bots`: cores of this process, and cores of the bot.
    """
    place(bots)  # processes started now inherit this
    with (
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as bare,
        BotProcess(command, player=0) as refereed,
    ):
        fault = refereed.start()
        if fault:
            raise SystemExit(fault.reason)
        place(ours)
        bare_us(bare, 50)
        ask([Prompt(refereed, LINE, lines=1, limit_ms=None)])
        referee_us(refereed, 50)
        pair = bare_us(bare, QUESTIONS), referee_us(refereed, QUESTIONS)
        bare.kill()
    return pair


def place(cores: set[int]) -> None:
    """Restricts this process to these cores, if the system supports that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)


def paired(command: Sequence[str], ours: set[int], bots: set[int]) -> tuple[float, float, float]:
    """Measures several pairs as `pair_us` does, with the same arguments.

    Returns the median time over a bare pipe, the median time with the referee, both in microseconds, and the median of
    their ratios (referee / bare pipe).
    """
    pairs = [pair_us(command, ours, bots) for _ in range(PAIRS)]
    return (
        statistics.median(theirs for theirs, _ in pairs),
        statistics.median(ours for _, ours in pairs),
        statistics.median(ours / theirs for theirs, ours in pairs),
    )


def close_ms(command: Sequence[str]) -> tuple[float, float]:
    """Returns the median and the maximum time that `BotProcess.close` takes for a bot that has replied once, in
    milliseconds.
    """
    times = []
    for _ in range(STARTS):
        bot = BotProcess(command, player=0)
        bot.start()
        ask([Prompt(bot, LINE, lines=1, limit_ms=5000)])
        start = perf_counter()
        bot.close()
        times.append((perf_counter() - start) * 1000)
    return statistics.median(times), max(times)


def figures() -> dict[str, float]:
    """Measures all bots, and returns all figures by name. Each name contains the unit, such as "us"."""
    found: dict[str, float] = {}
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else {0}
    one, other = {min(cores)}, {max(cores)}
    places = [("one core", one, one)] + ([("two cores", one, other)] if one != other else [])
    with tempfile.TemporaryDirectory() as folder:
        bots = {"python": [sys.executable, "-c", PYTHON_BOT]}
        compiler = shutil.which("cc")
        if compiler:
            source, program = Path(folder, "echo.c"), Path(folder, "echo")
            source.write_text(C_BOT)
            subprocess.run([compiler, "-O2", "-o", str(program), str(source)], check=True)
            bots["c"] = [str(program)]
        for name, command in bots.items():
            for place_name, ours, theirs in places:
                keys = [f"{name} {place_name} {what}" for what in ("bare us", "ask us", "ratio")]
                found |= dict(zip(keys, paired(command, ours, theirs), strict=True))
            place(cores)
            found[f"{name} close ms"], found[f"{name} close worst ms"] = close_ms(command)
    return found


def main() -> None:
    for key, value in figures().items():
        print(f"{key:28} {value:8.2f}")


if __name__ == "__main__":
    main()
