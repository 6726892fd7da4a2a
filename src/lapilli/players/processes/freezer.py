"""Freezes a bot between its questions, so that it does not compute in the other players' time.

With a control group of version 2, one write freezes all processes of a bot. Without one, the processes of its tree are
stopped and continued by signals, which they cannot catch. Signals do not reach processes that left the tree, such as a
daemon whose parent has ended. (In the sandbox no process can leave the tree.) Processes that constantly wake each other
may stay awake. Without /proc, as on macOS, only the bot's process group is stopped.

A program can notice that it was frozen: its clocks have moved on, and a few system calls, such as epoll_wait, fail with
EINTR. After signals it also receives SIGCONT, which does nothing unless the program handles it, and child processes
that it had stopped itself continue, too.
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

_RETRY_S = 0.002
"""Time limit for repeated attempts to stop the processes that still run, in seconds. A process in an uninterruptible
system call stops later, at the end of that call.
"""
_LONGEST_S = 0.05
"""Time limit for a bot with very many processes, in seconds. The processes not reached by then keep running."""
_DEAD = b"ZX"
_STOPPED = b"Tt"


class _Process(NamedTuple):
    """A snapshot of one process.

    Attributes:
        pid: number of the process.
        began: start time, which distinguishes the process from a later one with the same number.
        group: number of its process group.
        states: states of its threads, one letter each, as in /proc/PID/stat.
        children: numbers of its child processes, read after the states.
    """

    pid: int
    began: bytes
    group: int
    states: bytes
    children: tuple[int, ...]


class Freezer:
    """Freezes and thaws one bot with all its descendants.

    Freezing a frozen bot, or thawing one that runs, changes nothing. A frozen bot can still be killed.

    Args:
        process: number of the bot's process, the leader of its process group. It must not be reaped while the freezer
            is used.
        group: the bot's control group, if it has one.
    """

    def __init__(self, process: int, group: Group | None = None) -> None:
        self._process = process
        self._group = group if group and group.can_freeze else None
        self._stopped: dict[int, _Process] = {}

    def freeze(self) -> None:
        """Pauses all processes of the bot. Does not raise. Takes some milliseconds at most, usually far less."""
        if self._group:
            with suppress(OSError):  # the group was removed: the bot has ended
                self._group.freeze()
            return
        start = time.perf_counter()
        dead: set[int] = set()
        while not self._stop(dead, start + _LONGEST_S) and time.perf_counter() < start + _RETRY_S:
            time.sleep(0)

    def thaw(self) -> None:
        """Resumes all processes of the bot. Does not raise."""
        if self._group:
            with suppress(OSError):
                self._group.thaw()
            return
        self._signal_group(signal.SIGCONT)
        for process in self._stopped.values():
            send(process.pid, signal.SIGCONT, partial(_is_still, process))
        self._stopped.clear()

    def _stop(self, dead: set[int], give_up: float) -> bool:
        """Stops all running processes of the bot's tree by signals.

        Args:
            dead: numbers of processes that are known to have ended. The method adds to it each process that it finds
                ended. It then returns False: the process may have left a child to a process whose children were
                already read, so another call is needed.
            give_up: time of `perf_counter` at which to give up and return True.

        Returns:
            True if no process was running, so that none can have started a child that this call missed.
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
    """Returns a snapshot of a process; None if it has ended."""
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
    """Returns whether the process of a snapshot still exists, and its number does not belong to another process."""
    stat = stat_of(process.pid)
    return bool(stat) and stat[19] == process.began
