"""Runs numbered pieces of work, such as the matches of a training: in this process, in processes, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

from lapilli.core.errors import LapilliError
from lapilli.workers.call_pool import CallPool

T = TypeVar("T")


class Mapper(Protocol):
    """A function that works like `map`, possibly in other processes or on other machines.

    Its arguments are a function and some numbers. It calls the function with each number, and returns the results of
    these calls in the order of the numbers.
    """

    def __call__(self, work: Callable[[int], T], numbers: Iterable[int], /) -> Iterable[T]: ...


@contextmanager
def mapper(jobs: int | None, ray: str | None = None) -> Iterator[Mapper]:
    """Context manager that yields a function like `map`, which runs work in this process, in processes or on a cluster.

    The processes end at the end of the `with` block.

    Args:
        jobs: number of processes on this machine that work at the same time; None or 1 to work in this process.
        ray: address of a Ray cluster that does the work; None for this machine.

    Raises:
        LapilliError: both arguments are set, Ray is not installed, or the cluster is out of reach.
    """
    if ray is not None:
        if jobs is not None:
            raise LapilliError("a Ray cluster plays as many matches at once as it has cores for: omit jobs")
        from lapilli.workers.ray_mapper import ray_mapper

        with ray_mapper(ray) as run:
            yield run
    elif jobs is None or jobs == 1:
        yield map
    else:
        pool = CallPool(jobs)
        try:
            yield pool.map
        finally:
            pool.close()
