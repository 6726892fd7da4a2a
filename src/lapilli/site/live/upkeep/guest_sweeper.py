"""Deletes guests' tables that nobody uses any longer, so that guests cannot fill the store."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable

from lapilli.store import Store

EVERY_S = 60.0
"""Interval between two calls of `sweep`, in seconds."""
IDLE_S, OVER_S = 3600.0, 86_400.0
"""Time without use and visitors after which a guests' table is deleted, in seconds: `IDLE_S` if its match is in
progress, `OVER_S` if its match is over.
"""
MOST_EACH = 200
"""Largest number of guests' tables from one client address. If there are more, the tables that have not been used for
longest are deleted, except visited tables.
"""
_AWAY_S = 3 * EVERY_S
"""Time since the last stored visit after which a table is no longer regarded as visited, in seconds."""
_JUMP_S = EVERY_S
"""Number of seconds by which the store's clock may advance more than a steady clock between two calls of `sweep`. If
the difference is larger, somebody has changed the store's clock, and the times since the last use of tables are wrong.
"""
_ROUNDS_WITHOUT_DELETING = 2
"""Number of calls of `sweep`, after the start or after a jump of the store's clock, that delete nothing."""
_AT_ONCE = 200
"""Largest number of visited tables that are stored in one transaction."""


class GuestSweeper:
    """Stores which tables are visited, and deletes guests' tables that nobody has used for some time.

    Each process of the site knows only its own visitors. Therefore each process stores once a minute which tables its
    visitors have open. A table is deleted only if no process has stored a visit for some minutes. After a start, and
    after a jump of the store's clock, the next two calls of `sweep` delete nothing, so that all processes can store
    their visited tables first.

    Args:
        store: the site's store.
        now: function that returns the time in seconds since 1970; the default is the store's clock.
        steady: function that returns the time of a clock that never jumps, in seconds.
    """

    def __init__(
        self, store: Store, now: Callable[[], float] | None = None, steady: Callable[[], float] = time.monotonic
    ) -> None:
        self._matches = store.site.matches
        self._now, self._steady = now or store.site.matches.now, steady
        self._last = self._now(), self._steady()
        self._rounds_to_wait = _ROUNDS_WITHOUT_DELETING

    async def sweep(self, visited: Iterable[str]) -> list[str]:
        """Stores which tables are visited, deletes guests' unused tables, and returns the ids of the deleted tables.

        Args:
            visited: ids of the tables that visitors of this process have open.

        Raises:
            StoreTrouble: the store cannot be reached.
        """
        return await asyncio.to_thread(self._sweep, tuple(visited))

    def _sweep(self, visited: tuple[str, ...]) -> list[str]:
        for first in range(0, len(visited), _AT_ONCE):
            self._matches.see(visited[first : first + _AT_ONCE])
        now, steady = self._now(), self._steady()
        (before, steady_before), self._last = self._last, (now, steady)
        if (now - before) - (steady - steady_before) > _JUMP_S:
            self._rounds_to_wait = _ROUNDS_WITHOUT_DELETING
        if self._rounds_to_wait:
            self._rounds_to_wait -= 1
            return []
        since = {"idle_since": now - IDLE_S, "over_since": now - OVER_S, "away_since": now - _AWAY_S}
        deleted: list[str] = []
        while part := self._matches.drop_guests(**since, most=MOST_EACH):
            deleted += part
        return deleted
