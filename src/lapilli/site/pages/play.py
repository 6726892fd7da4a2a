"""Pages for playing and watching: the first page, the form for a new table, tables, and finished matches.

The HTML templates escape all text that players wrote.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from hashlib import sha256
from typing import Any

import msgspec
from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from lapilli.core.api import Game
from lapilli.core.content.tutorials import read_tutorial
from lapilli.core.errors import StoreError
from lapilli.games import load, names
from lapilli.players.engines.precompile import uses_search
from lapilli.players.engines.searches import BEST, level_titles
from lapilli.site.accounts.accounts import accounts_of
from lapilli.site.compilation import Compilation
from lapilli.site.http.forms import form_of
from lapilli.site.http.limits import FILMS, MATCHES, TABLES, address_of, limited
from lapilli.site.http.rendering import rendered
from lapilli.site.identity.names import MAX_NAME
from lapilli.site.identity.people import Person, Role, future_holder, holder_of, person_of, require
from lapilli.site.identity.visitors import remember
from lapilli.site.live import actions
from lapilli.site.live.drivers.bot_pool import offered_bots
from lapilli.site.live.results.rating import change_text, check_accounts, check_rated
from lapilli.site.live.table.chat import MAX_LINE
from lapilli.site.live.table.live_table import LiveTable
from lapilli.site.live.table.plan import (
    ANYBODY,
    PERSON,
    TIMES,
    USUAL_CLOCK,
    Seat,
    TablePlan,
    called,
    clock_name,
    opponents,
    plan_of,
)
from lapilli.site.live.table.seats import is_reserved
from lapilli.site.live.tables import Tables
from lapilli.site.live.upkeep.day_matches import check_days
from lapilli.site.pages.own_matches import own_matches, table_summary
from lapilli.site.site import CurrentSite, Site, site_of
from lapilli.site.study.puzzles import daily
from lapilli.site.study.search_jobs import analysis_of
from lapilli.store import GUEST, SiteTable, Store
from lapilli.viewer.film import film
from lapilli.viewer.packing import packed, with_references

router = APIRouter(default_response_class=HTMLResponse)
_LISTED = 8
"""Largest number of matches in each list of the first page."""
_CARDS = 5
"""Number of levels that the form for a new table shows as cards. All levels are behind a slider."""
_FILM_S = 1.0
"""Time for which a request for a film waits for the compiler, in seconds, before the page is sent the progress."""
_SHARE = "Lapilli-Compiled"
"""Header of a response with a film: how much of the game's kernels is compiled, in percent."""
_HASH = 16
"""Length of the hash that is stored instead of a guest's client address, in hexadecimal digits."""
_NO_TABLE = "There is no such table. Was the whole address copied?"


# -- the first page


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
        seats_open=_open_seats(going),
        live=_live(site.tables, going),
        played=[table_summary(table) for table in played],
    )


def _daily(site: Site, holder: str) -> dict[str, Any]:
    """Returns the puzzle of the day for the first page, as the function `daily` does; an empty dict if the store fails.

    A game's puzzles are written to the store when they are first requested. The rest of the first page only reads the
    store, so it can be shown even if nothing can be written.
    """
    try:
        return daily(site, holder)
    except StoreError:
        return {}


def _live(tables: Tables, going: Sequence[SiteTable]) -> list[dict[str, Any]]:
    """Returns summaries of the unfinished matches with a player at the table."""
    live = [table for table in going if _plan_of(table).ready and tables.is_attended(table)]
    return [table_summary(table) for table in live[:_LISTED]]


def _open_seats(going: Sequence[SiteTable], game: str = "") -> list[dict[str, Any]]:
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


# -- a new table


@router.get("/play")
async def choose(request: Request, site: CurrentSite, game: str = "", opponent: str = "") -> Response:
    """Shows the form for a new table: game, opponents and clock. If `opponent` is offered, it is selected in the
    form.
    """
    chosen_game = load(game or names()[0])
    site.compilation.prefer(chosen_game.name, searches=True)
    bots = await asyncio.to_thread(offered_bots, site.store, person_of(request).id, chosen_game)
    tutorial = await asyncio.to_thread(read_tutorial, chosen_game.content)
    return rendered(
        "play/play",
        seats_open=_open_seats(await site.tables.going(), chosen_game.name),
        games=[load(name) for name in names()],
        game=chosen_game,
        times=TIMES,
        usual_clock=USUAL_CLOCK,
        bots=[(name, called_as) for name, (called_as, _) in bots.items()],
        chosen_bot=opponent if opponent in bots else "",
        outline=[
            {"say": one.say, "place": {"game": chosen_game.name, "setup": one.setup, "moves": one.moves}}
            for one in tutorial.outline
        ],
        **_offers(chosen_game, opponent, bots, readiness(site.compilation, chosen_game)),
    )


