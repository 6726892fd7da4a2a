"""What the sandbox costs: a bot's start, which is on nobody's clock, and a turn.

    python benchmarks/sandbox.py

A bot that answers at once (`tests/bots/answers.py`) is started and asked in turns, in the sandbox and without, one
after the other, so that both see the same machine. A start ends when the bot may be asked: when its process runs, or
when its sandbox stands. Two are started in a row, as for a match: where bots get control groups, the first of them
waits for the kernel to get ready for that.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from time import perf_counter

from lapilli.players.cgroups import hierarchies
from lapilli.players.launching import Launcher, PlainLauncher
from lapilli.players.process import BotProcess
from lapilli.players.sandbox import BubblewrapLauncher, why_no_sandbox
from lapilli.players.stopwatch import ReplyLimits

BOT = [sys.executable, "-IS", str(Path(__file__).resolve().parents[1] / "tests" / "bots" / "answers.py")]
STARTS, TURNS = 40, 500


def starts_and_turn_ms(launcher: Launcher) -> tuple[float, float, float]:
    """Milliseconds that the starts of two bots take, and the median of the turns of one."""
    began = perf_counter()
    with BotProcess(BOT, 0, launcher) as bot, BotProcess(BOT, 1, launcher) as other:
        bot.start()
        started = perf_counter()
        other.start()
        all_started = perf_counter()
        assert bot.dialogue
        bot.dialogue.ask_alone("go\n", 1, ReplyLimits())
        turns = []
        for _ in range(TURNS):
            asked = perf_counter()
            bot.dialogue.ask_alone("go\n", 1, ReplyLimits())
            turns.append(perf_counter() - asked)
    return 1000 * (started - began), 1000 * (all_started - started), 1000 * median(turns)


def main() -> None:
    trouble = why_no_sandbox()
    if trouble:
        sys.exit(trouble)
    pairs = [(starts_and_turn_ms(PlainLauncher()), starts_and_turn_ms(BubblewrapLauncher())) for _ in range(STARTS)]
    print("control groups:", ", ".join(sorted({name for place in hierarchies() for name in place.files})) or "none")
    for number, which in enumerate(("a match's first", "its second")):
        plain, locked = (median(pair[side][number] for pair in pairs) for side in (0, 1))
        print(f"start, {which}: plain {plain:.1f} ms, in the sandbox {locked:.1f} ms: {locked - plain:.1f} ms more")
    plain, locked = (median(pair[side][2] for pair in pairs) for side in (0, 1))
    print(f"turn:  plain {plain:.4f} ms, in the sandbox {locked:.4f} ms: ratio {locked / plain:.2f}")


if __name__ == "__main__":
    main()
