"""The queue of matches in which only bots play, not people."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class MatchQueue:
    """A queue of matches. A few are played at the same time; the others wait, and begin in the order of arrival.

    Args:
        most: largest number of matches that are played at the same time.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._played: set[str] = set()
        self._waiting: dict[asyncio.Future[None], tuple[str, Callable[[int], object]]] = {}

    def __contains__(self, table_id: object) -> bool:
        """Whether the match at a table is being played."""
        return table_id in self._played

    async def enter(self, table_id: str, report: Callable[[int], object]) -> None:
        """Waits until the match at a table may be played. It then counts as being played until `leave` is called.

        Args:
            table_id: id of the table.
            report: function that is called with the match's position in the queue whenever it may have changed. The
                first match in the queue has position 1; a match that is played has position 0.
        """
        if table_id in self._played:
            return
        admitted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[admitted] = table_id, report
        self._admit()
        try:
            await admitted
        finally:
            if self._waiting.pop(admitted, None):
                report(0)
                self._admit()

    def leave(self, table_id: str) -> None:
        """Marks the match at a table as no longer played: it is over, or cannot go on now. The next match may begin."""
        self._played.discard(table_id)
        self._admit()

    def _admit(self) -> None:
        """Lets matches begin while there is space, and reports the positions of the others."""
        places: dict[str, int] = {}
        for admitted, (table_id, report) in list(self._waiting.items()):
            if admitted.done():  # the call of `enter` was cancelled
                continue
            if table_id in self._played or len(self._played) < self._most:
                self._played.add(table_id)
                del self._waiting[admitted]
                admitted.set_result(None)
                report(0)
            else:
                report(places.setdefault(table_id, len(places) + 1))
