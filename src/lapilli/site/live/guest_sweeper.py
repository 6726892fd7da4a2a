"""Deletes guests' tables that are no longer used, so that even a flood of them disappears by itself."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable

from lapilli.store import Store

EVERY_S = 60.0
"""Interval between two rounds, in seconds. Each round stores which tables are visited, and deletes old ones."""
IDLE_S, OVER_S = 3600.0, 86_400.0
"""Seconds after which an unvisited guests' table is deleted: one whose match goes on, and one whose match is over."""
MOST_EACH = 200
"""Guests' tables that one address may keep. The longest idle ones beyond that are deleted, unless they are visited."""
_AWAY_S = 3 * EVERY_S
_JUMP_S = EVERY_S
"""Largest difference, in seconds, between the store's clock and a steady clock since the last round. If the store's
clock has advanced by more, it has jumped, and idle times are unknown.
"""
_LEFT_OUT = 2
_AT_ONCE = 200


class GuestSweeper:
    """Stores which tables are visited, and deletes guests' tables that are idle or long over.

    Other processes of the site do the same, and each knows only its own visitors. So every process stores once a minute
    which tables it has visitors at, and a table is deleted only if no process has done that for a long time. After a
    start, and after the clock has jumped, nothing is deleted for two rounds, so that all processes can first store
    their visitors.

    Args:
        store: the site's store.
        now: the store's clock, in seconds since 1970; tests pass their own.
        steady: a clock that never jumps, in seconds.
    """

    def __init__(
        self, store: Store, now: Callable[[], float] | None = None, steady: Callable[[], float] = time.monotonic
    ) -> None:
        self._matches = store.site.matches
        self._now, self._steady = now or store.site.matches.now, steady
        self._last = self._now(), self._steady()
        self._left_out = _LEFT_OUT

    async def sweep(self, visited: Iterable[str]) -> list[str]:
        """Runs one round and returns the ids of the deleted tables.

        Args:
            visited: ids of the tables that have visitors in this process.

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
            self._left_out = _LEFT_OUT
        if self._left_out:
            self._left_out -= 1
            return []
        since = {"idle_since": now - IDLE_S, "over_since": now - OVER_S, "away_since": now - _AWAY_S}
        gone: list[str] = []
        while dropped := self._matches.drop_guests(**since, most=MOST_EACH):
            gone += dropped
        return gone
