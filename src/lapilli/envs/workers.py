"""Processes that play a training's matches."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

from lapilli.envs.training import Play
from lapilli.players.following import follow_parent


@contextmanager
def players(jobs: int) -> Iterator[Play]:
    """Where matches are played, so many at once; with one job in this process. At the end no process is left."""
    if jobs == 1:
        yield map
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=follow_parent)
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
