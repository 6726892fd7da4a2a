"""API requests for seeks: programs look for opponents, and accept the offers of others."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request

from lapilli.site.api.callers import Playing, Reader, spend
from lapilli.site.api.models import Done, NewSeek, NewTable, SeekFacts
from lapilli.site.api.problems import Refused
from lapilli.site.http.limits import TABLES
from lapilli.site.people.lobby.lobby import PROGRAM_S
from lapilli.site.runtime.site import CurrentSite, Site

router = APIRouter(prefix="/seeks", tags=["seeks"])


@router.get("")
async def seeks(site: CurrentSite, caller: Reader) -> list[SeekFacts]:
    """Returns the open seeks, the oldest first."""
    listed = await asyncio.to_thread(site.store.site.seeks.listed)
    return [SeekFacts.of(seek, caller.person.holder) for seek in listed]


@router.post("", status_code=201)
async def seek(request: Request, site: CurrentSite, caller: Playing, asked: NewSeek) -> SeekFacts:
    """Makes a seek, which is open for two minutes. When somebody accepts it, `/events` sends `start`."""
    _check_accounts(site)
    spend(request, caller, TABLES)
    made = await asyncio.to_thread(site.lobby.seek, caller.person, **asked.model_dump(), lasts=PROGRAM_S)
    return SeekFacts.of(made, caller.person.holder)


@router.post("/{seek_id}/accept", status_code=201)
async def accept(request: Request, site: CurrentSite, caller: Playing, seek_id: str) -> NewTable:
    """Accepts a seek: opens a table at which both players sit."""
    _check_accounts(site)
    spend(request, caller, TABLES)
    table_id = await asyncio.to_thread(site.lobby.accept, caller.person, seek_id)
    site.tables.changed()
    return NewTable(id=table_id, address=f"/t/{table_id}", links={})


@router.delete("/{seek_id}")
async def withdraw(site: CurrentSite, caller: Playing, seek_id: str) -> Done:
    """Withdraws a seek of this program."""
    if not await asyncio.to_thread(site.store.site.seeks.withdraw, caller.person.holder, seek_id):
        raise Refused(404, "there is no such seek of this program")
    return Done()


def _check_accounts(site: Site) -> None:
    """Raises Refused (409) on a site without accounts, where nobody could answer a seek."""
    if site.public is None:
        raise Refused(409, "a site without accounts has no seeks: send a challenge instead")
