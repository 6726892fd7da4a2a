"""Parent watch: ends a worker process of `multiprocessing` as soon as its parent process has ended."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading


def follow_parent(niceness: int = 0) -> None:
    """Makes this worker process end as soon as its parent process has ended, even if the parent was killed.

    Also makes this process ignore Ctrl-C, and lowers its priority.

    Args:
        niceness: number by which to lower this process's priority, as for `os.nice`.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if niceness:
        os.nice(niceness)
    threading.Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(0)
