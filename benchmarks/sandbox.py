"""Cost of the sandbox: time of a bot's start, which no match clock counts, and of a turn.

    python benchmarks/sandbox.py

The bot (`tests/bots/answers.py`) answers at once. The benchmark starts one bot alone, and two together as a match does,
and then asks a bot for replies. This is done alternately without the sandbox, in the sandbox, and in the sandbox with a
control group (needed for freezing bots), so that changes in the machine's load affect all three. A start ends when the
bot can be asked: when its process runs, or when its sandbox is ready. The output is medians.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from time import perf_counter

from lapilli.players.bots.process import BotProcess
from lapilli.players.bots.stopwatch import ReplyLimits
from lapilli.players.processes.cgroups import hierarchies
from lapilli.players.processes.launcher import Launcher, PlainLauncher
from lapilli.players.sandbox.sandbox import BubblewrapLauncher, why_no_sandbox

BOT = [sys.executable, "-IS", str(Path(__file__).resolve().parents[1] / "tests" / "bots" / "answers.py")]
STARTS, TURNS = 40, 500


def measure(launcher: Launcher) -> tuple[float, float, float]:
    """Starts bots by this launcher: with or without a sandbox.

    Returns three times in milliseconds: the start of one bot, the start of two bots together, and a turn.
    """
    with BotProcess(BOT, 0, launcher) as bot:
        began = perf_counter()
        bot.start()
        alone = perf_counter() - began
    with BotProcess(BOT, 0, launcher) as bot, BotProcess(BOT, 1, launcher) as other:
        began = perf_counter()
        bot.launch()
        other.launch()
        bot.start()
        other.start()
        together = perf_counter() - began
        assert bot.dialogue
        bot.dialogue.ask_alone("go\n", 1, ReplyLimits())
        turns = []
        for _ in range(TURNS):
            asked = perf_counter()
            bot.dialogue.ask_alone("go\n", 1, ReplyLimits())
            turns.append(perf_counter() - asked)
    return 1000 * alone, 1000 * together, 1000 * median(turns)


def main() -> None:
    trouble = why_no_sandbox()
    if trouble:
        sys.exit(trouble)
    ways = {
        "plain": PlainLauncher(),
        "in the sandbox": BubblewrapLauncher(grouped=False),
        "with a control group, too": BubblewrapLauncher(),
    }
    runs = [[measure(launcher) for launcher in ways.values()] for _ in range(STARTS)]
    print("control groups:", ", ".join(sorted({name for place in hierarchies() for name in place.files})) or "none")
    for what, figure in (("one bot's start", 0), ("two bots' start, together", 1), ("a turn", 2)):
        told = [f"{way} {median(run[place][figure] for run in runs):.3f} ms" for place, way in enumerate(ways)]
        print(f"{what}: {', '.join(told)}")


if __name__ == "__main__":
    main()
