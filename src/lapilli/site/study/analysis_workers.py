"""Work that people wait for with interest, not with a clock running: processes of its own, in which all take turns.

A *study* is a row of short pieces of work, each of which goes on where the one before it stopped: so nobody waits long,
however many there are, and one that nobody looks at any more ends with its piece.
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
from lapilli.workers.call_pool import CallPool, WorkerDied

Work = Callable[..., Generator[Any, None, None]]
"""A study as its worker does it: a module's generator function, each of whose pieces takes about a second at most."""
MOST = 12
"""Studies at once."""
EACH = 6
"""Studies of one account, or of one address of guests."""
_BUSY = "the engines have too much to do just now: try again in a minute"


class AnalysisWorkers:
    """Worker processes for studies, apart from those that people's opponents think in.

    Args:
        workers: how many.
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
        """What a study tells, piece by piece. Closing it ends it.

        Args:
            payer: for whom it is, as `lapilli.site.http.limits.payer_of` says.

        Raises:
            LapilliError: too many go on; or it was lost with its worker.
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
"""Those of this worker."""


def _piece(number: int, make: Callable[[], Generator[Any, None, None]]) -> tuple[bool, Any]:
    """The next piece of a study, which is begun where it is new; and whether there was none any more."""
    if number not in _STUDIES:
        _STUDIES[number] = make()
    try:
        return False, next(_STUDIES[number])
    except StopIteration:
        return True, None


def _forget(number: int) -> tuple[bool, Any]:
    """Lets go of a study, and of the memory that its search keeps."""
    study = _STUDIES.pop(number, None)
    if study is not None:
        study.close()
    return True, None
