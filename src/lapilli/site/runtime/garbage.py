"""Collects garbage (objects in reference cycles) of the site's process without long pauses.

Python visits all objects again and again to find such cycles. With 500 matches in memory, this takes 0.7 s, in which no
page gets an answer. So here Python usually visits only the objects that are new, and all of them only at long intervals
or when the process has grown.
"""

from __future__ import annotations

import asyncio
import gc
from contextlib import suppress
from pathlib import Path
from time import monotonic

EVERY_S, ALL_S = 2.0, 300.0
"""Longest time between two collections, in seconds: of new objects (`EVERY_S`), and of all objects (`ALL_S`)."""
_GROWTH = 1.25
"""Growth of the process's memory after which all objects are visited, as a factor."""
_NEVER = 1 << 30


class Garbage:
    """Collects the garbage of this process from `start` to `stop`, in place of Python's collections of all objects."""

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None
        self._thresholds = gc.get_threshold()
        self._all_at, self._pages = 0.0, 0

    def start(self) -> None:
        """Starts collecting. Must be called in asyncio's event loop."""
        gc.set_threshold(*self._thresholds[:2], _NEVER)
        self._collect_all()
        self._task = asyncio.create_task(self._run())

    def stop(self) -> None:
        """Stops collecting. From then on, Python collects garbage itself, as usual."""
        if self._task is not None:
            self._task.cancel()
            gc.set_threshold(*self._thresholds)
            gc.unfreeze()

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(EVERY_S)
            self.collect()

    def collect(self) -> None:
        """Collects new objects or, if it is time or the process has grown, all objects."""
        if monotonic() - self._all_at > ALL_S or _pages() > _GROWTH * self._pages:
            gc.unfreeze()
            self._collect_all()
        else:
            gc.collect()
            gc.freeze()  # objects that are frozen are not visited again

    def _collect_all(self) -> None:
        gc.collect()
        gc.freeze()
        self._all_at, self._pages = monotonic(), _pages()


def _pages() -> int:
    """Returns the memory that this process uses, in pages of memory; 0 on systems without /proc."""
    with suppress(OSError):
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return 0
