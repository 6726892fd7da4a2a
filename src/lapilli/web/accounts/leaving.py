"""How somebody leaves: the name goes from all that is kept, the matches stay."""

from __future__ import annotations

import asyncio

import msgspec

from lapilli.arena.results import pack_record, unpack_record
from lapilli.arena.store import Account, SiteTable, Store
from lapilli.games.errors import LapilliError
from lapilli.web.accounts.accounts import Accounts
from lapilli.web.names import DELETED
from lapilli.web.people import holder_of, holder_of_token
from lapilli.web.play.hall import Hall
from lapilli.web.play.plan import Plan
from lapilli.web.workshop.lanes import Workshop


async def leave(accounts: Accounts, hall: Hall, workshop: Workshop, account: Account) -> None:
    """Deletes an account, with its tokens, its bots and what it did in puzzles.

    Should the server be stopped in the midst of it, the account is still there, signed out everywhere, and can be
    deleted again.

    Raises:
        LapilliError: the site would be left without an owner.
    """
    people = hall.store.site.people
    if account.role == "owner" and await asyncio.to_thread(people.count, "owner") == 1:
        raise LapilliError("you are the site's only owner: make somebody else one first")
    await accounts.end_all(account.id)
    holder = holder_of(account.id)
    programs = await asyncio.to_thread(hall.store.site.tokens.revoke_all, account.id)
    for seated in (holder, *map(holder_of_token, programs)):
        await hall.rename(seated, DELETED)
        await asyncio.to_thread(_forget, hall.store, seated)
    await asyncio.to_thread(_forget_work, hall.store, workshop, account.id)
    if not await asyncio.to_thread(people.remove, account.id):
        raise LapilliError("the site needs an owner: make somebody else one first")


def _forget_work(store: Store, workshop: Workshop, account_id: str) -> None:
    from lapilli.web.workshop import forgetting  # takes a fifth of a second to load

    forgetting.forget_author(store, account_id, workshop.league_copies, workshop.builds)
    store.site.puzzles.forget(holder_of(account_id))
    store.site.tokens.forget(account_id)


def _forget(store: Store, holder: str) -> None:
    last = ""
    while tables := store.site.people.tables_of(holder, last):
        for table in tables:
            _rename(store, table, holder)
        last = tables[-1].id


def _rename(store: Store, table: SiteTable, holder: str) -> None:
    """Takes a name from a table and from its record."""
    plan = msgspec.convert(table.plan, Plan)
    theirs = [number for number, seat in enumerate(plan.seats) if holder in (seat.holder, seat.member)]
    for number in theirs:
        plan.seats[number].name = DELETED
    record = None
    if table.record is not None:
        unpacked = unpack_record(table.record, f"match {table.id}")
        for number in theirs:
            unpacked.players[number] = msgspec.structs.replace(unpacked.players[number], name=DELETED)
        record = pack_record(unpacked)
    store.site.people.rewrite(table.id, msgspec.to_builtins(plan), record)
