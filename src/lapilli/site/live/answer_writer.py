"""Stores players' answers in batches: all answers that arrive during one transaction are stored in the next one."""

from __future__ import annotations

import asyncio
from time import monotonic

from lapilli.core.errors import StoreTrouble
from lapilli.store import NewAnswer, SiteAnswer, Store

MOST = 200
"""Largest number of answers stored in one transaction."""
_RETRY_S, _AGAIN_S = 30.0, 0.5
"""`_RETRY_S`: time for which a write is repeated while the store cannot be reached. `_AGAIN_S`: pause between two
attempts. Both in seconds.
"""


class AnswerWriter:
    """Stores answers in as few transactions as possible, because each transaction waits for the disk.

    Args:
        store: the store to write to.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[tuple[NewAnswer, asyncio.Future[bool]]] = []
        self._storing: asyncio.Task[None] | None = None

    async def write(self, table_id: str, before: int, answer: SiteAnswer) -> bool:
        """Stores an answer, and returns whether the answer is now part of the match.

        The result is False if another process has stored a different answer first; see `NewAnswer`.

        Args:
            table_id: the table's id.
            before: number of the table's answers to earlier turns.
            answer: the answer.

        Raises:
            StoreError: the store failed.
        """
        stored: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((NewAnswer(table_id, before, answer), stored))
        if self._storing is None:
            self._storing = asyncio.create_task(self._store_all())
        return await stored

    async def _store_all(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
            answers = [answer for answer, _ in batch]
            try:
                results = await self._add(answers)
            except Exception as error:  # raised again in every waiting `write`
                for _, stored in batch:
                    if not stored.done():
                        stored.set_exception(error)
            else:
                for (_, stored), counts in zip(batch, results, strict=True):
                    if not stored.done():
                        stored.set_result(counts)
        self._storing = None

    async def _add(self, answers: list[NewAnswer]) -> list[bool]:
        """Stores answers in one transaction, and returns for each answer whether it is now part of its match.

        If the store cannot be reached, tries again for `_RETRY_S` seconds, so that no player loses a turn when the
        store restarts.
        """
        deadline = monotonic() + _RETRY_S
        while True:
            try:
                return await asyncio.to_thread(self._store.site.matches.add_answers, answers)
            except StoreTrouble as error:
                if not error.may_pass or monotonic() > deadline:
                    raise
            await asyncio.sleep(_AGAIN_S)
