"""The pages: rendered here, with nothing in them that a player wrote taken for markup."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import time
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from lapilli.arena.store import SiteTable
from lapilli.games import load, names
from lapilli.games.api import Game
from lapilli.viewer.film import film
from lapilli.web.forms import form_of
from lapilli.web.hall import hall_of
from lapilli.web.plan import MAX_NAME, PERSON, TIMES, name_of, opponents, plan_of
from lapilli.web.rendering import rendered
from lapilli.web.room import Room
from lapilli.web.visitors import new_visitor, remember, visitor_of

router = APIRouter(default_response_class=HTMLResponse)
_LISTED = 8
"""Matches on the first page."""
_NO_TABLE = "There is no such table. Was the whole address copied?"


# -- the first page


@router.get("/")
async def home(request: Request) -> Response:
    """The games as living boards, and what is played."""
    store = hall_of(request).store
    going = await asyncio.to_thread(store.site.matches.listed, over=False, most=_LISTED)
    played = await asyncio.to_thread(store.site.matches.listed, over=True, most=_LISTED)
    games = await asyncio.to_thread(lambda: [load(name) for name in names()])
    return rendered("home", games=games, going=[_listed(one) for one in going], played=[_listed(one) for one in played])


@router.get("/films/{game}")
async def living(request: Request, game: str) -> Response:
    """The film that a game's board on the first page shows."""
    shown = await hall_of(request).film(load(game).name)
    kept = ("style", "defs", "links", "globe", "legend", "players", "frames")
    return JSONResponse({key: shown[key] for key in kept}, headers={"Cache-Control": "no-store"})


def _listed(table: SiteTable) -> dict[str, Any]:
    seats = table.plan["seats"]
    return {
        "id": table.id,
        "title": load(table.game).title,
        "names": [seat.get("name") or "open seat" for seat in seats],
        "verdict": table.verdict,
        "when": _ago(time.time() - table.changed),
    }


def _ago(seconds: float) -> str:
    for unit, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= unit:
            number = int(seconds // unit)
            return f"{number} {name}{'s' if number > 1 else ''} ago"
    return "just now"


# -- a new table


@router.get("/play")
async def choose(request: Request, game: str = "") -> Response:
    """What to play, against whom."""
    chosen = load(game or names()[0])
    return rendered("play", games=[load(name) for name in names()], game=chosen, times=TIMES, **_offers(chosen))


def _offers(game: Game) -> dict[str, Any]:
    offered = opponents(game)
    levels = [name for name, _ in offered if name.startswith("level")]
    return {
        "offered": offered,
        "usual": levels[min(2, len(levels) - 1)] if levels else offered[-1][0],
        "seats": range(1, max(game.players)),
        "needed": min(game.players) - 1,
        "person": PERSON,
        "max_name": MAX_NAME,
    }


@router.post("/play")
async def begin(request: Request) -> Response:
    """Lays a table."""
    form = await form_of(request)
    visitor = visitor_of(request) or new_visitor()
    plan = await asyncio.to_thread(plan_of, form, visitor)
    response = RedirectResponse(f"/t/{await hall_of(request).open(plan)}", 303)
    remember(response, visitor)
    return response


# -- a table


async def _room(request: Request, table_id: str) -> Room:
    room = await hall_of(request).room(table_id)
    if room is None:
        raise HTTPException(404, _NO_TABLE)
    return room


@router.get("/t/{table_id}")
async def table(request: Request, table_id: str) -> Response:
    """A match, to play or to watch; what goes on comes over the WebSocket."""
    room = await _room(request, table_id)
    return rendered("table", id=table_id, title=room.table.game.title, game=room.plan.game)


@router.get("/t/{table_id}/seat/{key}")
async def seat(request: Request, table_id: str, key: str) -> Response:
    """An invitation to a seat."""
    room = await _room(request, table_id)
    player = next((number for number, one in enumerate(room.plan.seats) if one.key and one.key == key), None)
    if player is None:
        raise HTTPException(404, "There is no such seat. Was the whole address copied?")
    who = next((one.name for one in room.plan.seats if one.holder and one.name), "Somebody")
    side = room.table.game.sides[player]
    return rendered("seat", id=table_id, key=key, game=room.table.game, host=who, side=side, max_name=MAX_NAME)


@router.post("/t/{table_id}/seat/{key}")
async def sit(request: Request, table_id: str, key: str) -> Response:
    """Takes the seat."""
    room = await _room(request, table_id)
    form = await form_of(request)
    visitor = visitor_of(request) or new_visitor()
    await room.sit(key, visitor, name_of(form.get("name", "")))
    response = RedirectResponse(f"/t/{table_id}", 303)
    remember(response, visitor)
    return response


# -- a match that is over


@router.get("/m/{table_id}.json")
async def download(request: Request, table_id: str) -> Response:
    """The record, as `lapilli verify` and all other commands read it."""
    record = await hall_of(request).record(table_id)
    if record is None:
        raise HTTPException(404, "There is no such match, or it is not over yet.")
    name = f'attachment; filename="{record.game}.json"'
    return Response(record.to_json(), media_type="application/json", headers={"Content-Disposition": name})


@router.get("/m/{table_id}")
async def match(request: Request, table_id: str) -> Response:
    """The player with the match in it."""
    record = await hall_of(request).record(table_id)
    if record is None:
        raise HTTPException(404, "There is no such match, or it is not over yet.")
    shown = await asyncio.to_thread(film, record)
    return rendered("match", id=table_id, title=shown["title"], film=_packed(shown))


def _packed(shown: dict[str, Any]) -> str:
    text = json.dumps(shown, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()
