"""The pages of a table, for playing or watching, and of a finished match.

The HTML templates escape all text that players wrote.
"""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from lapilli.games import load
from lapilli.site.http.forms import form_of
from lapilli.site.http.limits import MATCHES, limited
from lapilli.site.http.rendering import rendered
from lapilli.site.live import actions
from lapilli.site.live.results.rating import change_text, check_accounts
from lapilli.site.live.table.chat import MAX_LINE
from lapilli.site.live.table.live_table import LiveTable
from lapilli.site.live.table.plan import Seat, TablePlan, clock_name, time_name
from lapilli.site.live.upkeep.day_matches import check_days
from lapilli.site.people.identity.names import MAX_NAME
from lapilli.site.people.identity.people import Person, Role, future_holder, person_of, require, shown_name
from lapilli.site.people.identity.visitors import remember
from lapilli.site.runtime.site import CurrentSite, Site, site_of
from lapilli.site.study.search_jobs import analysis_of
from lapilli.viewer.films.film import film
from lapilli.viewer.films.packing import packed, with_references

router = APIRouter(default_response_class=HTMLResponse)
_NO_TABLE = "There is no such table. Was the whole address copied?"


# -- a table


async def _table(request: Request, table_id: str) -> LiveTable:
    table = await site_of(request).tables.find(table_id)
    if table is None:
        raise HTTPException(404, _NO_TABLE)
    return table


@router.get("/t/{table_id}")
async def table(site: CurrentSite, table_id: str) -> Response:
    """Shows a table's page, for playing or watching; the page receives the table through its WebSocket."""
    name = await site.tables.game_of(table_id)
    if name is None:
        raise HTTPException(404, _NO_TABLE)
    plan = await _stored_plan(site, table_id)
    game = load(name)
    has_premoves = game.max_game_length == game.max_turns  # a turn is one action, such as one place of the board
    return rendered(
        "play/table",
        id=table_id,
        title=game.title,
        game=name,
        max_line=MAX_LINE,
        has_premoves=has_premoves,
        is_judged=bool(game.searches),
        terms=" · ".join(filter(None, (time_name(plan.control), "rated" if plan.rated else ""))),
    )


async def _stored_plan(site: Site, table_id: str) -> TablePlan:
    """Returns a table's plan. Does not load the table, because on a new site this has to wait for the compiler."""
    plan = None if await site.tables.game_of(table_id) is None else await site.tables.plan_of(table_id)
    if plan is None:
        raise HTTPException(404, _NO_TABLE)
    return plan


@router.get("/t/{table_id}/seat/{key}")
async def seat(request: Request, site: CurrentSite, table_id: str, key: str) -> Response:
    """Shows the page on which a visitor can take the seat with this key."""
    plan = await _stored_plan(site, table_id)
    player = next((number for number, seat in enumerate(plan.seats) if seat.key and seat.key == key), None)
    if player is None:
        raise HTTPException(404, "There is no such seat. Was the whole address copied?")
    hosts = (shown_name(seat.name, seat.holder) for seat in plan.seats if seat.holder and seat.name)
    game = plan.load_game()
    check_reserved(plan.seats[player], person_of(request))
    return rendered(
        "play/seat",
        id=table_id,
        key=key,
        game=game,
        host=next(hosts, "Somebody"),
        side=game.sides[player],
        compiled=site.compilation.share_now(plan.game),
        max_name=MAX_NAME,
        rated=plan.rated,
        days=plan.control.days,
        clock=clock_name(plan.control),
    )


@router.post("/t/{table_id}/seat/{key}")
async def sit(request: Request, site: CurrentSite, table_id: str, key: str) -> Response:
    """Assigns the seat with this key to the visitor, and redirects to the table's page."""
    plan = await _stored_plan(site, table_id)
    form = await form_of(request)
    person = future_holder(request)
    for seat in plan.seats:
        if seat.key == key:
            check_reserved(seat, person)
    await asyncio.to_thread(check_accounts, site.store, plan, person)
    await asyncio.to_thread(check_days, site.store, plan, person, site.public is not None)
    name = person.called(form.get("name", ""))
    if site.compilation.is_over or not await site.tables.sit(table_id, key, person.holder, name):
        await actions.sit(await _table(request, table_id), key, person.holder, name)
    response = RedirectResponse(f"/t/{table_id}", 303)
    remember(request, response, person.visitor)
    return response


def check_reserved(seat: Seat, person: Person) -> None:
    """Raises HTTPException (403) if an open seat is reserved for another member than this person."""
    if seat.is_open and seat.member and seat.member != person.holder:
        raise HTTPException(403, "This seat is reserved for somebody else; you can watch.")


@router.post("/t/{table_id}/cancel")
async def cancel(request: Request, site: CurrentSite, table_id: str) -> Response:
    """Deletes a table that nobody has joined, for the person who opened it."""
    await site.tables.cancel(table_id, person_of(request).holder)
    return RedirectResponse("/", 303)


@router.post("/t/{table_id}/decline")
async def decline(request: Request, table_id: str) -> Response:
    """Declines an invitation to play. Anybody with the seat's link may then take the seat."""
    person = require(request, Role.MEMBER)
    await actions.decline(await _table(request, table_id), "", person.holder)
    return RedirectResponse("/", 303)


# -- a finished match


@router.get("/m/{table_id}.json", dependencies=[Depends(limited(MATCHES))])
async def download(site: CurrentSite, table_id: str) -> Response:
    """Sends the record of a finished match, in the format that `lapilli verify` and other commands read."""
    record = await site.tables.record(table_id)
    if record is None:
        raise HTTPException(404, "There is no such match, or it is not over yet.")
    name = f'attachment; filename="{record.game}.json"'
    return Response(record.to_json(), media_type="application/json", headers={"Content-Disposition": name})


@router.get("/m/{table_id}", dependencies=[Depends(limited(MATCHES))])
async def match(request: Request, site: CurrentSite, table_id: str) -> Response:
    """Shows a finished match as a film, with its analysis if there is one.

    A player of the match sees the board from their own side. If there is no analysis, the film first shows players the
    end of the match.
    """
    record = await site.tables.record(table_id)
    if record is None:
        raise HTTPException(404, "There is no such match, or it is not over yet.")
    stored = await asyncio.to_thread(site.store.site.analyses.get, table_id)
    analysis = analysis_of(stored) if stored else None
    shown = await asyncio.to_thread(film, record, analysis)
    may_have_mistakes = analysis is None or any(turn.mark in ("mistake", "blunder") for turn in analysis.turns)
    changes = await asyncio.to_thread(site.store.site.ratings.changes, table_id)
    return rendered(
        "play/match",
        id=table_id,
        title=shown["title"],
        seat=await site.tables.seat_of(table_id, person_of(request).holder),
        film=packed(with_references(shown)),
        analysed=stored is not None,
        ratings=[(record.players[one.player].name, change_text(one.before, one.after)) for one in changes],
        can_learn=bool(record.load_game().searches) and may_have_mistakes,
    )
