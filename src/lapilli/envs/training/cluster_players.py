"""Plays the matches of a training on many machines, with Ray. The weights are updated on this machine.

If a process or machine is lost, Ray plays its match again elsewhere. A match depends only on the training's weights and
settings, and on the match's number, so it gives the same samples each time it is played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from lapilli.core.errors import LapilliError
from lapilli.envs.training.selfplay import Samples
from lapilli.envs.training.training import Play
from lapilli.players.processes.trouble import OutOfResources
from lapilli.workers.ray_pool import RayPool

_TICK_S = 1.0
"""Interval between checks that the cluster still has a machine, in seconds."""


@contextmanager
def cluster_players(address: str) -> Iterator[Play]:
    """Connects to a Ray cluster that plays matches, as many at once as it has cores, for the duration of the context.

    Args:
        address: address of the cluster, see `RayPool`.

    Yields:
        A function like `map` that plays matches, see `Play`.

    Raises:
        LapilliError: Ray is not installed, or the cluster is out of reach. The yielded function also raises it, if the
            cluster has no machine that can play.
    """
    with RayPool(address) as machines:

        def play(work: Callable[[int], Samples], numbers: Iterable[int]) -> list[Samples]:
            _check_machines(machines)
            shared = machines.share(work)
            return _results(machines, [machines.submit(_played, shared, number) for number in numbers])

        yield play


def _played(work: Callable[[int], Samples], number: int) -> Samples:
    """Returns the samples of match `number`. Runs on a machine of the cluster."""
    return work(number)


def _results(machines: RayPool, tasks: Sequence[Any]) -> list[Samples]:
    """Waits for all tasks, and returns their results in order.

    After an error, tasks still running are not cancelled: Ray would end the process of a task that has just finished.
    They are stopped when this process leaves the cluster.
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
