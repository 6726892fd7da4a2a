"""Deletes an account: removes its name from all stored data, and keeps its matches."""

from __future__ import annotations

import asyncio

from lapilli.core.errors import LapilliError
from lapilli.site.bots.workshop.queue import Workshop
from lapilli.site.live.upkeep.renaming import forget_seats, rename_seats
from lapilli.site.people.accounts.accounts import OWNER, Accounts
from lapilli.site.people.identity.names import DELETED
from lapilli.site.people.identity.people import holder_of, holder_of_token
from lapilli.site.runtime.site import Site
from lapilli.store import Account, Store


async def leave(site: Site, accounts: Accounts, account: Account) -> None:
    """Deletes an account, with its tokens, its bots, its studies, its ratings and its results in puzzles.

    If the server stops before the deletion is complete, the account still exists and can be deleted later.

    Raises:
        LapilliError: the account is the site's only owner.
    """
    people = site.store.site.people
    if account.role == OWNER and await asyncio.to_thread(people.count, OWNER) == 1:
        raise LapilliError("you are the site's only owner: make another account an owner first")
    await accounts.end_all(account.id)
    holder = holder_of(account.id)
    programs = await asyncio.to_thread(site.store.site.tokens.revoke_all, account.id)
    for seat_holder in (holder, *map(holder_of_token, programs)):
        await site.tables.rename(seat_holder, DELETED)
        await asyncio.to_thread(rename_seats, site.store, seat_holder, DELETED)
    for bot in await asyncio.to_thread(site.store.site.bots.owned, account.id):
        await forget_seats(site, bot)
    await asyncio.to_thread(_forget_work, site.store, site.workshop, account.id)
    await asyncio.to_thread(site.store.site.owner_log.forget, account.name, DELETED)
    if not await asyncio.to_thread(people.remove, account.id):
        raise LapilliError("the site needs an owner: make another account an owner first")


def _forget_work(store: Store, workshop: Workshop, account_id: str) -> None:
    from lapilli.site.bots.workshop import forgetting  # loading it takes 0.2 seconds

    forgetting.forget_author(store, account_id, workshop.league_copies, workshop.builds)
    store.site.puzzles.forget(holder_of(account_id))
    store.site.ratings.forget(account_id)
    store.site.seeks.forget(account_id)
    store.site.studies.forget(account_id)
    store.site.vacations.forget(holder_of(account_id))
    store.site.mails.remove(account_id)
    store.site.tournaments.forget(account_id)
    store.site.chat.forget(holder_of(account_id))
    store.site.tokens.forget(account_id)
