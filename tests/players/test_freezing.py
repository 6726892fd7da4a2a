"""Frozen bots do not compute, can be ended, and continue normally when they are thawed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from lapilli.core.api import Fault
from lapilli.players.bots.process import BotProcess, Prompt, ask
from lapilli.players.processes.freezer import Freezer
from lapilli.players.processes.launcher import PlainLauncher
from lapilli.players.processes.procfs import tree_of
from lapilli.players.processes.resources import usage_of
from lapilli.players.sandbox.sandbox import BubblewrapLauncher
from players.conftest import marked, running, wait_until

BOTS = Path(__file__).resolve().parents[1] / "bots"
pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
WAYS = ["plain", "sandbox, signals", "sandbox, group"]
Start = Callable[..., tuple[BotProcess, Freezer]]


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    chosen: str = request.param
    if "sandbox" in chosen:
        request.getfixturevalue("needs_sandbox")
    if "group" in chosen:
        request.getfixturevalue("needs_freezer")
    return chosen


@pytest.fixture
def start(way: str) -> Iterator[Start]:
    """Yields a function that starts a bot by name, from tests/bots by default, and asks it once."""
    with ExitStack() as bots:

        def start(name: str, *words: str, folder: Path = BOTS) -> tuple[BotProcess, Freezer]:
            launcher = PlainLauncher() if way == "plain" else BubblewrapLauncher()
            command = (sys.executable, "-IS", str(folder / f"{name}.py"), *words)
            bot = bots.enter_context(BotProcess(command, 0, launcher))
            assert bot.start() is None
            assert one(bot) == "RANDOM"
            return bot, Freezer(pid_of(bot), bot._group if "group" in way else None)

        yield start


def one(bot: BotProcess) -> str | Fault:
    [answer] = ask([Prompt(bot, "go\n", 1, 5000)])
    assert not answer.surplus
    return answer.reply


def pid_of(bot: BotProcess) -> int:
    assert bot._process
    return bot._process.pid


def wait_until_it_toils(spent_s: Callable[[], float]) -> None:
    before = spent_s()
    wait_until(lambda: spent_s() > before + 0.03, seconds=20)


KINDS = ["thread", "child", "session", "brood", "handles"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_frozen_bot_does_nothing(start: Start, kind: str) -> None:
    bot, freezer = start("toils", kind)
    for _ in range(3):
        wait_until_it_toils(lambda: usage_of(pid_of(bot)).cpu_s)
        freezer.freeze()
        time.sleep(0.02)
        frozen, spent_s = set(tree_of(pid_of(bot))), usage_of(pid_of(bot)).cpu_s
        time.sleep(0.2)
        assert set(tree_of(pid_of(bot))) == frozen
        assert usage_of(pid_of(bot)).cpu_s == spent_s
        freezer.thaw()
        assert one(bot) == "RANDOM"
    wait_until_it_toils(lambda: usage_of(pid_of(bot)).cpu_s)


def test_processes_that_wake_each_other(start: Start, way: str) -> None:
    """A control group keeps these processes frozen. With signals they often stay awake, given two cores."""
    bot, freezer = start("toils", "wake")
    wait_until_it_toils(lambda: usage_of(pid_of(bot)).cpu_s)
    for _ in range(3):
        freezer.freeze()
        time.sleep(0.02)
        spent_s = usage_of(pid_of(bot)).cpu_s
        time.sleep(0.1)
        assert usage_of(pid_of(bot)).cpu_s == spent_s or "group" not in way
        freezer.thaw()
    assert one(bot) == "RANDOM"


def test_a_daemon(start: Start, way: str, tmp_path: Path) -> None:
    """Signals reach a daemon only in the sandbox, where it cannot leave the process tree."""
    shutil.copy(BOTS / "toils.py", tmp_path)

    def spent_s() -> float:
        return sum(usage_of(int(pid)).cpu_s for pid in running(str(tmp_path)))

    _, freezer = start("toils", "daemon", folder=tmp_path)
    wait_until_it_toils(spent_s)
    freezer.freeze()
    time.sleep(0.02)
    before = spent_s()
    time.sleep(0.2)
    assert (spent_s() == before) == (way != "plain")
    freezer.thaw()
    wait_until_it_toils(spent_s)


def test_every_answer_comes_as_ever(start: Start) -> None:
    bot, freezer = start("answers")
    for _ in range(300):
        freezer.freeze()
        freezer.thaw()
        assert one(bot) == "RANDOM"


def test_twice_is_once(start: Start) -> None:
    bot, freezer = start("answers")
    freezer.thaw()
    assert one(bot) == "RANDOM"
    freezer.freeze()
    freezer.freeze()
    freezer.thaw()
    assert one(bot) == "RANDOM"


@pytest.mark.parametrize("kind", [*KINDS, "wake", "daemon"])
def test_a_frozen_bot_is_ended_in_time(start: Start, kind: str) -> None:
    bot, freezer = start("toils", kind)  # the fixture `mark` asserts that no process is left
    freezer.freeze()
    began = time.perf_counter()
    bot.close()
    assert time.perf_counter() - began < 0.5
    freezer.thaw()
    freezer.freeze()


def test_one_that_has_ended(start: Start) -> None:
    bot, freezer = start("forks", "1")  # answers once and exits; its child keeps running
    wait_until(bot.how_it_ended, seconds=5)
    freezer.freeze()
    freezer.thaw()
    assert isinstance(one(bot), Fault)
    assert bot.how_it_ended() == "exited with code 0"


REFEREE = """
import sys, time
from lapilli.players.processes.freezer import Freezer
from lapilli.players.processes.launcher import PlainLauncher
from lapilli.players.bots.process import BotProcess, Prompt, ask
from lapilli.players.sandbox.sandbox import BubblewrapLauncher

way, bots = sys.argv[1:]
for name in ("thread", "child", "session", "daemon"):
    launcher = PlainLauncher() if way == "plain" else BubblewrapLauncher()
    bot = BotProcess([sys.executable, "-IS", bots + "/toils.py", name], 0, launcher)
    bot.start()
    ask([Prompt(bot, "go\\n", 1, 5000)])
    Freezer(bot._process.pid, bot._group if "group" in way else None).freeze()
print(flush=True)
time.sleep(60)
"""


def test_frozen_bots_end_with_a_referee_that_is_killed(way: str, mark: str, tmp_path: Path) -> None:
    bots = shutil.copytree(BOTS, tmp_path / "bots")
    command = [sys.executable, "-c", REFEREE, way, str(bots)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as referee:
        assert referee.stdout
        assert referee.stdout.readline() == b"\n"
        assert running(str(bots))
        referee.kill()
    wait_until(lambda: not marked(mark) and not running(str(bots)), seconds=10)
