"""The requests of the lobby's script."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import JSONResponse, Response

from lapilli.core.errors import LapilliError
from lapilli.games import load
from lapilli.site.http.answers import JsonRoute
from lapilli.site.http.forms import form_of
from lapilli.site.http.limits import POSITIONS, TABLES, limited
from lapilli.site.live.table.plan import TIMES, brief_time, called, nearest_level
from lapilli.site.people.identity.people import Person, Role, require, shown_name
from lapilli.site.people.lobby.lobby import HIGHEST, LOWEST
from lapilli.site.runtime.site import CurrentSite, Site
from lapilli.store import ACCOUNT, CORRESPONDENCE, Seek, SiteTable

router = APIRouter(route_class=JsonRoute)
_PATIENCE_S = 30.0
"""Waiting time after which a person without an opponent is offered a built-in level, in seconds."""


@router.get("/lobby/now", dependencies=[Depends(limited(POSITIONS))])
async def now(request: Request, site: CurrentSite) -> Response:
    """Sends the present state of the lobby. If the person waits for a quick match, first looks for an opponent."""
    person = require(request, Role.MEMBER)
    site.lobby.see(person)
    shown = await asyncio.to_thread(_now, site, person) | {"playing": _playing(site, await site.tables.going())}
    return JSONResponse(shown, headers={"Cache-Control": "no-store"})


def _now(site: Site, person: Person) -> dict[str, Any]:
    seeks = site.store.site.seeks
    own = seeks.of(person.holder, person.id)
    waiting, table_id = [seek for seek in own if not seek.table_id], ""
    for seek in own:
        table = site.tables.in_memory.get(seek.table_id)
        if table is None or not table.audience.has_come(person.holder):  # a page may not have received the last answer
            table_id = seek.table_id or table_id
    for seek in waiting:
        if seek.quick and not table_id:
            table_id = site.lobby.pair(person, seek)
    return {
        "table": table_id,
        "offers": [_shown(seek, person) for seek in seeks.listed()],
        "online": seeks.online(),
        "level": "" if table_id else _level(site, waiting),
    }


def _playing(site: Site, going: Sequence[SiteTable]) -> list[str]:
    """Returns the names of the people who play a live match. `going`: tables whose match is not over."""
    seats = [table.plan["seats"] for table in going if site.tables.is_attended(table)]
    return sorted({seat["name"] for those in seats for seat in those if seat.get("holder", "").startswith(ACCOUNT)})


def _shown(seek: Seek, person: Person) -> dict[str, Any]:
    limits = ""
    if (seek.low, seek.high) != (LOWEST, HIGHEST):
        limits = f"{seek.low} to {seek.high}"
    return {
        "id": seek.id,
        "name": shown_name(seek.name, seek.holder),
        "own": seek.holder == person.holder,
        "rating": round(seek.rating),
        "game": seek.game,
        "title": load(seek.game).title,
        "clock": brief_time(TIMES[seek.clock][1]),
        "rated": seek.rated,
        "limits": limits,
        "quick": seek.quick,
        "slow": seek.kind == CORRESPONDENCE,
    }


def _level(site: Site, own: list[Seek]) -> dict[str, Any] | str:
    """Returns the level that the page offers as opponent to a person who has waited long for people; "" for none.

    It is the level with the rating nearest to the person's, as data for the page. `own`: the person's open offers to
    play.
    """
    since = site.store.site.matches.now() - _PATIENCE_S
    seek = next((one for one in own if one.created < since and one.kind != CORRESPONDENCE), None)
    best = nearest_level(load(seek.game), seek.rating) if seek else None
    if seek is None or best is None:
        return ""
    form = {"game": seek.game, "opponent1": best.player, "time": seek.clock, "rated": "yes" if seek.rated else ""}
    return {"title": f"{called(load(seek.game), best.player)} ({best.elo})", "form": form}


@router.post("/lobby/seeks", dependencies=[Depends(limited(TABLES))])
async def seek(request: Request, site: CurrentSite) -> Response:
    """Makes an offer to play, from a form."""
    person = require(request, Role.MEMBER)
    form = await form_of(request)
    made = await asyncio.to_thread(
        site.lobby.seek,
        person,
        game=form.get("game", ""),
        clock=form.get("time", ""),
        rated=form.get("rated") == "yes",
        low=_limit(form.get("low", ""), LOWEST),
        high=_limit(form.get("high", ""), HIGHEST),
        quick=form.get("quick") == "yes",
    )
    site.lobby.see(person)
    return JSONResponse({"id": made.id}, 201)


def _limit(text: str, default: int) -> int:
    """Parses a form's field with a limit for the opponent's rating. `default`: value of an empty field."""
    if not text:
        return default
    if not text.isascii() or not text.isdigit() or len(text) > 4:
        raise LapilliError("a rating is a number from 0 to 9999")
    return int(text)


@router.post("/lobby/seeks/{seek_id}/accept", dependencies=[Depends(limited(TABLES))])
async def accept(request: Request, site: CurrentSite, seek_id: str) -> Response:
    """Accepts an offer, and returns the id of the new table."""
    person = require(request, Role.MEMBER)
    table_id = await asyncio.to_thread(site.lobby.accept, person, seek_id)
    site.tables.changed()
    return JSONResponse({"table": table_id})


@router.post("/lobby/seeks/{seek_id}/withdraw")
async def withdraw(request: Request, site: CurrentSite, seek_id: str) -> Response:
    """Withdraws one of the person's own offers."""
    person = require(request, Role.MEMBER)
    if not await asyncio.to_thread(site.store.site.seeks.withdraw, person.holder, seek_id):
        raise HTTPException(404, "This offer is no longer open.")
    return JSONResponse({})
