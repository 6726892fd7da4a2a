"""What visitors of a site can look at now: the puzzle of the day, matches in progress, and matches just played."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec

from lapilli.core.errors import StoreError
from lapilli.site.live.table.plan import TablePlan
from lapilli.site.pages.own_matches import table_summary
from lapilli.site.runtime.site import Site
from lapilli.site.study.puzzles import daily
from lapilli.store import SiteTable

LISTED = 8
"""Largest number of matches in each list of a page."""


async def happening(site: Site, going: Sequence[SiteTable], holder: str) -> dict[str, Any]:
    """Returns the values for the templates `daily.html` and `happening.html`.

    Args:
        site: the site.
        going: tables whose match is not over.
        holder: string that identifies the visitor, see `Seat.holder`.
    """
    played = await asyncio.to_thread(site.store.site.matches.listed, over=True, most=LISTED)
    return {
        "daily": await asyncio.to_thread(_daily, site, holder),
        "live": live_matches(site, going),
        "played": [table_summary(table) for table in played],
    }


def live_matches(site: Site, going: Sequence[SiteTable]) -> list[dict[str, Any]]:
    """Returns summaries of the matches in progress with a player at the table.

    The value of the key `turn` is the number of the match's turn; 0 if this process has not loaded the table.
    `going`: tables whose match is not over.
    """
    live = [table for table in going if _plan_of(table).ready and site.tables.is_attended(table)]
    loaded = site.tables.in_memory
    return [
        table_summary(table) | {"turn": loaded[table.id].match.turn if table.id in loaded else 0}
        for table in live[:LISTED]
    ]


def _daily(site: Site, holder: str) -> dict[str, Any]:
    """Returns the puzzle of the day as data for the page; an empty dict if there is none, or the store fails.

    `holder`: string that identifies the visitor, see `Seat.holder`.

    A game's puzzles are written to the store when they are first requested. The rest of the page only reads the store,
    so it can be shown even if nothing can be written.
    """
    try:
        return daily(site, holder)
    except StoreError:
        return {}


def _plan_of(table: SiteTable) -> TablePlan:
    return msgspec.convert(table.plan, TablePlan)
