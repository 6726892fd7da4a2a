"""Pages for playing and watching: the first page, new tables, tables, and finished matches.

The templates escape everything that players wrote.
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
from lapilli.site.identity.people import Person, Role, holder_of, needed, person_of, seated
from lapilli.site.identity.visitors import remember
from lapilli.site.live.bot_pool import offered_bots
from lapilli.site.live.live_table import LiveTable
from lapilli.site.live.plan import ANYBODY, PERSON, TIMES, Seat, TablePlan, opponents, plan_of
from lapilli.site.live.seats import is_kept
from lapilli.site.site import CurrentSite, site_of
from lapilli.store import GUEST, SiteTable, Store
from lapilli.viewer.film import film
from lapilli.viewer.packing import packed, referred

router = APIRouter(default_response_class=HTMLResponse)
_LISTED = 8
"""Number of matches of each kind on the first page."""
_LOOKED_AT = 100
"""Number of stored matches that are looked through to fill these lists."""
_HASH = 16
"""Number of hexadecimal digits that are stored of an address's hash."""
_NO_TABLE = "There is no such table. Was the whole address copied?"


# -- the first page


@router.get("/")
async def home(request: Request, site: CurrentSite) -> Response:
    """Shows the games with moving boards, matches and open seats."""
    store = site.store
    going, seats = await _going(store)
    asked = await asyncio.to_thread(_asked, store, person_of(request))
    played = await asyncio.to_thread(store.site.matches.listed, over=True, most=_LISTED)
    games = await asyncio.to_thread(lambda: [load(name) for name in names()])
    return rendered(
        "home", games=games, going=going, seats_open=seats, asked=asked, played=[_listed(one) for one in played]
    )


async def _going(store: Store, game: str = "") -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Returns matches in progress, and tables with a seat that is open to anybody; of one game, or of all."""
    found = await asyncio.to_thread(store.site.matches.listed, over=False, most=_LOOKED_AT)
    told = [_listed(one) for one in found if game in ("", one.game)]
    return [one for one in told if not one["seat"]][:_LISTED], [one for one in told if one["seat"]][:_LISTED]


def _asked(store: Store, person: Person) -> list[dict[str, Any]]:
    """Returns tables at which a seat is reserved for this person."""
    if not person.id:
        return []
    told = []
    for table in store.site.matches.listed(over=False, most=_LOOKED_AT):
        seats = msgspec.convert(table.plan, TablePlan).seats
        kept = next((seat for seat in seats if is_kept(seat, "", person.holder)), None)
        if kept is not None:
            host = next((seat.name for seat in seats if seat.holder), "Somebody")
            about = {"host": host, "seat": f"/t/{table.id}/seat/{kept.key}", "id": table.id}
            told.append(about | {"title": load(table.game).title})
    return told


@router.get("/films/{game}", dependencies=[Depends(limited(FILMS))])
async def living(site: CurrentSite, game: str, start: bool = False) -> Response:
    """Returns the film for a game's board on the first page, or only its first picture."""
    films, chosen = site.showcase, load(game)
    shown = await (films.start(chosen) if start else films.film(chosen))
    return JSONResponse(shown, headers={"Cache-Control": "no-store"})


def _listed(table: SiteTable) -> dict[str, Any]:
    seats = table.plan["seats"]
    key = next((seat["key"] for seat in seats if seat.get("listed") and not seat.get("holder")), "")
    return {
        "id": table.id,
        "seat": f"/t/{table.id}/seat/{key}" if key else "",
        "title": load(table.game).title,
        "names": [seat.get("name") or "open seat" for seat in seats],
        "verdict": table.verdict,
        "when": since(time.time() - table.changed),
    }


# -- a new table


