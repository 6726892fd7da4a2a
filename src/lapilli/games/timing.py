"""The stop-watch of every game's `speed`."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter


def rate(work: Callable[[], int], seconds: float, amount: int = 0) -> float:
    """How many things a second `work` does, repeated for about `seconds`.

    A call returns how many it did, unless `amount` says so. A first call, in which kernels may be compiled, is not
    counted.
    """
    work()
    done = 0
    start = perf_counter()
    while (spent := perf_counter() - start) < seconds or not done:
        did = work()
        done += amount or did
    return done / spent
