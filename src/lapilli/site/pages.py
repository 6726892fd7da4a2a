"""Pages for playing and watching: the first page, the form for a new table, tables, and finished matches.

The HTML templates escape all text that players wrote.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

import msgspec
from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from lapilli.core.api import Game
from lapilli.games import load, names
from lapilli.site.accounts.accounts import accounts_of
from lapilli.site.http.answers import since
from lapilli.site.http.forms import form_of
from lapilli.site.http.limits import FILMS, MATCHES, TABLES, address_of, limited
from lapilli.site.http.rendering import rendered
from lapilli.site.identity.names import MAX_NAME
from lapilli.site.identity.people import Person, Role, future_holder, holder_of, person_of, require
from lapilli.site.identity.visitors import remember
from lapilli.site.live.drivers.bot_pool import offered_bots
from lapilli.site.live.rating import change_text, check_accounts, check_rated
from lapilli.site.live.table.live_table import LiveTable
from lapilli.site.live.table.plan import ANYBODY, PERSON, TIMES, Seat, TablePlan, opponents, plan_of
from lapilli.site.live.table.seats import is_reserved
from lapilli.site.site import CurrentSite, site_of
from lapilli.store import GUEST, SiteTable, Store
from lapilli.viewer.film import film
from lapilli.viewer.packing import packed, with_references

router = APIRouter(default_response_class=HTMLResponse)
_LISTED = 8
"""Largest number of matches in each list of the first page."""
_LOOKED_AT = 100
"""Largest number of stored matches that are read to fill the lists of the first page."""
_HASH = 16
"""Length of the hash that is stored instead of a guest's client address, in hexadecimal digits."""
_NO_TABLE = "There is no such table. Was the whole address copied?"


# -- the first page


@router.get("/")
async def home(request: Request, site: CurrentSite) -> Response:
    """Shows the first page: games with moving boards, matches, open seats and invitations."""
    store = site.store
    going, seats = await _open_tables(store)
    invitations = await asyncio.to_thread(_invitations, store, person_of(request))
    played = await asyncio.to_thread(store.site.matches.listed, over=True, most=_LISTED)
    games = await asyncio.to_thread(lambda: [load(name) for name in names()])
    return rendered(
        "home",
        games=games,
        going=going,
        seats_open=seats,
        invitations=invitations,
        played=[_table_summary(table) for table in played],
    )


async def _open_tables(store: Store, game: str = "") -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Returns summaries of tables whose match is not over, as two lists.

    The first list has the tables without a seat that anybody may take, the second list the tables with such a seat.

    Args:
        store: the database.
        game: name of a game, to list only tables of this game; "" for all games.
    """
    tables = await asyncio.to_thread(store.site.matches.listed, over=False, most=_LOOKED_AT)
    summaries = [_table_summary(table) for table in tables if game in ("", table.game)]
    in_progress = [summary for summary in summaries if not summary["seat"]]
    with_free_seat = [summary for summary in summaries if summary["seat"]]
    return in_progress[:_LISTED], with_free_seat[:_LISTED]


def _invitations(store: Store, person: Person) -> list[dict[str, Any]]:
    """Returns a summary of each table at which a seat is reserved for this person."""
    if not person.id:
        return []
    invitations = []
    for table in store.site.matches.listed(over=False, most=_LOOKED_AT):
        seats = msgspec.convert(table.plan, TablePlan).seats
        reserved = next((seat for seat in seats if is_reserved(seat, "", person.holder)), None)
        if reserved is not None:
            host = next((seat.name for seat in seats if seat.holder), "Somebody")
            summary = {"host": host, "seat": f"/t/{table.id}/seat/{reserved.key}", "id": table.id}
            invitations.append(summary | {"title": load(table.game).title})
    return invitations


@router.get("/films/{game}", dependencies=[Depends(limited(FILMS))])
async def living(site: CurrentSite, game: str, start: bool = False) -> Response:
    """Sends the film for a game's board on the first page; with `start`, only its first picture."""
    showcase, found_game = site.showcase, load(game)
    data = await (showcase.start(found_game) if start else showcase.film(found_game))
    return JSONResponse(data, headers={"Cache-Control": "no-store"})


def _table_summary(table: SiteTable) -> dict[str, Any]:
    """Returns a table as data for the lists of matches.

    The value of the key `seat` is the path of the table's first seat that anybody may take; "" if there is none.
    """
    seats = table.plan["seats"]
    key = next((seat["key"] for seat in seats if seat.get("listed") and not seat.get("holder")), "")
    return {
        "id": table.id,
        "seat": f"/t/{table.id}/seat/{key}" if key else "",
        "title": load(table.game).title,
        "rated": table.plan.get("rated", False),
        "names": [seat.get("name") or "open seat" for seat in seats],
        "verdict": table.verdict,
        "when": since(time.time() - table.changed),
    }


# -- a new table


@router.get("/play")
async def choose(request: Request, site: CurrentSite, game: str = "") -> Response:
    """Shows the form for a new table: game, opponents and clock."""
    chosen = load(game or names()[0])
    site.compilation.prefer(chosen.name)
    store = site.store
    _, seats = await _open_tables(store, chosen.name)
    bots = await asyncio.to_thread(offered_bots, store, person_of(request).id, chosen)
    return rendered(
        "play",
        seats_open=seats,
        games=[load(name) for name in names()],
        game=chosen,
        times=TIMES,
        bots=[(name, called) for name, (called, _) in bots.items()],
        **_offers(chosen),
    )


