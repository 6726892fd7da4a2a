"""Writes to the store in batches: everything that arrives during one transaction is stored in the next one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Generic, TypeVar

from lapilli.core.errors import StoreTrouble
from lapilli.site.live.upkeep.store_watch import StoreWatch

MOST = 200
"""Largest number of items stored in one transaction."""
_RETRY_S, _AGAIN_S = 30.0, 0.5
"""`_RETRY_S`: time for which a write is repeated while the store cannot be reached. `_AGAIN_S`: pause between two
attempts. Both in seconds.
"""
T = TypeVar("T")
R = TypeVar("R")


class BatchWriter(Generic[T, R]):
    """Stores items, such as answers, in as few transactions as possible, because each transaction waits for the disk.

    Args:
        store: function that stores items in one transaction, and returns the result of each. It blocks.
        watch: measures how long the store takes.
    """

    def __init__(self, store: Callable[[Sequence[T]], Sequence[R]], watch: StoreWatch) -> None:
        self._store, self._watch = store, watch
        self._waiting: list[tuple[T, asyncio.Future[R]]] = []
        self._storing: asyncio.Task[None] | None = None

    async def write(self, item: T) -> R:
        """Stores an item, and returns its result.

        Raises:
            StoreError: the store failed.
        """
        stored: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, stored))
        if self._storing is None:
            self._storing = asyncio.create_task(self._store_all())
        return await stored

    async def _store_all(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
            try:
                with self._watch.waiting():
                    results = await self._store_batch([item for item, _ in batch])
            except Exception as error:  # raised again in every waiting `write`
                for _, stored in batch:
                    if not stored.done():
                        stored.set_exception(error)
            else:
                for (_, stored), result in zip(batch, results, strict=True):
                    if not stored.done():
                        stored.set_result(result)
        self._storing = None

    async def _store_batch(self, items: list[T]) -> Sequence[R]:
        """Stores items in one transaction, and returns the result of each.

        If the store cannot be reached, tries again for `_RETRY_S` seconds, so that no player loses a turn when the
        store restarts.
        """
        deadline = monotonic() + _RETRY_S
        while True:
            try:
                return await asyncio.to_thread(self._store, items)
            except StoreTrouble as error:
                if not error.may_pass or monotonic() > deadline:
                    raise
            await asyncio.sleep(_AGAIN_S)
