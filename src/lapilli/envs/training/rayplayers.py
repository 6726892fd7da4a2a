"""Plays the matches of a training on many machines, with Ray; the weights are updated on this machine.

If a process or machine is lost, Ray plays its match again elsewhere. A match depends only on the training's seed and
its own number, so it gives the same samples wherever, and however often, it is played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from lapilli.arena.matches.raypool import check_sources, joined, sources
from lapilli.core.errors import LapilliError
from lapilli.envs.training.selfplay import Samples
from lapilli.envs.training.training import Play

_RETRIES = 3
"""Largest number of times that a match is played again because its machine was lost."""
_TICK_S = 1.0
"""Interval, in seconds, in which to check that the cluster still has a machine."""


@contextmanager
def cluster_players(address: str) -> Iterator[Play]:
    """Plays matches on the machines of a Ray cluster, as many at once as it has cores.

    Args:
        address: as for `lapilli.arena.matches.raypool.RayPool`.

    Yields:
        A function that plays matches, like `map`.

    Raises:
        LapilliError: Ray is not installed, the cluster is out of reach, or has no machine that can play. The yielded
            function raises it, too, if that happens later.
    """
    ray, ours = joined(address)

    def play(work: Callable[[int], Samples], numbers: Iterable[int]) -> list[Samples]:
        _check_machines(ray)
        task, sent = ray.remote(num_cpus=1, max_retries=_RETRIES)(_played), ray.put(work)
        return _heard_all(ray, [task.remote(sources(), sent, number) for number in numbers])

    try:
        yield play
    finally:
        if ours:
            ray.shutdown()


def _played(theirs: str, work: Callable[[int], Samples], number: int) -> Samples | str:
    """Plays a match on a machine of the cluster. Returns its samples, or an error message."""
    try:
        check_sources(theirs)
        return work(number)
    except LapilliError as error:
        return str(error)


def _heard_all(ray: Any, tasks: Sequence[Any]) -> list[Samples]:
    """Waits for all tasks, and returns their results in order.

    After an error, tasks still running are not cancelled: Ray would end the process of a task that has just finished.
    They are stopped when this process leaves the cluster.
    """
    found: dict[Any, Samples] = {}
    waiting = list(tasks)
    while waiting:
        done, waiting = ray.wait(waiting, num_returns=1, timeout=_TICK_S)
        found.update((task, _heard(ray, task)) for task in done)
        if not done:
            _check_machines(ray)
    return [found[task] for task in tasks]


def _heard(ray: Any, task: Any) -> Samples:
    errors = ray.exceptions
    try:
        result = ray.get(task)
    except errors.RayTaskError as error:  # something is missing on that machine, or another error
        raise LapilliError(f"a machine of the Ray cluster cannot play: {error.cause}") from None
    except errors.RayError as error:
        raise LapilliError(
            f"{_RETRIES + 1} machines were lost one after the other ({type(error).__name__}); the same command goes on"
        ) from None
    if isinstance(result, str):
        raise LapilliError(result)
    assert isinstance(result, Samples)
    return result


def _check_machines(ray: Any) -> None:
    if not any(node["Alive"] and node["Resources"].get("CPU", 0.0) >= 1 for node in ray.nodes()):
        raise LapilliError(
            "no machine of the Ray cluster has a core to play on; once one has, the same command goes on"
        )
