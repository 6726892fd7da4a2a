"""Processes that play a training's matches."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

from lapilli.envs.training import Play


@contextmanager
def players(jobs: int) -> Iterator[Play]:
    """Where matches are played, so many at once; with one job in this process. At the end no process is left."""
    if jobs == 1:
        yield map
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin)
    try:
        yield pool.map
    except BaseException:
        for process in list(_processes(pool)):
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _processes(pool: Any) -> list[Any]:
    return list((pool._processes or {}).values())


def _begin() -> None:
    """Ctrl-C is for the process that started this one; when that is gone, even killed, this one goes, too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
