"""Chooses where a training's matches are played: in processes on this machine, or on the machines of a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lapilli.core.errors import LapilliError
from lapilli.envs.training.training import Play
from lapilli.workers.call_pool import CallPool


@contextmanager
def players(jobs: int | None, ray: str | None = None) -> Iterator[Play]:
    """Yields a function that plays the matches of a training, see `Play`. Its processes end at the end of the `with`
    block.

    Args:
        jobs: number of processes on this machine that play at the same time; None or 1 to play in this process.
        ray: address of a Ray cluster that plays the matches; None for this machine.

    Raises:
        LapilliError: both arguments are set, Ray is not installed, or the cluster is out of reach.
    """
    if ray is not None:
        if jobs is not None:
            raise LapilliError("a Ray cluster plays as many matches at once as it has cores for: omit jobs")
        from lapilli.envs.training.cluster_players import cluster_players

        with cluster_players(ray) as play:
            yield play
    elif jobs is None or jobs == 1:
        yield map
    else:
        with _processes(jobs) as play:
            yield play


@contextmanager
def _processes(jobs: int) -> Iterator[Play]:
    pool = CallPool(jobs)
    try:
        yield pool.map
    finally:
        pool.close()
