"""Cost of freezing a bot after its answer and thawing it before the next question.

    python benchmarks/freezing.py

There are three bots, which answer at once: one in C++, one in Python, and one in Node, which has a dozen threads. Each
is measured with and without the sandbox, and in three ways alternately: not frozen, frozen by its control group, and
frozen by signals. The output is medians, in microseconds.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

from lapilli.players.bots.process import BotProcess
from lapilli.players.bots.stopwatch import ReplyLimits
from lapilli.players.processes.freezer import Freezer
from lapilli.players.processes.launcher import Launcher, PlainLauncher
from lapilli.players.sandbox.sandbox import BubblewrapLauncher, why_no_sandbox

TURNS = 400
CPP = "#include <iostream>\nint main() { for (std::string s; getline(std::cin, s);) std::cout << s << std::endl; }\n"
NODE = "require('readline').createInterface({input: process.stdin}).on('line', line => console.log(line))\n"


def bots(folder: Path) -> Iterator[tuple[str, list[str]]]:
    yield "Python", [sys.executable, "-IS", str(Path(__file__).resolve().parents[1] / "tests" / "bots" / "answers.py")]
    if shutil.which("g++"):
        (folder / "bot.cpp").write_text(CPP)
        subprocess.run(["g++", "-O2", "-o", folder / "bot", folder / "bot.cpp"], check=True)
        yield "C++", [str(folder / "bot")]
    if shutil.which("node"):
        (folder / "bot.js").write_text(NODE)
        yield "Node", ["node", str(folder / "bot.js")]


def microseconds(step: Callable[[], object]) -> float:
    began = perf_counter()
    step()
    return 1e6 * (perf_counter() - began)


def measure(command: list[str], launcher: Launcher) -> None:
    with BotProcess(command, 0, launcher) as bot:
        bot.start()
        assert bot.dialogue
        assert bot._process
        turn = partial(bot.dialogue.ask_alone, "go\n", 1, ReplyLimits())
        turn()
        print(f"  a turn {median(microseconds(turn) for _ in range(TURNS)):.0f}")
        for name, group in (("control group", bot._group), ("signals", None)):
            freezer = Freezer(bot._process.pid, group)
            if name == "signals" or (group and group.can_freeze):
                rounds = [[microseconds(step) for step in (freezer.freeze, freezer.thaw, turn)] for _ in range(TURNS)]
                freeze, thaw, asked = map(median, zip(*rounds, strict=True))
                print(f"  {name}: freeze {freeze:.0f}, thaw {thaw:.0f}, a turn {asked:.0f}")


def main() -> None:
    launchers: list[tuple[str, Launcher]] = [("plain", PlainLauncher())]
    if not why_no_sandbox():
        launchers.append(("sandbox", BubblewrapLauncher()))
    with tempfile.TemporaryDirectory() as folder:
        for name, command in bots(Path(folder)):
            for how, launcher in launchers:
                print(f"{name}, {how}")
                measure(command, launcher)


if __name__ == "__main__":
    main()