def _offers(game: Game) -> dict[str, Any]:
    offered = opponents(game)
    levels = [name for name, _ in offered if name.startswith("level")]
    return {
        "offered": offered,
        "usual": levels[min(2, len(levels) - 1)] if levels else offered[-1][0],
        "seats": range(1, max(game.players)),
        "needed": min(game.players) - 1,
        "person": PERSON,
        "anybody": ANYBODY,
        "max_name": MAX_NAME,
    }


@router.post("/play", dependencies=[Depends(limited(TABLES))])
async def begin(request: Request, site: CurrentSite) -> Response:
    """Creates a table from a form, and redirects to the table's page."""
    form = await form_of(request)
    person = future_holder(request)
    form["name"] = person.called(form.get("name", ""))
    plan = await asyncio.to_thread(_plan, site.store, form, person)
    plan.laid_by = _creator_of(request, person)
    if plan.rated:
        check_rated(plan, person, site.public is not None)
        await asyncio.to_thread(check_accounts, site.store, plan)
    if any(seat.bot for seat in plan.seats):
        site.bot_pool.check_free(person.holder)
    response = RedirectResponse(f"/t/{await site.tables.open(plan)}", 303)
    remember(request, response, person.visitor)
    return response


def _creator_of(request: Request, person: Person) -> str:
    """Returns the creator of a new table, for `TablePlan.laid_by`: the account, or a hash of a guest's client address.

    Returns "" on a private site. The hash is keyed, so that the store alone does not reveal the address.
    """
    if site_of(request).public is None:
        return ""
    if person.id:
        return holder_of(person.id)
    return GUEST + accounts_of(request).key("laid", address_of(request))[:_HASH]


def _plan(store: Store, form: dict[str, str], person: Person) -> TablePlan:
    bots = offered_bots(store, person.id, load(form.get("game", "")))
    return plan_of(form, person.holder, {name: seat for name, (_, seat) in bots.items()})


# -- a table


async def _table(request: Request, table_id: str) -> LiveTable:
    table = await site_of(request).tables.find(table_id)
    if table is None:
        raise HTTPException(404, _NO_TABLE)
    return table


@router.get("/t/{table_id}")
async def table(site: CurrentSite, table_id: str) -> Response:
    """Shows a table's page, for playing or watching; the page receives the table through its WebSocket."""
    game = await site.tables.game_of(table_id)
    if game is None:
        raise HTTPException(404, _NO_TABLE)
    return rendered("table", id=table_id, title=load(game).title, game=game)


@router.get("/t/{table_id}/seat/{key}")
async def seat(request: Request, table_id: str, key: str) -> Response:
    """Shows the page on which a visitor can take the seat with this key."""
    table = await _table(request, table_id)
    player = next((number for number, seat in enumerate(table.plan.seats) if seat.key and seat.key == key), None)
    if player is None:
        raise HTTPException(404, "There is no such seat. Was the whole address copied?")
    host = next((seat.name for seat in table.plan.seats if seat.holder and seat.name), "Somebody")
    side = table.match.game.sides[player]
    check_reserved(table.plan.seats[player], person_of(request))
    return rendered(
        "seat",
        id=table_id,
        key=key,
        game=table.match.game,
        host=host,
        side=side,
        max_name=MAX_NAME,
        rated=table.plan.rated,
    )


@router.post("/t/{table_id}/seat/{key}")
async def sit(request: Request, table_id: str, key: str) -> Response:
    """Assigns the seat with this key to the visitor, and redirects to the table's page."""
    table = await _table(request, table_id)
    form = await form_of(request)
    person = future_holder(request)
    for seat in table.plan.seats:
        if seat.key == key:
            check_reserved(seat, person)
    await asyncio.to_thread(check_accounts, site_of(request).store, table.plan, person.id)
    await table.sit(key, person.holder, person.called(form.get("name", "")))
    response = RedirectResponse(f"/t/{table_id}", 303)
    remember(request, response, person.visitor)
    return response


def check_reserved(seat: Seat, person: Person) -> None:
    """Raises HTTPException (403) if an open seat is reserved for another member than this person."""
    if seat.is_open and seat.member and seat.member != person.holder:
        raise HTTPException(403, "This seat is kept for somebody else; you can watch.")


@router.post("/t/{table_id}/decline")
async def decline(request: Request, table_id: str) -> Response:
    """Declines an invitation to play. Anybody with the seat's link may then take the seat."""
    person = require(request, Role.MEMBER)
    await (await _table(request, table_id)).decline("", person.holder)
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
async def match(site: CurrentSite, table_id: str) -> Response:
    """Shows a finished match as a film."""
    record = await site.tables.record(table_id)
    if record is None:
        raise HTTPException(404, "There is no such match, or it is not over yet.")
    shown = await asyncio.to_thread(film, record)
    changes = await asyncio.to_thread(site.store.site.ratings.changes, table_id)
    return rendered(
        "match",
        id=table_id,
        title=shown["title"],
        film=packed(with_references(shown)),
        ratings=[(record.players[one.player].name, change_text(one.before, one.after)) for one in changes],
        searched=bool(record.load_game().searches),
    )
