"""Routes of the API. All paths are below /api/v1. The routes about bots are in `lapilli.site.api.bots`."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, FastAPI, Query, Request
from fastapi.responses import Response

from lapilli.core.errors import UnknownName
from lapilli.games import load, names
from lapilli.site.api import bots, people, seeks, tournaments
from lapilli.site.api.callers import Playing, Reader, spend
from lapilli.site.api.gate import Bounded, Gate, payer_of
from lapilli.site.api.models import (
    AccountFacts,
    Challenge,
    Done,
    DrawOffer,
    GameFacts,
    NewTable,
    OwnMatchFacts,
    Reply,
    TableFacts,
)
from lapilli.site.api.problems import Refused, add_problem_handlers
from lapilli.site.api.streams import Follower, Lines, counted, events
from lapilli.site.api.tables import facts_of, is_for
from lapilli.site.http.bodies import Bodies
from lapilli.site.http.connections.timeouts import Timeouts
from lapilli.site.http.limits import TABLES
from lapilli.site.live import actions
from lapilli.site.live.messages import from_page
from lapilli.site.live.results.rating import check_accounts, check_rated
from lapilli.site.live.table.live_table import LiveTable
from lapilli.site.live.table.plan import BOT, MEMBER, PERSON, plan_of
from lapilli.site.live.upkeep.day_matches import check_days
from lapilli.site.people.identity.names import folded
from lapilli.site.people.identity.people import holder_of
from lapilli.site.runtime.site import CurrentSite, site_of
from lapilli.store import Account

router = APIRouter()
_NO_TABLE = "there is no such table"


def create_api(timeouts: Timeouts) -> FastAPI:
    """Returns the API, which is a web application of its own.

    The caller must set the API's `state` to the `state` of the site's web application.

    Args:
        timeouts: time limits for receiving requests.
    """
    api = FastAPI(title="Lapilli", version="1", docs_url=None, redoc_url=None, redirect_slashes=False)
    add_problem_handlers(api)
    api.add_middleware(Bounded)
    api.add_middleware(Bodies, timeouts=timeouts, payer=payer_of)
    api.add_middleware(Gate)  # middleware added last runs first
    api.include_router(router)
    api.include_router(bots.router)
    api.include_router(people.router)
    api.include_router(seeks.router)
    api.include_router(tournaments.router)
    return api


@router.get("/account", tags=["account"])
async def account(caller: Reader) -> AccountFacts:
    """Returns the account to which the token belongs."""
    token = caller.token
    return AccountFacts(name=token.name, owner=token.owner, scopes=sorted(token.scopes))


@router.get("/games", tags=["games"])
async def games(caller: Reader) -> list[GameFacts]:
    """Returns the games, with their variants and built-in opponents."""
    return await asyncio.to_thread(lambda: [GameFacts.of(load(name)) for name in names()])


# -- challenges


@router.get("/events", tags=["challenges"], response_class=Lines)
async def stream_events(site: CurrentSite, caller: Playing) -> Lines:
    """Streams a line for each challenge to this program or its account (`challenge`), and for each match of the program
    that has begun (`start`).
    """
    return await counted(site.store, caller, events(site.tables, caller))


@router.post("/challenges", status_code=201, tags=["challenges"])
async def challenge(request: Request, site: CurrentSite, caller: Playing, asked: Challenge) -> NewTable:
    """Creates a table. The match begins when all seats are taken."""
    for name in asked.opponents:
        find = site.store.site.tokens.named
        if name.startswith(BOT) and await asyncio.to_thread(find, name.removeprefix(BOT)) is None:
            raise Refused(404, f"there is no program named {name.removeprefix(BOT)!r}")
    form = {"game": asked.game, "variant": asked.variant, "time": asked.clock, "seat": asked.seat}
    members = {name: await _member(request, name) for name in asked.opponents if name.startswith(MEMBER)}
    form |= {f"opponent{number}": PERSON if name in members else name for number, name in enumerate(asked.opponents, 1)}
    try:
        plan = await asyncio.to_thread(plan_of, form | {"name": caller.token.name}, caller.person.holder)
    except UnknownName as error:
        raise Refused(404, str(error)) from None
    if len(plan.seats) != len(asked.opponents) + 1:
        raise Refused(422, "the number of seats does not fit this game")
    others = [seat for seat in plan.seats if seat.holder != caller.person.holder]
    for seat, name in zip(others, asked.opponents, strict=True):
        if name in members:
            seat.member, seat.name = holder_of(members[name].id), members[name].name
    plan.rated = asked.rated
    if plan.rated:
        check_rated(plan, caller.person, site.public is not None)
        await asyncio.to_thread(check_accounts, site.store, plan)
    await asyncio.to_thread(check_days, site.store, plan, caller.person, site.public is not None)
    spend(request, caller, TABLES)
    if site.public is not None:
        plan.laid_by = holder_of(caller.person.id)
    table_id = await site.tables.open(plan)
    links = {str(number): f"/t/{table_id}/seat/{seat.key}" for number, seat in enumerate(plan.seats) if seat.key}
    return NewTable(id=table_id, address=f"/t/{table_id}", links=links)


async def _member(request: Request, opponent: str) -> Account:
    """Returns the member with the name in `opponent`, a text `member:NAME`. Raises Refused (404) if there is none."""
    name, found = opponent.removeprefix(MEMBER), None
    if site_of(request).public is not None:
        found = await asyncio.to_thread(site_of(request).store.site.people.named, folded(name))
    if found is None:
        raise Refused(404, f"there is no member named {name!r}")
    return found


async def _table(request: Request, table_id: str) -> LiveTable:
    table = await site_of(request).tables.find(table_id)
    if table is None:
        raise Refused(404, _NO_TABLE)
    return table


@router.post("/tables/{table_id}/accept", tags=["challenges"])
async def accept(request: Request, caller: Playing, table_id: str) -> Done:
    """Takes a seat that is reserved for this program or its account. If there is none, takes a seat open to anybody."""
    table = await _table(request, table_id)
    name, holder = caller.token.name, caller.person.holder
    if table.plan.seat_of(holder) is None:
        offered = [seat for seat in table.plan.seats if seat.is_open and (is_for(seat, caller) or seat.listed)]
        if not offered:
            raise Refused(409, "there is no seat for you at this table")
        site = site_of(request)
        await asyncio.to_thread(check_accounts, site.store, table.plan, caller.person)
        await asyncio.to_thread(check_days, site.store, table.plan, caller.person, site.public is not None)
        best = max(offered, key=lambda seat: is_for(seat, caller))
        await actions.sit(table, best.key, holder, name)
    return Done()


@router.post("/tables/{table_id}/decline", tags=["challenges"])
async def decline(request: Request, caller: Playing, table_id: str) -> Done:
    """Declines a challenge. Anybody with the seat's link may then take the seat."""
    await actions.decline(await _table(request, table_id), caller.token.name, holder_of(caller.person.id))
    return Done()


