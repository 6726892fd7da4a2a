"""Stores answers in batches: answers that arrive during one transaction are stored together in the next."""

from __future__ import annotations

import asyncio
from time import monotonic

from lapilli.core.errors import StoreTrouble
from lapilli.store import GivenAnswer, SiteAnswer, Store

MOST = 200
"""Most answers that are stored in one transaction."""
_PATIENCE_S, _AGAIN_S = 30.0, 0.5
"""For how long writing is retried while the store is unreachable, and the wait between two attempts, in seconds."""


class AnswerWriter:
    """Stores answers in as few transactions as possible, because each transaction waits for the disk.

    Args:
        store: the store to write to.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[tuple[GivenAnswer, asyncio.Future[bool]]] = []
        self._storing: asyncio.Task[None] | None = None

    async def write(self, table_id: str, before: int, answer: SiteAnswer) -> bool:
        """Stores an answer and returns whether it counts; see `GivenAnswer`. Raises StoreError."""
        kept: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((GivenAnswer(table_id, before, answer), kept))
        if self._storing is None:
            self._storing = asyncio.create_task(self._store_all())
        return await kept

    async def _store_all(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
            given = [one for one, _ in batch]
            try:
                count = await self._add(given)
            except Exception as error:  # raised again in every waiting `write`
                for _, kept in batch:
                    if not kept.done():
                        kept.set_exception(error)
            else:
                for (_, kept), counts in zip(batch, count, strict=True):
                    if not kept.done():
                        kept.set_result(counts)
        self._storing = None

    async def _add(self, given: list[GivenAnswer]) -> list[bool]:
        """Stores answers in one transaction.

        While the store restarts, this waits longer than pages do, so that no player loses a turn by it.
        """
        give_up = monotonic() + _PATIENCE_S
        while True:
            try:
                return await asyncio.to_thread(self._store.site.matches.add_answers, given)
            except StoreTrouble as error:
                if not error.may_pass or monotonic() > give_up:
                    raise
            await asyncio.sleep(_AGAIN_S)
