"""How a worker process of `multiprocessing` settles in: it lives as long as the process that started it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading


def follow_parent(niceness: int = 0) -> None:
    """From now on this worker leaves Ctrl-C to whoever started it, ends with that process however it ended, even
    killed, and yields to others by so much."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if niceness:
        os.nice(niceness)
    threading.Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(0)
