"""Plays a training's matches in processes on this machine, or on the machines of a cluster."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

from lapilli.core.errors import LapilliError
from lapilli.envs.training import Play
from lapilli.workers.parent_watch import follow_parent


@contextmanager
def players(jobs: int | None, ray: str | None = None) -> Iterator[Play]:
    """Yields a function like `map` that plays matches.

    Args:
        jobs: number of matches at once on this machine; by default one, in this process. All processes end with the
            block.
        ray: address of a Ray cluster that plays instead; None for this machine.

    Raises:
        LapilliError: both arguments are given; or as for `cluster_players`.
    """
    if ray is not None:
        if jobs is not None:
            raise LapilliError("how many matches a Ray cluster plays at once is said by its cores: leave jobs out")
        from lapilli.envs.rayplayers import cluster_players

        with cluster_players(ray) as play:
            yield play
    elif jobs is None or jobs == 1:
        yield map
    else:
        with _processes(jobs) as play:
            yield play


@contextmanager
def _processes(jobs: int) -> Iterator[Play]:
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=follow_parent)
    try:
        yield pool.map
    except BaseException:
        for process in _children(pool):
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _children(pool: Any) -> list[Any]:
    return list((pool._processes or {}).values())
