"""CPU time of a bot's answer, and the time that the bot waited for a processor, as Linux reports them.

A bot is judged by its own time (docs/fairness.md). Its CPU time is known to the nanosecond, also while it runs. How
long one of its threads was ready to run but had no processor is reported only once it has got one
(/proc/PID/task/TID/schedstat).

A quick answer is measured at the bot's main thread alone, by one system call before and one after it. A longer answer
is measured over all processes and threads.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from lapilli.players.processes.reaper import children_of, contents, stat_of, tree_of

SURVEY_AFTER_MS = 2.0
"""Time after which an answer is measured over all processes and threads."""
_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
_LINE = 80
"""Maximum length of a schedstat, which holds three numbers, in bytes."""
_BUSY_SHARE = 0.5
"""Share of an interval that a bot must have computed to count as having had a processor."""


class Usage(NamedTuple):
    """Resources that an answer used; None where the system does not report them.

    Attributes:
        cpu_ms: CPU time of all the bot's processes and threads, in milliseconds.
        waited_ms: how long others kept the bot from running, in milliseconds: the longest wait of one of its threads
            for a processor, minus the time for which the bot's own other threads may have caused it.
        busiest_ms: CPU time of the thread that used most, in milliseconds.
    """

    cpu_ms: float | None = None
    waited_ms: float | None = None
    busiest_ms: float = 0.0


UNKNOWN = Usage()


class _Thread(NamedTuple):
    run_ns: int
    wait_ns: int


def _told(schedstat: bytes) -> _Thread:
    """Parses a thread's schedstat. Raises ValueError if it is empty."""
    run, wait, _ = schedstat.split()
    return _Thread(int(run), int(wait))


class _Survey(NamedTuple):
    """All processes and threads of a bot at one moment."""

    cpu_ns: dict[int, int]
    """CPU time in nanoseconds by process, that of its ended children included."""
    threads: dict[int, _Thread]


def can_measure() -> bool:
    """Returns whether this system reports what is measured here."""
    return hasattr(os, "sched_getscheduler") and os.path.exists("/proc/self/schedstat")


def own_wait_ms() -> float:
    """Returns how long this thread of ours has waited for a processor in its life, in milliseconds."""
    try:
        return _told(contents("/proc/thread-self/schedstat") or b"").wait_ns / 1e6
    except ValueError:
        return 0.0


