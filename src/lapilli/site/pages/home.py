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

from lapilli.games import load, names
from lapilli.site.http.limits import FILMS, limited
from lapilli.site.http.rendering import rendered
from lapilli.site.live.table.plan import TablePlan
from lapilli.site.live.table.seats import is_reserved
from lapilli.site.pages.happening import LISTED, happening
from lapilli.site.pages.own_matches import own_matches, table_summary
from lapilli.site.people.identity.people import Person, person_of, shown_name
from lapilli.site.runtime.site import CurrentSite
from lapilli.store import SiteTable

router = APIRouter(default_response_class=HTMLResponse)
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
    return rendered(
        "play/home",
        greeted=person.name if welcome and person.id else "",
        games=await asyncio.to_thread(lambda: [load(name) for name in names()]),
        own=own[:LISTED],
        more=max(0, len(own) - LISTED),
        invitations=_invitations(going, person),
        seats_open=open_seats(going),
        **await happening(site, going, person.holder),
    )


def open_seats(going: Sequence[SiteTable], game: str = "") -> list[dict[str, Any]]:
    """Returns summaries of the tables with a seat that anybody may take.

    Args:
        going: tables whose match is not over.
        game: name of a game, to list only tables of this game; "" for all games.
    """
    summaries = [table_summary(table) for table in going if game in ("", table.game)]
    return [summary for summary in summaries if summary["seat"]][:LISTED]


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
            host = next((shown_name(seat.name, seat.holder) for seat in seats if seat.holder), "Somebody")
            summary = {"host": host, "seat": f"/t/{table.id}/seat/{reserved.key}", "id": table.id}
            game = load(table.game)
            invitations.append(summary | {"title": game.title, "emblem": game.emblem})
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
