"""Runs numbered pieces of work on the machines of a Ray cluster.

If a process or a machine fails, Ray repeats its piece of work elsewhere. So a piece must have the same result each
time: the result may depend only on the number of the piece and on the data that the function carries with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from lapilli.core.errors import LapilliError, OutOfResources
from lapilli.workers.mappers import Mapper, T
from lapilli.workers.ray_pool import RayPool

_TICK_S = 1.0
"""Interval between checks whether the cluster still has a machine to work on, in seconds."""


@contextmanager
def ray_mapper(address: str) -> Iterator[Mapper]:
    """Context manager that connects to a Ray cluster and yields a function that runs work on it.

    The cluster works on as many pieces at once as it has cores.

    Args:
        address: address of the cluster: `auto` for the cluster of this machine, or HOST:PORT of its head node.

    Yields:
        A function that runs pieces of work on the cluster, see `Mapper`.

    Raises:
        LapilliError: Ray is not installed, or the cluster is out of reach. The yielded function raises LapilliError if
            no machine of the cluster can work.
    """
    with RayPool(address) as machines:

        def run(work: Callable[[int], T], numbers: Iterable[int]) -> list[T]:
            _check_machines(machines)
            shared = machines.share(work)
            return _results(machines, [machines.submit(_done, shared, number) for number in numbers])

        yield run


def _done(work: Callable[[int], T], number: int) -> T:
    """Does the piece of work with this number, on a machine of the cluster, and returns its result."""
    return work(number)


def _results(machines: RayPool, tasks: Sequence[Any]) -> list[Any]:
    """Waits until the cluster `machines` has finished all tasks, and returns their results in order.

    After an error, tasks that still run are not cancelled, because Ray might then end a process whose task has just
    finished. These tasks are stopped when this process disconnects from the cluster.
    """
    found: dict[Any, Any] = {}
    waiting = list(tasks)
    while waiting:
        done, waiting = machines.wait(waiting, _TICK_S)
        found.update((task, _result(machines, task)) for task in done)
        if not done:
            _check_machines(machines)
    return [found[task] for task in tasks]


def _result(machines: RayPool, task: Any) -> Any:
    try:
        return machines.result(task)
    except OutOfResources as error:
        raise LapilliError(f"{error}; run the same command again to continue") from None


def _check_machines(machines: RayPool) -> None:
    if not machines.places():
        raise LapilliError(
            "no machine of the Ray cluster has a core to play on; run the same command again once one has"
        )
