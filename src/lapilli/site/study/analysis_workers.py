"""Worker processes for searches that visitors wait for without a clock running. All visitors share them in turn.

A *study* is a sequence of short pieces of work. Each piece continues where the previous one stopped. So nobody waits
long, however many studies there are, and a study whose page is closed ends after its current piece.
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
from lapilli.site.live.engines import NICENESS
from lapilli.workers.call_pool import CallPool
from lapilli.workers.call_worker import WorkerDied

Work = Callable[..., Generator[Any, None, None]]
"""Type of a study: a generator function of a module. Each of its pieces takes about a second at most."""
MOST = 12
"""Most studies at the same time."""
EACH = 6
"""Most studies at the same time for one account, or for one address of guests."""
_BUSY = "the engines have too much to do just now: try again in a minute"


class AnalysisWorkers:
    """Worker processes for studies, separate from those of people's opponents.

    Args:
        workers: number of processes.
    """

    def __init__(self, workers: int = 2) -> None:
        self._lanes = [CallPool(1, NICENESS) for _ in range(workers)]
        self._going = [0] * workers
        self._numbers = count()
        self._of_whom: Counter[str] = Counter()

    def close(self) -> None:
        """Ends the workers."""
        for lane in self._lanes:
            lane.close()

    async def study(self, payer: str, work: Work, *about: Any) -> AsyncGenerator[Any, None]:
        """Runs a study and yields its results, piece by piece. Closing this generator ends the study.

        Args:
            payer: the account or address that the study is counted for, from `lapilli.site.http.limits.payer_of`;
                "" for no such limit.
            work: the study.
            about: its arguments.

        Raises:
            LapilliError: there are too many studies, or the worker has died.
        """
        if sum(self._going) >= MOST:
            raise LapilliError(_BUSY)
        if payer and self._of_whom[payer] >= EACH:
            raise LapilliError(f"an engine thinks about {EACH} positions for you already: wait for one, or leave it")
        self._of_whom[payer] += 1
        lane, number = self._going.index(min(self._going)), next(self._numbers)
        self._going[lane] += 1
        try:
            while True:
                done, told = await self._run(lane, _piece, number, partial(work, *about))
                if done:
                    return
                yield told
        finally:
            self._going[lane] -= 1
            self._of_whom -= Counter((payer,))
            with suppress(WorkerDied):  # the pool is closed
                self._lanes[lane].submit(_forget, number)

    async def _run(self, lane: int, work: Callable[..., tuple[bool, Any]], *about: Any) -> tuple[bool, Any]:
        try:
            return await asyncio.wrap_future(self._lanes[lane].submit(work, *about))
        except WorkerDied:
            raise LapilliError("the engine was stopped: try again") from None


_STUDIES: dict[int, Generator[Any, None, None]] = {}
"""Studies of this worker process, by number."""


def _piece(number: int, make: Callable[[], Generator[Any, None, None]]) -> tuple[bool, Any]:
    """Runs the next piece of a study in a worker. A new study is started first.

    Returns:
        Whether the study has ended, and the result of the piece.
    """
    if number not in _STUDIES:
        _STUDIES[number] = make()
    try:
        return False, next(_STUDIES[number])
    except StopIteration:
        return True, None


def _forget(number: int) -> tuple[bool, Any]:
    """Ends a study in a worker, and frees the memory of its search."""
    study = _STUDIES.pop(number, None)
    if study is not None:
        study.close()
    return True, None