# -- matches


@router.get("/tables", tags=["matches"])
async def tables(
    site: CurrentSite, caller: Reader, over: bool = False, most: Annotated[int, Query(ge=1, le=100)] = 20
) -> list[TableFacts]:
    """Returns the tables of unfinished matches or, if `over` is true, of finished matches.

    The latest match of each creator comes first, then the second latest of each creator, and so on.
    """
    found = await asyncio.to_thread(site.store.site.matches.listed, over=over, most=most)
    return [facts_of(table) for table in found]


@router.get("/matches", tags=["matches"])
async def matches(site: CurrentSite, caller: Playing) -> list[OwnMatchFacts]:
    """Returns the program's unfinished matches over days. Matches in which it is the program's turn come first."""
    found = await asyncio.to_thread(site.store.site.turns.of, caller.person.holder)
    return [
        OwnMatchFacts(table=facts_of(one.table), player=one.player, asked=one.is_asked, left_s=one.left_s)
        for one in found
    ]


@router.get("/tables/{table_id}", tags=["matches"])
async def table(site: CurrentSite, caller: Reader, table_id: str) -> TableFacts:
    """Returns one table."""
    stored = await asyncio.to_thread(site.store.site.matches.get, table_id)
    if stored is None:
        raise Refused(404, _NO_TABLE)
    return facts_of(stored)


@router.get("/tables/{table_id}/record", tags=["matches"])
async def record(site: CurrentSite, caller: Reader, table_id: str) -> Response:
    """Returns the record of a finished match."""
    found = await site.tables.record(table_id)
    if found is None:
        raise Refused(404, "there is no such match, or it is not over yet")
    return Response(found.to_json(), media_type="application/json")


@router.get("/tables/{table_id}/stream", tags=["matches"], response_class=Lines)
async def stream(request: Request, site: CurrentSite, caller: Reader, table_id: str) -> Lines:
    """Streams the table (`match`), each turn from the first on (`turn`), draw offers (`draw`), each input to which this
    program must reply (`ask`), and the end (`end`).
    """
    return await counted(site.store, caller, Follower(await _table(request, table_id), caller).lines())


@router.post("/tables/{table_id}/answers", tags=["matches"])
async def answer(request: Request, caller: Playing, table_id: str, given: Reply) -> Done:
    """Plays the program's reply for a turn. A reply that breaks the rules is a fault, as in any match."""
    await actions.play_reply(await _table(request, table_id), caller.person.holder, given.turn, given.text)
    return Done()


@router.post("/tables/{table_id}/resign", tags=["matches"])
async def resign(request: Request, caller: Playing, table_id: str) -> Done:
    """Resigns. The match ends for the program at once or, if other players must act first, at its next turn."""
    await actions.act_without_page(await _table(request, table_id), caller.person.holder, from_page.Resign())
    return Done()


@router.post("/tables/{table_id}/draw", tags=["matches"])
async def draw(request: Request, caller: Playing, table_id: str, offer: DrawOffer) -> Done:
    """Offers a draw, accepts an offer, or declines all offers."""
    table = await _table(request, table_id)
    await actions.act_without_page(table, caller.person.holder, from_page.Draw(agrees=offer.agrees))
    return Done()
