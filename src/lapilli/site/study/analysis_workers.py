"""Worker processes for searches outside of matches, such as analyses and puzzles. All visitors share them.

A *job* is such a search, divided into short pieces. Each piece continues where the previous piece stopped. The
workers run pieces of different jobs in turn, so that nobody waits long. When the page that asked for
a job is closed, the job ends after the current piece.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Any

from lapilli.core.errors import LapilliError
from lapilli.site.live.drivers.engines import NICENESS
from lapilli.workers.call_pool import CallPool
from lapilli.workers.call_worker import WorkerDied

Work = Callable[..., Generator[Any, None, None]]
"""A job: a generator function at the top level of a module. Each piece, up to a `yield`, takes about a second."""
MOST = 12
"""Largest number of jobs that run at the same time."""
EACH = 6
"""Largest number of jobs that run at the same time for one account, or for one client address of guests."""
_BUSY = "the engines have too much to do just now: try again in a minute"


class AnalysisWorkers:
    """Worker processes for jobs, which are searches outside of matches, such as analyses.

    They are separate from the processes of the engines that play at tables.

    Args:
        workers: number of processes.
    """

    def __init__(self, workers: int = 2) -> None:
        self._lanes = [CallPool(1, NICENESS) for _ in range(workers)]
        self._going = [0] * workers
        self._numbers = count()
        self._by_payer: Counter[str] = Counter()

    @property
    def running(self) -> int:
        """Number of jobs that are running."""
        return sum(self._going)

    def close(self) -> None:
        """Ends the worker processes."""
        for lane in self._lanes:
            lane.close()

    async def run(self, payer: str, work: Work, *about: Any) -> AsyncGenerator[Any, None]:
        """Runs a job, and yields the result of each piece. Closing this generator ends the job.

        Args:
            payer: account or client address to which the limit `EACH` applies, from
                `lapilli.site.http.limits.payer_of`; "" for no limit.
            work: the job.
            about: arguments of the job.

        Raises:
            LapilliError: too many jobs are running, or the worker process has died.
        """
        if self.running >= MOST:
            raise LapilliError(_BUSY)
        if payer and self._by_payer[payer] >= EACH:
            raise LapilliError(f"an engine thinks about {EACH} positions for you already: wait for one, or cancel it")
        self._by_payer[payer] += 1
        lane, number = self._going.index(min(self._going)), next(self._numbers)
        self._going[lane] += 1
        try:
            while True:
                ended, result = await self._run(lane, _piece, number, partial(work, *about))
                if ended:
                    return
                yield result
        finally:
            self._going[lane] -= 1
            self._by_payer -= Counter((payer,))
            with suppress(WorkerDied):  # the pool is closed
                self._lanes[lane].submit(_forget, number)

    async def _run(self, lane: int, work: Callable[..., tuple[bool, Any]], *about: Any) -> tuple[bool, Any]:
        try:
            return await asyncio.wrap_future(self._lanes[lane].submit(work, *about))
        except WorkerDied:
            raise LapilliError("the engine was stopped: try again") from None


_JOBS: dict[int, Generator[Any, None, None]] = {}
"""Running jobs of this worker process, by number."""


def _piece(number: int, make: Callable[[], Generator[Any, None, None]]) -> tuple[bool, Any]:
    """Continues a job (a search outside of matches) up to its next result. Called in a worker process.

    Args:
        number: number of the job.
        make: function that creates the job's generator; called for the first piece.

    Returns:
        Whether the job has ended, and the result of the piece, which is None if the job has ended.
    """
    if number not in _JOBS:
        _JOBS[number] = make()
    try:
        return False, next(_JOBS[number])
    except StopIteration:
        return True, None


def _forget(number: int) -> tuple[bool, Any]:
    """Ends the job with this number, and frees the memory of its search; called in a worker process.

    Returns:
        (True, None): the job has ended, and has no further result. `_piece` returns tuples of the same form.
    """
    job = _JOBS.pop(number, None)
    if job is not None:
        job.close()
    return True, None
