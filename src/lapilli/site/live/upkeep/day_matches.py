"""Correspondence matches: each turn may take days.

These matches are only in the store until the site must start or end a turn.
"""

from __future__ import annotations

import asyncio
import logging
from time import monotonic
from typing import TYPE_CHECKING

from lapilli.core.errors import LapilliError, StoreError
from lapilli.site.live.table.plan import TablePlan
from lapilli.site.people.identity.people import Person
from lapilli.site.runtime.tasks import logged
from lapilli.store import MAX_MATCHES, Store

if TYPE_CHECKING:
    from lapilli.site.live.tables import Tables

_LOG = logging.getLogger("lapilli.site")
EVERY_S = 10.0
"""Time between two searches for matches in which a turn must be started or ended, in seconds."""
_AGAIN_S = 3600.0
"""Time after which the site tries again to load a match that could not be loaded, in seconds."""


def check_days(store: Store, plan: TablePlan, person: Person, has_accounts: bool) -> None:
    """Raises LapilliError if the plan is of a correspondence match, and this person may not play one.

    On a site with accounts, guests may not play correspondence matches. Nobody may play more than `MAX_MATCHES` of them
    at the same time. Reads the store, and blocks.

    Args:
        store: the database.
        plan: plan of the table.
        person: the person or program that opens the table or takes a seat.
        has_accounts: whether the site has accounts.
    """
    if not plan.control.days:
        return
    if has_accounts and not person.id:
        raise LapilliError("a match over days needs an account: sign in first, or choose another clock")
    if store.site.turns.count(person.holder) >= MAX_MATCHES:
        raise LapilliError(f"you play {MAX_MATCHES} matches over days, the maximum: finish one first")


def check_rematch(store: Store, plan: TablePlan) -> None:
    """Raises LapilliError if one of the people at a table may not begin another match of its kind.

    A rematch seats all of them at once. Nobody may play more than `MAX_MATCHES` correspondence matches at the same
    time. Reads the store, and blocks. `plan`: plan of the finished match.
    """
    if plan.control.days and any(store.site.turns.count(holder) >= MAX_MATCHES for holder in plan.people.values()):
        raise LapilliError(f"one of you plays {MAX_MATCHES} matches over days, the maximum")


class DayMatches:
    """Starts and ends turns in correspondence matches, and drops these matches from memory when nobody needs them.

    Args:
        tables: all tables of the site.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables, self._turns = tables, tables.store.site.turns

    async def run(self) -> None:
        """Calls `sweep` every `EVERY_S` seconds, until the task that runs this method is cancelled."""
        while True:
            try:
                await self.sweep()
            except StoreError as error:
                _LOG.error("matches over days cannot be looked at: %s", error)
            await asyncio.sleep(EVERY_S)

    async def sweep(self) -> None:
        """Starts or ends the turns that are due, and drops matches from memory. Raises StoreError if the store
        fails.
        """
        while table_ids := await asyncio.to_thread(self._turns.claim_overdue):
            for table_id in table_ids:
                has_failed = True
                with logged("a match over days cannot go on", table_id):
                    await self._look_at(table_id)
                    has_failed = False
                if has_failed:
                    await asyncio.to_thread(self._turns.rest, table_id, _AGAIN_S)
        before = monotonic() - EVERY_S  # code that has asked for a table since then may still use it
        await self._tables.drop_idle(lambda table: bool(table.plan.control.days) and table.found_at < before)

    async def _look_at(self, table_id: str) -> None:
        if self._tables.is_shared:
            await self._tables.try_to_drive(table_id)
        table = await self._tables.find(table_id)
        if table is not None:
            await table.expire()
