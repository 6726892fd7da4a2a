"""Fixtures of the tests of bots. They assert that no test leaves processes, descriptors or threads."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest

from lapilli.players import PlayerSpec
from lapilli.players.bots.process import BotProcess
from lapilli.players.processes.cgroups import hierarchies
from lapilli.players.sandbox.sandbox import launcher_for, why_no_sandbox

MARK = "LAPILLI_TEST_MARK"
"""Environment variable of every bot in a test. It finds processes without the code under test."""


def marked(mark: str) -> list[str]:
    """Returns descriptions of the living processes whose environment contains `mark`."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append(f"{folder.name} {(folder / 'cmdline').read_bytes()!r}")
        except OSError:
            continue
    return found


def running(word: str) -> list[str]:
    """Returns the numbers of the processes whose command lines contain `word`."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word.encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            continue
    return found


def is_running(pid: int) -> bool:
    """Returns whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def children_of(pid: int) -> list[int]:
    """Returns the numbers of the child processes of all threads of a process."""
    return [int(child) for file in Path(f"/proc/{pid}/task").glob("*/children") for child in file.read_text().split()]


def open_descriptors() -> set[tuple[str, str]]:
    """The descriptors of this process, each with what it is open for."""
    found = set()
    for number in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # the one by which they are listed
            found.add((number, os.readlink(f"/proc/self/fd/{number}")))
    return found


def need_sandbox() -> None:
    """Skips the test if no sandbox works on this machine. In CI, the test fails instead."""
    trouble = why_no_sandbox()
    if trouble:
        if os.environ.get("CI"):
            pytest.fail(f"{trouble}: .ci/run installs it")
        pytest.skip(trouble)


@pytest.fixture
def needs_sandbox() -> None:
    need_sandbox()


@pytest.fixture
def needs_freezer() -> None:
    """Skips the test if control groups cannot freeze, as in most containers."""
    if not any("cgroup.freeze" in hierarchy.files for hierarchy in hierarchies()):
        pytest.skip("no control group can be made here that freezes")


@pytest.fixture(autouse=True, scope="module")
def nothing_is_left_of_others() -> None:
    """Collects garbage before each file, so that objects of earlier tests do not close descriptors during a test."""
    gc.collect()


@pytest.fixture(autouse=True, scope="session")
def first_bot() -> None:
    """Starts a bot before all tests, so that no test seems to leave what only the first bot of a process starts."""
    bot = PlayerSpec(command=(sys.executable, "-c", ""))
    with BotProcess(bot, 0, launcher_for(bot)) as process:
        process.start()


@pytest.fixture(autouse=True)
def mark(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Asserts that the test leaves no process, descriptor or thread. Yields the value of MARK."""
    value = uuid4().hex
    monkeypatch.setenv(MARK, value)
    descriptors, threads = open_descriptors(), set(threading.enumerate())
    family = set(children())
    yield value
    assert marked(value) == []
    assert open_descriptors() <= descriptors  # what earlier tests left may be closed meanwhile
    assert set(threading.enumerate()) <= threads
    assert set(children()) <= family, "a child was not reaped"


def children() -> list[int]:
    """Returns the numbers of this thread's child processes, including zombies."""
    try:
        return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
    except OSError:
        return []


def wait_until(condition: Callable[[], object], seconds: float = 2.0) -> None:
    """Waits until `condition()` is true. Fails after `seconds`."""
    give_up = time.perf_counter() + seconds
    while not condition():
        assert time.perf_counter() < give_up
        time.sleep(0.002)