@router.get("/play")
async def choose(request: Request, site: CurrentSite, game: str = "") -> Response:
    """Shows the form for a new table: game, opponents and clock."""
    chosen = load(game or names()[0])
    store = site.store
    _, seats = await _going(store, chosen.name)
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
    """Creates a table and redirects to it."""
    form = await form_of(request)
    person = seated(request)
    form["name"] = person.called(form.get("name", ""))
    plan = await asyncio.to_thread(_plan, site.store, form, person)
    plan.laid_by = _layer_of(request, person)
    if any(one.bot for one in plan.seats):
        site.bot_pool.check_free(person.holder)
    response = RedirectResponse(f"/t/{await site.tables.open(plan)}", 303)
    remember(request, response, person.visitor)
    return response


def _layer_of(request: Request, person: Person) -> str:
    """Returns what the store records about the creator of a table: the account, or a hash of a guest's address. The
    hash is keyed, so the store alone does not reveal the address.
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
async def table(request: Request, table_id: str) -> Response:
    """Shows a table, for playing or watching. Changes arrive over the WebSocket."""
    table = await _table(request, table_id)
    return rendered("table", id=table_id, title=table.match.game.title, game=table.plan.game)


@router.get("/t/{table_id}/seat/{key}")
async def seat(request: Request, table_id: str, key: str) -> Response:
    """Shows an invitation to a seat."""
    table = await _table(request, table_id)
    player = next((number for number, one in enumerate(table.plan.seats) if one.key and one.key == key), None)
    if player is None:
        raise HTTPException(404, "There is no such seat. Was the whole address copied?")
    who = next((one.name for one in table.plan.seats if one.holder and one.name), "Somebody")
    side = table.match.game.sides[player]
    check_kept(table.plan.seats[player], person_of(request))
    return rendered("seat", id=table_id, key=key, game=table.match.game, host=who, side=side, max_name=MAX_NAME)


@router.post("/t/{table_id}/seat/{key}")
async def sit(request: Request, table_id: str, key: str) -> Response:
    """Takes the seat and redirects to the table."""
    table = await _table(request, table_id)
    form = await form_of(request)
    person = seated(request)
    for one in table.plan.seats:
        if one.key == key:
            check_kept(one, person)
    await table.sit(key, person.holder, person.called(form.get("name", "")))
    response = RedirectResponse(f"/t/{table_id}", 303)
    remember(request, response, person.visitor)
    return response


def check_kept(seat: Seat, person: Person) -> None:
    """Raises HTTPException (403) if a seat is reserved for another member."""
    if seat.is_open and seat.member and seat.member != person.holder:
        raise HTTPException(403, "This seat is kept for somebody else; you can watch.")


@router.post("/t/{table_id}/decline")
async def decline(request: Request, table_id: str) -> Response:
    """Declines an invitation to play. The seat is then open to anybody with its link."""
    person = needed(request, Role.MEMBER)
    await (await _table(request, table_id)).decline("", person.holder)
    return RedirectResponse("/", 303)


# -- a finished match


@router.get("/m/{table_id}.json", dependencies=[Depends(limited(MATCHES))])
async def download(site: CurrentSite, table_id: str) -> Response:
    """Returns the record of a finished match, as `lapilli verify` and all other commands read it."""
    record = await site.tables.record(table_id)
    if record is None:
        raise HTTPException(404, "There is no such match, or it is not over yet.")
    name = f'attachment; filename="{record.game}.json"'
    return Response(record.to_json(), media_type="application/json", headers={"Content-Disposition": name})


@router.get("/m/{table_id}", dependencies=[Depends(limited(MATCHES))])
async def match(site: CurrentSite, table_id: str) -> Response:
    """Shows a finished match, to be played back."""
    record = await site.tables.record(table_id)
    if record is None:
        raise HTTPException(404, "There is no such match, or it is not over yet.")
    shown = await asyncio.to_thread(film, record)
    return rendered(
        "match",
        id=table_id,
        title=shown["title"],
        film=packed(referred(shown)),
        searched=bool(record.load_game().searches),
    )
