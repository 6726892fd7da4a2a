"""Freezing a bot between its questions, so that it computes in nobody else's time.

With a control group of version 2 all of a bot is frozen by one write. Without, the processes of its tree are stopped
and continued by signals, which they cannot catch. Out of the signals' reach is what left the tree, as a daemon does
whose parent is gone (in the sandbox there is no way out of the tree), and processes that do nothing but wake each other
may keep each other awake. Where there is no /proc (macOS), only the bot's process group is stopped.

A program can tell: its clocks have gone on, and a few system calls, like epoll_wait, fail with EINTR. After signals it
also gets SIGCONT, which does nothing unless it has a handler for it, and what it had stopped itself goes on, too.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from lapilli.players.processes.cgroups import Group
from lapilli.players.processes.reaper import contents, send, stat_of

_PATIENCE_S = 0.002
"""How long to look again for processes that still run; one whose system call cannot be interrupted stops after that."""
_AT_MOST_S = 0.05
"""What a bot with a great many processes may cost us; the rest of them go on."""
_DEAD = b"ZX"
_STOPPED = b"Tt"


class _Process(NamedTuple):
    """A process as it was looked at.

    Attributes:
        pid: its number.
        began: when it began, which no later one of that number has.
        group: its process group.
        states: of its threads, in letters.
        children: the numbers of its children when it was in these states, or after.
    """

    pid: int
    began: bytes
    group: int
    states: bytes
    children: tuple[int, ...]


class Freezer:
    """Freezes one bot, with all that it started.

    Freezing one that is frozen, or thawing one that is not, changes nothing. What is frozen can be killed as ever.

    Args:
        process: the number of its process, the leader of its group; not to be reaped while this is used.
        group: its control group, if it has one.
    """

    def __init__(self, process: int, group: Group | None = None) -> None:
        self._process = process
        self._group = group if group and group.can_freeze else None
        self._stopped: dict[int, _Process] = {}

    def freeze(self) -> None:
        """Lets none of its processes go on. Does not raise; takes some milliseconds at most, mostly far less."""
        if self._group:
            with suppress(OSError):  # the group is gone, and with it the bot
                self._group.freeze()
            return
        began = time.perf_counter()
        dead: set[int] = set()
        while not self._stop(dead, began + _AT_MOST_S) and time.perf_counter() < began + _PATIENCE_S:
            time.sleep(0)

    def thaw(self) -> None:
        """Lets them go on. Does not raise."""
        if self._group:
            with suppress(OSError):
                self._group.thaw()
            return
        self._signal_group(signal.SIGCONT)
        for one in self._stopped.values():
            send(one.pid, signal.SIGCONT, partial(_is_still, one))
        self._stopped.clear()

    def _stop(self, dead: set[int], give_up: float) -> bool:
        """Stops what runs of the tree. True if nothing did: then nothing of it can have started anything unseen.

        Args:
            dead: processes that are known to have ended. One that has since the tree was looked at last may have left a
                child to somebody who was looked at before that.
            give_up: when to.
        """
        self._signal_group(signal.SIGSTOP)
        none_ran = True
        queue = [self._process]
        for pid in queue:
            process = _look_at(pid)
            if not process or not process.states.strip(_DEAD):
                none_ran &= pid in dead
                dead.add(pid)
                continue
            halted = not process.states.strip(_DEAD + _STOPPED)
            if process.group != self._process:  # those in it are stopped and continued together
                self._stopped[pid] = process
                if not halted:
                    send(pid, signal.SIGSTOP, partial(_is_still, process))
            none_ran &= halted
            queue += process.children
            if time.perf_counter() > give_up:
                return True
        return none_ran

    def _signal_group(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process, number)


def _look_at(pid: int) -> _Process | None:
    """What a process does, and then its children; None if it is gone."""
    stat = stat_of(pid)
    if not stat:
        return None
    states, children = b"", list[int]()
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            its = stat if task == str(pid) else stat_of(f"{pid}/task/{task}")
            states += its[0] if its else b""
            children += map(int, (contents(f"/proc/{pid}/task/{task}/children") or b"").split())
    return _Process(pid, stat[19], int(stat[2]), states, tuple(children))


def _is_still(process: _Process) -> bool:
    stat = stat_of(process.pid)
    return bool(stat) and stat[19] == process.began
