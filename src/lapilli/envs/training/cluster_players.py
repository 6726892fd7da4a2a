"""Plays the matches of a training on the machines of a Ray cluster. The weights are updated on this machine.

If a process or a machine fails, Ray plays the match again elsewhere. The samples of a match depend only on the
training's weights and settings and on the number of the match, so they are the same each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from lapilli.core.errors import LapilliError, OutOfResources
from lapilli.envs.training.selfplay import Samples
from lapilli.envs.training.training import Play
from lapilli.workers.ray_pool import RayPool

_TICK_S = 1.0
"""Interval between checks whether the cluster still has a machine to play on, in seconds."""


@contextmanager
def cluster_players(address: str) -> Iterator[Play]:
    """Connects to a Ray cluster, which then plays matches, for the duration of a `with` block.

    The cluster plays as many matches at once as it has cores.

    Args:
        address: address of the cluster, as `RayPool` takes it.

    Yields:
        A function that plays matches on the cluster, see `Play`.

    Raises:
        LapilliError: Ray is not installed, or the cluster is out of reach. The yielded function raises LapilliError if
            no machine of the cluster can play.
    """
    with RayPool(address) as machines:

        def play(work: Callable[[int], Samples], numbers: Iterable[int]) -> list[Samples]:
            _check_machines(machines)
            shared = machines.share(work)
            return _results(machines, [machines.submit(_played, shared, number) for number in numbers])

        yield play


def _played(work: Callable[[int], Samples], number: int) -> Samples:
    """Plays match number `number`, on a machine of the cluster, and returns its samples."""
    return work(number)


def _results(machines: RayPool, tasks: Sequence[Any]) -> list[Samples]:
    """Waits until the cluster has finished all tasks, and returns their results in order.

    After an error, tasks that still run are not cancelled, because Ray might then end a process whose task has just
    finished. These tasks are stopped when this process disconnects from the cluster.
    """
    found: dict[Any, Samples] = {}
    waiting = list(tasks)
    while waiting:
        done, waiting = machines.wait(waiting, _TICK_S)
        found.update((task, _result(machines, task)) for task in done)
        if not done:
            _check_machines(machines)
    return [found[task] for task in tasks]


def _result(machines: RayPool, task: Any) -> Samples:
    try:
        result = machines.result(task)
    except OutOfResources as error:
        raise LapilliError(f"{error}; run the same command again to continue") from None
    assert isinstance(result, Samples)
    return result


def _check_machines(machines: RayPool) -> None:
    if not machines.places():
        raise LapilliError(
            "no machine of the Ray cluster has a core to play on; run the same command again once one has"
        )
