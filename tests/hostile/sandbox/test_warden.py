"""Bots of a process that dies by `kill -9`: none of them outlives it, nor does what they left behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import pytest

from lapilli.players.bots.process import TAG_VARIABLE
from lapilli.players.processes.watching import Watched, serve
from players.conftest import marked, running, wait_until

BOTS = Path(__file__).resolve().parents[2] / "bots"
pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")

REFEREES = """
import os, random, signal, sys, time
from lapilli.players.processes.launcher import PlainLauncher
from lapilli.players.bots.process import BotProcess, Prompt, ask
from lapilli.players.sandbox.sandbox import BubblewrapLauncher

BOTS, LAUNCHER = sys.argv[1], globals()[sys.argv[2]]()
COMMANDS = [["daemon.py"], ["daemon.py", "quiet"], ["daemon.py", "bare"], ["forks.py", "9"], ["ignores_sigterm.py"],
    ["burns.py"], ["never_reads.py"]]
chance = random.Random(1)
for number in range(100):
    referee = os.fork()
    if not referee:
        for command in (COMMANDS[number % len(COMMANDS)], COMMANDS[number // len(COMMANDS) % len(COMMANDS)]):
            bot = BotProcess([sys.executable, "-IS", BOTS + "/" + command[0], *command[1:]], 0, LAUNCHER)
            bot.start()
            if number % 3:
                ask([Prompt(bot, "go\\n", 1, 2000)])
        time.sleep(60)
    time.sleep(chance.uniform(0, 0.15))
    os.kill(referee, signal.SIGKILL)
    os.waitpid(referee, 0)
"""


@pytest.mark.parametrize("launcher", ["PlainLauncher", "BubblewrapLauncher"])
def test_no_bot_outlives_a_referee_that_is_killed(
    tmp_path: Path, mark: str, launcher: str, request: pytest.FixtureRequest
) -> None:
    if launcher == "BubblewrapLauncher":
        request.getfixturevalue("needs_sandbox")
    bots = shutil.copytree(BOTS, tmp_path / "bots")
    subprocess.run([sys.executable, "-c", REFEREES, str(bots), launcher], check=True, timeout=200)
    wait_until(lambda: not marked(mark) and not running(str(bots)), seconds=20)


@pytest.fixture
def sleeper(mark: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A process with a tag of its own."""
    tag = uuid4().hex
    with subprocess.Popen(["sleep", "60"], env=os.environ | {TAG_VARIABLE: tag}, start_new_session=True) as process:
        yield tag, process
        process.kill()


def told(*lines: str) -> None:
    """Lets it hear this, and then nothing more."""
    orders, says = os.pipe()
    os.write(says, "".join(lines).encode())
    os.close(says)
    serve(orders, 1)
    os.close(orders)


def test_it_ends_those_it_was_told_of(sleeper: tuple[str, subprocess.Popen[bytes]]) -> None:
    tag, process = sleeper
    told(Watched().line(tag), Watched().line("another"), "-another\n")
    assert process.wait(2) == -signal.SIGKILL


def test_it_leaves_alone_those_that_are_gone(sleeper: tuple[str, subprocess.Popen[bytes]]) -> None:
    tag, process = sleeper
    told(Watched(process.pid).line(tag), f"-{tag}\n")
    assert process.poll() is None


def test_it_ends_a_bot_that_takes_too_much_although_nobody_reads_why() -> None:
    large = "data = bytearray(40 << 20)\nimport time\ntime.sleep(60)"
    process = subprocess.Popen([sys.executable, "-IS", "-c", large], start_new_session=True)
    orders, says = os.pipe()
    reads, verdicts = os.pipe()
    os.close(reads)
    os.write(says, Watched(process.pid, memory_mb=30).line("tag").encode())
    with ThreadPoolExecutor(1) as pool:
        serving = pool.submit(serve, orders, verdicts)
        try:
            assert process.wait(5) == -signal.SIGKILL
        finally:
            process.kill()
            os.close(says)
        serving.result(30)
    os.close(orders)
    os.close(verdicts)


ANEW = """
import time
from lapilli.players.processes import watchdog
from lapilli.players.bots.process import BotProcess

def start():
    bot = BotProcess(["sleep", "60"], 0)
    bot.start()
    return watchdog._watchdog._process

first = start()
first.kill()
first.wait()
second = start()
assert second.pid != first.pid and second.poll() is None
print(flush=True)
time.sleep(60)
"""


def test_one_that_somebody_killed_is_started_anew_and_knows_all_bots(mark: str) -> None:
    with subprocess.Popen([sys.executable, "-c", ANEW], stdout=subprocess.PIPE) as referee:
        assert referee.stdout
        assert referee.stdout.readline() == b"\n"
        assert len(marked(mark)) == 4
        referee.kill()
    wait_until(lambda: not marked(mark))


STOPPED = """
import os, signal
from lapilli.players.processes import watchdog
from lapilli.players.processes.watching import Watched

watchdog.watch("a", Watched())
os.kill(watchdog._watchdog._process.pid, signal.SIGSTOP)
for number in range(9000):
    watchdog.watch(f"a word of a certain length {number}", Watched())
os.kill(watchdog._watchdog._process.pid, signal.SIGKILL)
"""


def test_nobody_waits_for_one_that_somebody_stopped() -> None:
    subprocess.run([sys.executable, "-c", STOPPED], check=True, timeout=60)


def test_a_process_with_bots_ends_quietly(mark: str) -> None:
    code = "from lapilli.players.bots.process import BotProcess as B; bot = B('sleep 60', 0); bot.start(); bot.close()"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
    assert not marked(mark)