@router.get("/play/ready/{game}", dependencies=[Depends(limited(FILMS))])
async def ready(site: CurrentSite, game: str) -> Response:
    """Sends the sentence of `readiness`, which the form for a new table shows."""
    return JSONResponse({"words": readiness(site.compilation, load(game))}, headers={"Cache-Control": "no-store"})


def readiness(compilation: Compilation, game: Game) -> str:
    """Returns a sentence about the opponent that can play while the kernels of levels are compiled.

    Returns "" if all kernels are compiled, or if the game has no levels.
    """
    share, name = compilation.share_now(game.name, searches=True), called(game, _first_ready(game))
    if share is None or not game.searches:
        return ""
    game_share = compilation.share_now(game.name)
    if game_share is None:
        return f"{name} can play at once. The other opponents are being prepared, the first time only: {share} %."
    return f"The game is being prepared, the first time only: {game_share} %. {name} can play first, the others later."


def _first_ready(game: Game) -> str:
    """Returns the strongest built-in opponent that needs no kernels of searches."""
    *_, name = (name for name, _ in opponents(game) if not uses_search(game, [name]))
    return name


def _offers(game: Game, opponent: str, bots: Collection[str], words: str) -> dict[str, Any]:
    """Returns the opponents of the form for a new table, as values for its template.

    The form shows a few built-in opponents as cards, named by their strength. A slider selects any other level.

    Args:
        game: the game.
        opponent: name of the opponent that is selected in the form; ignored if the form does not offer it.
        bots: names of the bots in the form.
        words: sentence of `readiness`. If it is not empty, the opponent that can play first has a card, too.
    """
    offered = dict(opponents(game))
    grades = [
        {"name": name, "title": title, "detail": offered[name].removeprefix(f"{title} · ")}
        for name, title in _grades(game)
    ] or [{"name": name, "title": text, "detail": ""} for name, text in offered.items()]
    usual = grades[0]["name"]
    first = _first_ready(game)
    if words and first not in (grade["name"] for grade in grades):
        detail = offered[first].partition(" · ")[2]
        grades.insert(0, {"name": first, "title": called(game, first), "detail": detail})
    chosen = opponent if opponent in (PERSON, ANYBODY, *bots, *offered) else usual
    elo = {strength.player: strength.elo for strength in game.strengths}
    levels = sorted(offered.items(), key=lambda offer: elo.get(offer[0], 0)) if len(offered) > len(grades) else []
    finer = [name for name, _ in levels]
    named = {PERSON, ANYBODY, *bots, *(grade["name"] for grade in grades)}
    return {
        "grades": grades,
        "ready_words": words,
        "levels": levels,
        "level": finer.index(chosen if chosen in finer else usual) if finer else 0,
        "is_finer": chosen not in named,
        "usual": usual,
        "chosen": chosen,
        "others": range(2, max(game.players)),
        "needed": min(game.players) - 1,
        "person": PERSON,
        "anybody": ANYBODY,
        "max_name": MAX_NAME,
    }


def _grades(game: Game) -> list[tuple[str, str]]:
    """Returns a few opponents from the weakest level to the strongest search, as tuples (name, title)."""
    levels = list(level_titles(game).items())
    if not levels:
        return []
    steps = min(len(levels), _CARDS) - 1
    cards = [levels[step * (len(levels) - 1) // max(1, steps)] for step in range(steps + 1)]
    return [*cards, (BEST, BEST.capitalize())]


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
    await asyncio.to_thread(check_days, site.store, plan, person, site.public is not None)
    if any(seat.bot for seat in plan.seats):
        site.bot_pool.check_free(person.holder)
    site.compilation.prefer(plan.game, searches=any(seat.engine for seat in plan.seats))
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
    name = await site.tables.game_of(table_id)
    if name is None:
        raise HTTPException(404, _NO_TABLE)
    game = load(name)
    has_premoves = game.max_game_length == game.max_turns  # a turn is one action, such as one place of the board
    return rendered(
        "play/table", id=table_id, title=game.title, game=name, max_line=MAX_LINE, has_premoves=has_premoves
    )


async def _stored_plan(site: Site, table_id: str) -> TablePlan:
    """Returns a table's plan, without loading the table: that would have to wait for the compiler on a new site."""
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
    host = next((seat.name for seat in plan.seats if seat.holder and seat.name), "Somebody")
    game = plan.load_game()
    check_reserved(plan.seats[player], person_of(request))
    return rendered(
        "play/seat",
        id=table_id,
        key=key,
        game=game,
        host=host,
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
    shown = await asyncio.to_thread(film, record, analysis_of(stored) if stored else None)
    changes = await asyncio.to_thread(site.store.site.ratings.changes, table_id)
    return rendered(
        "play/match",
        id=table_id,
        title=shown["title"],
        seat=await site.tables.seat_of(table_id, person_of(request).holder),
        film=packed(with_references(shown)),
        analysed=stored is not None,
        ratings=[(record.players[one.player].name, change_text(one.before, one.after)) for one in changes],
        searched=bool(record.load_game().searches),
    )
