"""Whatever a test does with bots, nothing may be left behind."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from lapilli.players import PlayerSpec
from lapilli.players.bots.process import BotProcess
from lapilli.players.processes.cgroups import hierarchies
from lapilli.players.sandbox.sandbox import launcher_for, why_no_sandbox

MARK = "LAPILLI_TEST_MARK"
"""Every bot of a test inherits it: found without the means that the code under test has."""


def marked(mark: str) -> list[str]:
    """Living processes whose environment holds `mark`, and that are not ours to keep."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append(f"{folder.name} {(folder / 'cmdline').read_bytes()!r}")
        except OSError:
            continue
    return found


def running(word: str) -> list[str]:
    """The numbers of processes with a word in their command lines."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word.encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            continue
    return found


def is_running(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def children_of(pid: int) -> list[int]:
    """The numbers of a process's children, of all its threads."""
    return [int(child) for file in Path(f"/proc/{pid}/task").glob("*/children") for child in file.read_text().split()]


def open_descriptors() -> int:
    return len(os.listdir("/dev/fd"))


def need_sandbox() -> None:
    """Skips where bots cannot be locked in, but not in CI."""
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
    """Skips where control groups cannot freeze, as in most containers."""
    if not any("cgroup.freeze" in place.files for place in hierarchies()):
        pytest.skip("no control group can be made here that freezes")


@pytest.fixture(autouse=True, scope="module")
def nothing_is_left_of_others() -> None:
    """Descriptors that tests of other files have left for the garbage collector go now, not in the midst of a test."""
    gc.collect()


@pytest.fixture(autouse=True, scope="session")
def first_bot() -> None:
    """What starts with the first bot stays: no test shall be the one that leaves it behind."""
    bot = PlayerSpec(command=(sys.executable, "-c", ""))
    with BotProcess(bot, 0, launcher_for(bot)) as process:
        process.start()


@pytest.fixture(autouse=True)
def mark(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Asserts that no process, no descriptor and no thread is left behind."""
    value = uuid4().hex
    monkeypatch.setenv(MARK, value)
    descriptors, threads = open_descriptors(), threading.active_count()
    family = set(children())
    yield value
    assert marked(value) == []
    assert open_descriptors() == descriptors
    assert threading.active_count() == threads
    assert set(children()) <= family, "a child was not reaped"


def children() -> list[int]:
    """Our own children, zombies too."""
    try:
        return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
    except OSError:
        return []


def wait_until(condition: Callable[[], object], seconds: float = 2.0) -> None:
    """Waits for `condition()` to hold."""
    give_up = time.perf_counter() + seconds
    while not condition():
        assert time.perf_counter() < give_up
        time.sleep(0.002)
