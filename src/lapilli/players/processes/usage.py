"""Measures how much CPU time a bot used for an answer, and how long it waited for a processor, as Linux reports it.

A bot is judged by its time without such waits (docs/fairness.md). Linux reports the CPU time of a process in
nanoseconds, even while the process runs. For a thread, Linux also reports how long the thread was ready to run but had
no processor (/proc/PID/task/TID/schedstat). It reports a wait only after the thread has got a processor.

For a quick answer, only the bot's main thread is measured, with one system call before the answer and one after it. For
a longer answer, all processes and threads of the bot are measured. This measurement is called a survey.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from lapilli.players.processes.procfs import children_of, contents, stat_of, tree_of

SURVEY_AFTER_MS = 2.0
"""Time after the question at which the first survey is made, in milliseconds."""
_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
_LINE = 80
"""Greatest length of a file schedstat in /proc, in bytes. The file contains three numbers."""
_BUSY_SHARE = 0.5
"""The bot is assumed to have had a processor in an interval if its CPU time is more than this share of the interval.
"""


class Usage(NamedTuple):
    """CPU time that a bot used for an answer, and its wait for a processor. A time that is not known is None.

    Attributes:
        cpu_ms: CPU time of all the bot's processes and threads, in milliseconds.
        waited_ms: time for which other programs kept the bot from running, in milliseconds. This is the longest wait of
            one of the bot's threads for a processor, minus the time in which the bot's other threads may have used that
            processor.
        busiest_ms: CPU time of the bot's busiest thread, in milliseconds.
    """

    cpu_ms: float | None = None
    waited_ms: float | None = None
    busiest_ms: float = 0.0


UNKNOWN = Usage()
"""The Usage of an answer that was not measured."""


class _Thread(NamedTuple):
    """CPU time of a thread since its start, and the time for which it waited for a processor, in nanoseconds."""

    run_ns: int
    wait_ns: int


def _parse_schedstat(schedstat: bytes) -> _Thread:
    """Parses the contents of a thread's file schedstat. Raises ValueError if they are empty."""
    run, wait, _ = schedstat.split()
    return _Thread(int(run), int(wait))


class _Survey(NamedTuple):
    """CPU and waiting times of all processes and threads of a bot, from the start of each until the survey.

    Attributes:
        cpu_ns: CPU time of each process, including that of its reaped children, in nanoseconds, by process id.
        threads: the times of each thread, by thread id.
    """

    cpu_ns: dict[int, int]
    threads: dict[int, _Thread]


def can_measure() -> bool:
    """Returns whether this system reports the CPU and waiting times of processes."""
    return hasattr(os, "sched_getscheduler") and os.path.exists("/proc/self/schedstat")


def own_wait_ms() -> float:
    """Returns the time that the calling thread has waited for a processor since its start, in milliseconds.

    Returns 0 where the system does not report it.
    """
    try:
        return _parse_schedstat(contents("/proc/thread-self/schedstat") or b"").wait_ns / 1e6
    except ValueError:
        return 0.0


