"""Renames a person or bot at all tables: in memory, in the store, and in the records of matches."""

from __future__ import annotations

import asyncio

import msgspec

from lapilli.site.live.table.plan import TablePlan
from lapilli.site.people.identity.names import DELETED_BOT
from lapilli.site.runtime.site import Site
from lapilli.store import SiteBot, SiteTable, Store
from lapilli.store.results import pack_record, unpack_record


async def forget_seats(site: Site, bot: SiteBot) -> None:
    """Replaces the name of a bot by DELETED_BOT at all tables where it plays or has played."""
    await site.tables.rename(bot.id, DELETED_BOT)
    await asyncio.to_thread(rename_seats, site.store, bot.id, DELETED_BOT)


def rename_seats(store: Store, who: str, name: str) -> None:
    """Renames a person or bot at all tables in the store. Reads and writes the store, and blocks.

    Args:
        store: the database.
        who: string that identifies the person, see `Seat.holder`; or the bot's id.
        name: the new name.
    """
    store.site.chat.rename(who, name)
    last = ""
    while tables := store.site.people.tables_of(who, last):
        for table in tables:
            _rename(store, table, who, name)
        last = tables[-1].id


def _rename(store: Store, table: SiteTable, who: str, name: str) -> None:
    plan = msgspec.convert(table.plan, TablePlan)
    seats = [number for number, seat in enumerate(plan.seats) if seat.is_of(who)]
    for number in seats:
        plan.seats[number].name = name
    record = None
    if table.record is not None:
        unpacked = unpack_record(table.record, f"match {table.id}")
        for number in seats:
            unpacked.players[number] = msgspec.structs.replace(unpacked.players[number], name=name)
        record = pack_record(unpacked)
    store.site.people.rewrite(table.id, msgspec.to_builtins(plan), record)
