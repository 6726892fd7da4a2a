"""The clocks of a correspondence match. The store contains the deadlines, so the match can be dropped from memory."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from lapilli.site.live.table.clocks import Clocks
from lapilli.site.live.table.plan import TablePlan
from lapilli.store import DAY_S, Store


class TurnTimes:
    """The deadlines of one correspondence match.

    Args:
        table_id: id of the table.
        store: the site's store.

    Attributes:
        away: players whose turn it is, and who are on vacation.
    """

    def __init__(self, table_id: str, store: Store) -> None:
        self.away: list[int] = []
        self._table_id, self._turns = table_id, store.site.turns

    async def start(self, plan: TablePlan, turn: int, asked: Iterable[int], clocks: Clocks, now: float) -> None:
        """Stores whose turn it is, and sets the clocks of these players to the time that they have left.

        Args:
            plan: plan of the table.
            turn: number of the turn.
            asked: people and programs whose turn it is.
            clocks: the clocks of the match.
            now: the current time, by `time.monotonic`.
        """
        lasts = plan.control.days * DAY_S
        times = await asyncio.to_thread(self._turns.ask, self._table_id, turn, plan.people, tuple(asked), lasts)
        for player, time in times.items():
            clocks.restart(player, time.left_s, now)
        self.away = [player for player, time in times.items() if time.is_away]