class Meter:
    """Measures the processes of one bot, answer by answer.

    Args:
        pid: id of the process that was started for the bot. The descendants of this process are measured, too.
    """

    def __init__(self, pid: int) -> None:
        self._root = pid
        self._main = 0
        self._fd = -1
        self._schedstat_before = b""
        self._known = False
        self._before: _Survey | None = None
        self._last_cpu_ns = 0
        self._last_read = 0.0

    @property
    def surveyed(self) -> bool:
        """Whether `survey` was called for the current answer already, or cannot help because no times are known."""
        return self._before is not None or not self._known

    def start(self) -> None:
        """Starts the measurement of an answer, just before the question is sent."""
        self._before = None
        if self._fd < 0:
            self._find_main()
        try:
            self._schedstat_before = os.pread(self._fd, _LINE, 0)
            self._known = True
        except OSError:  # the process has ended, or this system does not report its times
            self._known = False

    def survey(self) -> None:
        """Makes the first survey for the current answer. Called if the answer takes longer than SURVEY_AFTER_MS."""
        self._before = before = self._read_survey()
        self._last_cpu_ns = sum(before.cpu_ns.values())
        if self._main in before.threads:  # the main thread's times when the question was sent are known
            first = _parse_schedstat(self._schedstat_before)
            before.cpu_ns[self._main] -= before.threads[self._main].run_ns - first.run_ns
            before.threads[self._main] = first
        self._last_read = time.perf_counter()

    def stop(self) -> Usage:
        """Ends the measurement, and returns the times of the answer."""
        if not self._known:
            return UNKNOWN
        if self._before is not None:
            return self._usage_since_start(self._read_survey())
        try:
            run, wait, _ = os.pread(self._fd, _LINE, 0).split()
        except (OSError, ValueError):  # the process has ended
            return UNKNOWN
        run_before, wait_before, _ = self._schedstat_before.split()
        ran_ms = (int(run) - int(run_before)) / 1e6
        return Usage(ran_ms, (int(wait) - int(wait_before)) / 1e6, ran_ms)

    def cpu_ms(self) -> float:
        """Returns the CPU time of the answer so far, in milliseconds; 0 before `survey` was called for the answer."""
        return self._usage_since_start(self._read_survey()).cpu_ms or 0.0 if self._before is not None else 0.0

    def waiting(self) -> tuple[Usage, bool]:
        """Returns the times of the answer so far, and whether the bot waits for a processor now.

        Call `survey` first, and then this method repeatedly. A wait that is not over is not part of the waiting time.
        """
        if self._before is None:
            return UNKNOWN, False
        survey, now = self._read_survey(), time.perf_counter()
        cpu_ns = sum(survey.cpu_ns.values())
        had_processor = cpu_ns - self._last_cpu_ns > _BUSY_SHARE * 1e9 * (now - self._last_read)
        self._last_cpu_ns, self._last_read = cpu_ns, now
        waits = not had_processor and any(self._is_ready(thread) for thread in survey.threads)
        return self._usage_since_start(survey), waits

    def close(self) -> None:
        """Closes the meter's descriptor. A second call does nothing."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        self._known = False

    # -- surveys ------------------------------------------------------------------------------------------
    def _find_main(self) -> None:
        """Finds the main process of the bot, and opens that process's file schedstat.

        In a sandbox, the launcher's own processes come before the bot, and each has one child. The last process of this
        chain is the bot's main process.
        """
        pid = self._root
        while len(children := children_of(pid)) == 1:
            pid = children[0]
        self._main = pid
        with suppress(OSError):
            self._fd = os.open(f"/proc/{pid}/schedstat", os.O_RDONLY)

    def _read_survey(self) -> _Survey:
        cpu_ns: dict[int, int] = {}
        threads: dict[int, _Thread] = {}
        for pid in tree_of(self._root):
            with suppress(OSError, ValueError):
                cpu_ns[pid] = time.clock_gettime_ns(_clock_of(pid)) + _children_cpu_ns(pid)
                for thread in map(int, os.listdir(f"/proc/{pid}/task")):
                    threads[thread] = _parse_schedstat(contents(f"/proc/{pid}/task/{thread}/schedstat") or b"")
        return _Survey(cpu_ns, threads)

    def _usage_since_start(self, now: _Survey) -> Usage:
        """Returns the times of the answer between its first survey and the survey `now`."""
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
        return Usage(cpu_ns / 1e6, self._longest_wait(waits) / 1e6, busiest_ns / 1e6)

    def _longest_wait(self, waits: Iterable[tuple[int, int]]) -> int:
        """Returns the longest wait that other programs caused, in nanoseconds; 0 if they caused none.

        Args:
            waits: pairs of a waiting time, in nanoseconds, and the id of the thread that waited.
        """
        for wait_ns, thread in sorted(waits, reverse=True):
            if wait_ns <= 0:
                break
            if self._takes_its_share(thread):
                return wait_ns
        return 0

    def _takes_its_share(self, thread: int) -> bool:
        """Returns whether a thread has the normal scheduling policy, and at least the priority of this process.

        If not, it is the bot's own fault that the thread waits.
        """
        try:
            return (
                os.getpriority(os.PRIO_PROCESS, thread) <= os.getpriority(os.PRIO_PROCESS, 0)
                and os.sched_getscheduler(thread) == os.SCHED_OTHER
            )
        except OSError:
            return False

    def _is_ready(self, thread: int) -> bool:
        """Returns whether a thread runs or waits for a processor. False if its waits are the bot's own fault."""
        stat = stat_of(thread)
        return bool(stat) and stat[0] == b"R" and self._takes_its_share(thread)


def _clock_of(pid: int) -> int:
    """Returns the id of the clock that measures a process's CPU time. (The C function clock_getcpuclockid does the
    same.)

    This clock includes the time of threads that have ended.
    """
    return (~pid << 3) | 2


def _children_cpu_ns(pid: int) -> int:
    """Returns the CPU time of the children that a process has reaped, in nanoseconds, as exactly as the system reports
    it: in clock ticks, usually hundredths of a second.
    """
    stat = stat_of(pid)
    return (int(stat[13]) + int(stat[14])) * _TICK_NS if stat else 0