class Meter:
    """A meter for the processes of one bot, answer by answer.

    Args:
        pid: the process that was started for the bot; its descendants are measured, too.
    """

    def __init__(self, pid: int) -> None:
        self._root = pid
        self._main = 0
        self._fd = -1
        self._begun = b""
        self._known = False
        self._before: _Survey | None = None
        self._last_cpu_ns = 0
        self._last_look = 0.0

    @property
    def surveyed(self) -> bool:
        """Whether `survey` has been called for this answer, or would be useless."""
        return self._before is not None or not self._known

    def start(self) -> None:
        """Starts the measurement: a question is about to be sent."""
        self._before = None
        if self._fd < 0:
            self._find_main()
        try:
            self._begun = os.pread(self._fd, _LINE, 0)
            self._known = True
        except OSError:  # it has ended, or this system does not report it
            self._known = False

    def survey(self) -> None:
        """Measures all processes and threads from now on, because the answer takes longer."""
        self._before = before = self._look()
        self._last_cpu_ns = sum(before.cpu_ns.values())
        if self._main in before.threads:  # of this one the times at the question are known
            begun = _told(self._begun)
            before.cpu_ns[self._main] -= before.threads[self._main].run_ns - begun.run_ns
            before.threads[self._main] = begun
        self._last_look = time.perf_counter()

    def stop(self) -> Usage:
        """Ends the measurement and returns the resources that the answer used."""
        if not self._known:
            return UNKNOWN
        if self._before is not None:
            return self._since(self._look())
        try:
            run, wait, _ = os.pread(self._fd, _LINE, 0).split()
        except (OSError, ValueError):  # it has ended
            return UNKNOWN
        run_before, wait_before, _ = self._begun.split()
        ran_ms = (int(run) - int(run_before)) / 1e6
        return Usage(ran_ms, (int(wait) - int(wait_before)) / 1e6, ran_ms)

    def cpu_ms(self) -> float:
        """Returns the CPU time so far, in milliseconds; 0 where the system does not report it. Call `survey` first."""
        return self._since(self._look()).cpu_ms or 0.0 if self._before is not None else 0.0

    def waiting(self) -> tuple[Usage, bool]:
        """Returns the resources used so far, as far as they have been reported, and whether the bot waits for a
        processor now.

        Call `survey` first, and then this repeatedly.
        """
        if self._before is None:
            return UNKNOWN, False
        look, now = self._look(), time.perf_counter()
        cpu_ns = sum(look.cpu_ns.values())
        had_processor = cpu_ns - self._last_cpu_ns > _BUSY_SHARE * 1e9 * (now - self._last_look)
        self._last_cpu_ns, self._last_look = cpu_ns, now
        waits = not had_processor and any(self._is_ready(thread) for thread in look.threads)
        return self._since(look), waits

    def close(self) -> None:
        """Closes its descriptor; a second call does nothing."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        self._known = False

    # -- looking ------------------------------------------------------------------------------------------
    def _find_main(self) -> None:
        """Finds the bot's main process: a launcher's own processes have one child each, and the last of the chain is
        the bot.
        """
        pid = self._root
        while len(children := children_of(pid)) == 1:
            pid = children[0]
        self._main = pid
        with suppress(OSError):
            self._fd = os.open(f"/proc/{pid}/schedstat", os.O_RDONLY)

    def _look(self) -> _Survey:
        cpu_ns: dict[int, int] = {}
        threads: dict[int, _Thread] = {}
        for pid in tree_of(self._root):
            with suppress(OSError, ValueError):
                cpu_ns[pid] = time.clock_gettime_ns(_clock_of(pid)) + _of_ended_children(pid)
                for thread in map(int, os.listdir(f"/proc/{pid}/task")):
                    threads[thread] = _told(contents(f"/proc/{pid}/task/{thread}/schedstat") or b"")
        return _Survey(cpu_ns, threads)

    def _since(self, now: _Survey) -> Usage:
        """Returns the resources used between the earlier survey and this one."""
        before = self._before
        assert before is not None
        cpu_ns = sum(used - before.cpu_ns.get(pid, 0) for pid, used in now.cpu_ns.items())
        active = {}
        for thread, (run_ns, wait_ns) in now.threads.items():
            first = before.threads.get(thread, _Thread(0, 0))
            if (run_ns, wait_ns) != first:
                active[thread] = _Thread(run_ns - first.run_ns, wait_ns - first.wait_ns)
        waits = []
        for thread, (run_ns, wait_ns) in active.items():
            kept_by_own_ns = max(cpu_ns - run_ns, 0) if len(active) > 1 else 0
            waits.append((wait_ns - kept_by_own_ns, thread))
        busiest_ns = max((thread.run_ns for thread in active.values()), default=0)
        return Usage(cpu_ns / 1e6, self._longest(waits) / 1e6, busiest_ns / 1e6)

    def _longest(self, waits: Iterable[tuple[int, int]]) -> int:
        """Returns the longest of these waits that others caused, in nanoseconds; 0 for none."""
        for wait_ns, thread in sorted(waits, reverse=True):
            if wait_ns <= 0:
                break
            if self._takes_its_share(thread):
                return wait_ns
        return 0

    def _takes_its_share(self, thread: int) -> bool:
        """Returns whether a thread has normal scheduling and at least this process's priority; otherwise it causes its
        waits itself.
        """
        try:
            return (
                os.getpriority(os.PRIO_PROCESS, thread) <= os.getpriority(os.PRIO_PROCESS, 0)
                and os.sched_getscheduler(thread) == os.SCHED_OTHER
            )
        except OSError:
            return False

    def _is_ready(self, thread: int) -> bool:
        """Returns whether a thread would run if it had a processor."""
        stat = stat_of(thread)
        return bool(stat) and stat[0] == b"R" and self._takes_its_share(thread)


def _clock_of(pid: int) -> int:
    """Returns the clock of a process's CPU time, ended threads included, as clock_getcpuclockid does."""
    return (~pid << 3) | 2


def _of_ended_children(pid: int) -> int:
    """Returns the CPU time, in nanoseconds, of the children that a process has reaped; the system reports it in
    hundredths of a second.
    """
    stat = stat_of(pid)
    return (int(stat[13]) + int(stat[14])) * _TICK_NS if stat else 0
