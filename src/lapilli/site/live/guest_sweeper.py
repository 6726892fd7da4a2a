"""Guests' tables end: deletes those that nobody needs any more, so that a flood of them is over by itself."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable

from lapilli.store import Store

EVERY_S = 60.0
"""How often it is looked for such tables, and noted where somebody is."""
IDLE_S, OVER_S = 3600.0, 86_400.0
"""How long a guests' table stays that nobody is at: one whose match goes on, and one whose match is over."""
MOST_EACH = 200
"""Guests' tables of one address that stay at once, those aside at which somebody is."""
_AWAY_S = 3 * EVERY_S
_JUMP_S = EVERY_S
"""If the store's clock goes ahead of a steady one by so much, nobody can say how long a table was idle."""
_LEFT_OUT = 2
_AT_ONCE = 200


class GuestSweeper:
    """Notes who is where, and deletes guests' tables that are idle or long over.

    Other processes of the site do the same, and each knows only its own visitors: so all of them note every minute
    where somebody is, and a table goes only if nobody has noted it for long. After a start, and after the clock has
    jumped, nothing is deleted for two rounds, so that all can say first who is there.

    Args:
        now: the store's clock, in seconds since 1970; tests have their own. steady: a clock that never jumps.
    """

    def __init__(
        self, store: Store, now: Callable[[], float] | None = None, steady: Callable[[], float] = time.monotonic
    ) -> None:
        self._matches = store.site.matches
        self._now, self._steady = now or store.site.matches.now, steady
        self._last = self._now(), self._steady()
        self._left_out = _LEFT_OUT

    async def sweep(self, visited: Iterable[str]) -> list[str]:
        """One round; the ids of the tables that are gone.

        Args:
            visited: ids of the tables at which somebody is, in this process.

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
