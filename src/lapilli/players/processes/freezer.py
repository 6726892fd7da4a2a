"""Freezes a bot between its questions, so that the bot cannot compute in the other players' time.

With a control group of version 2, one write to a file freezes all processes of a bot. Without such a group, signals
stop and continue the bot's process and its descendants one by one. No process can ignore the signal that stops it. But
the signals do not reach a process that is no longer in the bot's tree, such as a daemon whose parent has ended. (In the
sandbox, no process can leave the tree.) Processes that constantly continue each other may also keep running. Without
/proc, as on macOS, only the bot's process group is stopped.

A program can notice that it was frozen: its clocks have moved on, and a few system calls, such as epoll_wait, fail with
EINTR. If it was frozen by signals, it also receives SIGCONT, which has no effect unless the program handles it. In
addition, child processes that the program itself had stopped are continued.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from lapilli.players.processes.cgroups import Group
from lapilli.players.processes.procfs import contents, stat_of
from lapilli.players.processes.reaper import send

_RETRY_S = 0.002
"""Time for repeated attempts to stop all processes of a bot, in seconds. Some processes may run on for longer: in an
uninterruptible system call, a process stops only at the end of that call.
"""
_LONGEST_S = 0.05
"""Time limit of one attempt, in seconds. If a bot has too many processes for this time, those not reached keep running.
"""
_DEAD = b"ZX"
"""States of a process or thread that has ended."""
_STOPPED = b"Tt"
"""States of a process or thread that is stopped."""


class _Process(NamedTuple):
    """A snapshot of one process.

    Attributes:
        pid: process id.
        began: start time, which distinguishes the process from a later process with the same id.
        group: number of the process group that the process belongs to.
        states: states of the process's threads, one letter for each, as in /proc/PID/stat.
        children: process ids of the child processes, read after the states.
    """

    pid: int
    began: bytes
    group: int
    states: bytes
    children: tuple[int, ...]


class Freezer:
    """Freezes and thaws one bot with all its descendants.

    Freezing a frozen bot changes nothing, and neither does thawing a running bot. A frozen bot can still be killed.

    Args:
        process: id of the bot's process, which leads a process group. Do not reap this process while the freezer is
            used.
        group: the bot's control group; None if there is none.
    """

    def __init__(self, process: int, group: Group | None = None) -> None:
        self._process = process
        self._group = group if group and group.can_freeze else None
        self._stopped: dict[int, _Process] = {}

    def freeze(self) -> None:
        """Pauses all processes of the bot, in a few milliseconds at most. Never raises an exception."""
        if self._group:
            with suppress(OSError):  # the group was removed: the bot has ended
                self._group.freeze()
            return
        start = time.perf_counter()
        dead: set[int] = set()
        while not self._stop(dead, start + _LONGEST_S) and time.perf_counter() < start + _RETRY_S:
            time.sleep(0)

    def thaw(self) -> None:
        """Resumes all processes of the bot. Never raises an exception."""
        if self._group:
            with suppress(OSError):
                self._group.thaw()
            return
        self._signal_group(signal.SIGCONT)
        for process in self._stopped.values():
            send(process.pid, signal.SIGCONT, partial(_is_still, process))
        self._stopped.clear()

    def _stop(self, dead: set[int], give_up: float) -> bool:
        """Makes one attempt to stop the bot's process and all its descendants by signals.

        Args:
            dead: ids of the processes found ended in earlier attempts. If this method finds a further ended process, it
                adds the process, and returns False, because another attempt is needed: the children of an ended process
                get a new parent, and this method may have read the children of that parent before.
            give_up: time of `perf_counter` after which the method gives up and returns True.

        Returns:
            True if no process was running any more when the method looked at it. So none can have started a child that
            the method did not see.
        """
        self._signal_group(signal.SIGSTOP)
        none_ran = True
        queue = [self._process]
        for pid in queue:
            process = _snapshot(pid)
            if not process or not process.states.strip(_DEAD):
                none_ran &= pid in dead
                dead.add(pid)
                continue
            halted = not process.states.strip(_DEAD + _STOPPED)
            if process.group != self._process:  # processes in the group are stopped and continued together
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


def _snapshot(pid: int) -> _Process | None:
    """Returns a snapshot of a process; None if the process has ended."""
    stat = stat_of(pid)
    if not stat:
        return None
    states, children = b"", list[int]()
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            thread_stat = stat if task == str(pid) else stat_of(f"{pid}/task/{task}")
            states += thread_stat[0] if thread_stat else b""
            children += map(int, (contents(f"/proc/{pid}/task/{task}/children") or b"").split())
    return _Process(pid, stat[19], int(stat[2]), states, tuple(children))


def _is_still(process: _Process) -> bool:
    """Returns whether the process of a snapshot still exists, and its id does not belong to another process by now."""
    stat = stat_of(process.pid)
    return bool(stat) and stat[19] == process.began
