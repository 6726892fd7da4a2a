"""Several threads for one search: the range of the setting `threads`, the free cores, and how the threads are run."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from threading import Thread

from lapilli.core.content.levels import SettingRange

MOST = 64
"""Greatest number of threads of a search."""
THREADS = SettingRange(1, MOST, whole=True)
"""Range of the setting `threads`."""
_MOST_FREE = 8
"""Greatest number of threads of an analysis, unless the user sets a number. Nobody has measured the gain from more."""


def cores() -> int:
    """Returns the number of cores that this process may use; where that is not known, the number of all cores."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def free_threads(busy: float | None = None) -> int:
    """Returns the number of threads for an analysis: the cores that this process may use, minus the busy ones.

    The number is at least 1 and at most _MOST_FREE. `busy`: number of busy cores; None for the machine's load of the
    last minute.
    """
    if busy is None:
        busy, _, _ = os.getloadavg()
    return max(1, min(_MOST_FREE, cores() - round(busy)))


def run_in_threads(calls: Sequence[Callable[[], None]], stop: Callable[[], None]) -> None:
    """Runs the first call in this thread and each other call in a new thread. Returns when all calls have ended.

    If the first call raises an exception, or the user presses Ctrl-C, ends the other calls and raises the exception. An
    exception in another call is raised when all calls have ended.

    Args:
        calls: the calls. Each spends most of its time in kernels that release the GIL.
        stop: makes all calls return soon. Any thread may call it, more than once.
    """
    problems: list[BaseException] = []

    def run(call: Callable[[], None]) -> None:
        try:
            call()
        except BaseException as problem:
            problems.append(problem)
            stop()

    started: list[Thread] = []
    try:
        for call in calls[1:]:
            thread = Thread(target=run, args=(call,), name="search")
            thread.start()
            started.append(thread)
        calls[0]()
        for thread in started:
            thread.join()
    except BaseException:
        stop()
        for thread in started:
            thread.join()
        raise
    if problems:
        raise problems[0]
