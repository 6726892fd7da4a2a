"""The first page, and the films that its boards show.

The HTML templates escape all text that players wrote.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import msgspec
from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from lapilli.core.errors import StoreError
from lapilli.games import load, names
from lapilli.site.http.limits import FILMS, limited
from lapilli.site.http.rendering import rendered
from lapilli.site.live.table.plan import TablePlan
from lapilli.site.live.table.seats import is_reserved
from lapilli.site.live.tables import Tables
from lapilli.site.pages.own_matches import own_matches, table_summary
from lapilli.site.people.identity.people import Person, person_of
from lapilli.site.runtime.site import CurrentSite, Site
from lapilli.site.study.puzzles import daily
from lapilli.store import SiteTable

router = APIRouter(default_response_class=HTMLResponse)
_LISTED = 8
"""Largest number of matches in each list of the first page."""
_FILM_S = 1.0
"""Time for which a request for a film waits for the compiler, in seconds, before the page is sent the progress."""
_SHARE = "Lapilli-Compiled"
"""Header of a response with a film: how much of the game's kernels is compiled, in percent."""


@router.get("/")
async def home(request: Request, site: CurrentSite, welcome: str = "") -> Response:
    """Shows the first page: games with moving boards, the visitor's matches, invitations, and matches of others.

    `welcome`: not empty to greet a person whose account is new.
    """
    person = person_of(request)
    going = await site.tables.going()
    own = await own_matches(site, going, person.holder)
    played = await asyncio.to_thread(site.store.site.matches.listed, over=True, most=_LISTED)
    return rendered(
        "play/home",
        greeted=person.name if welcome and person.id else "",
        games=await asyncio.to_thread(lambda: [load(name) for name in names()]),
        daily=await asyncio.to_thread(_daily, site, person.holder),
        own=own[:_LISTED],
        more=max(0, len(own) - _LISTED),
        invitations=_invitations(going, person),
        seats_open=open_seats(going),
        live=_live(site.tables, going),
        played=[table_summary(table) for table in played],
    )


def _daily(site: Site, holder: str) -> dict[str, Any]:
    """Returns the puzzle of the day as data for the first page; an empty dict if there is none, or the store fails.

    `holder`: string that identifies the visitor, see `Seat.holder`.

    A game's puzzles are written to the store when they are first requested. The rest of the first page only reads the
    store, so it can be shown even if nothing can be written.
    """
    try:
        return daily(site, holder)
    except StoreError:
        return {}


def _live(tables: Tables, going: Sequence[SiteTable]) -> list[dict[str, Any]]:
    """Returns summaries of the unfinished matches that have begun, and in which at least one player is at the table
    now.

    `going`: tables whose match is not over.
    """
    live = [table for table in going if _plan_of(table).ready and tables.is_attended(table)]
    return [table_summary(table) for table in live[:_LISTED]]


def open_seats(going: Sequence[SiteTable], game: str = "") -> list[dict[str, Any]]:
    """Returns summaries of the tables with a seat that anybody may take.

    Args:
        going: tables whose match is not over.
        game: name of a game, to list only tables of this game; "" for all games.
    """
    summaries = [table_summary(table) for table in going if game in ("", table.game)]
    return [summary for summary in summaries if summary["seat"]][:_LISTED]


def _invitations(going: Sequence[SiteTable], person: Person) -> list[dict[str, Any]]:
    """Returns a summary of each table at which a seat is reserved for this person.

    `going`: tables whose match is not over.
    """
    if not person.id:
        return []
    invitations = []
    for table in going:
        seats = _plan_of(table).seats
        reserved = next((seat for seat in seats if is_reserved(seat, "", person.holder)), None)
        if reserved is not None:
            host = next((seat.name for seat in seats if seat.holder), "Somebody")
            summary = {"host": host, "seat": f"/t/{table.id}/seat/{reserved.key}", "id": table.id}
            invitations.append(summary | {"title": load(table.game).title})
    return invitations


def _plan_of(table: SiteTable) -> TablePlan:
    return msgspec.convert(table.plan, TablePlan)


@router.get("/films/{game}", dependencies=[Depends(limited(FILMS))])
async def living(request: Request, site: CurrentSite, game: str) -> Response:
    """Sends the film for a game's board, or status 304 if the browser has it already.

    While the game's kernels are being compiled, sends the film of the example match at once. If the game has no such
    film, sends status 202 instead and how much of the kernels is compiled, in percent.
    """
    share, data = site.compilation.share_now(game), b""
    if share is not None:
        data = await site.showcase.ready_film(load(game))
        if not data:
            share = await site.compilation.share(game, _FILM_S)
            if share is not None:
                return JSONResponse({"share": share}, 202, {"Cache-Control": "no-store"})
    data = data or await site.showcase.film(load(game))
    tag = f'"{sha256(data).hexdigest()[:20]}"'
    headers = {"Cache-Control": "no-cache", "ETag": tag, _SHARE: "100" if share is None else str(min(share, 99))}
    if tag in request.headers.get("if-none-match", ""):
        return Response(None, 304, headers)
    return Response(data, media_type="application/json", headers=headers)
