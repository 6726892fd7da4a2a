"""The mistakes of a match, one after the other, as exercises: find a better move."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import msgspec
from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from lapilli.core.api import Game
from lapilli.core.errors import IllegalAction, LapilliError
from lapilli.match import Record
from lapilli.match.analysis import Analysis
from lapilli.site.http.answers import JsonRoute
from lapilli.site.http.forms import json_of
from lapilli.site.http.limits import MATCHES, STUDIES, limited, payer_of
from lapilli.site.http.rendering import rendered
from lapilli.site.site import CurrentSite, Site, site_of
from lapilli.site.study import studies
from lapilli.site.study.analysis import streamed
from lapilli.site.study.positions import (
    MAX_PLACE,
    MAX_VALUES,
    Data,
    Place,
    place_data,
    place_of,
    position,
    positions,
    turn_text,
)
from lapilli.store.results import pack_record

router = APIRouter(default_response_class=HTMLResponse)
_json = APIRouter(route_class=JsonRoute)


async def _record(request: Request, table_id: str) -> Record:
    record = await site_of(request).tables.record(table_id)
    if record is None:
        raise HTTPException(404, "There is no such match, or it is not over yet.")
    return record


@router.get("/m/{table_id}/mistakes", dependencies=[Depends(limited(MATCHES))])
async def page(request: Request, table_id: str) -> Response:
    """Renders the page with the mistakes of a match."""
    record = await _record(request, table_id)
    game = record.load_game()
    if not game.searches:
        raise HTTPException(404, f"No engine can look at {game.title}.")
    place, _ = await asyncio.to_thread(place_of, record)
    sides = [f"{game.sides[number]} ({name})" for number, name in enumerate(record.player_names)]
    data = place_data(place) | {"match": table_id, "sides": sides}
    return rendered("mistakes", game=game, id=table_id, data=data)


@_json.post("/m/{table_id}/mistakes", dependencies=[Depends(limited(STUDIES))])
async def judged(request: Request, site: CurrentSite, table_id: str) -> Response:
    """Streams the progress of a match's analysis, and finally its mistakes. Each line is a JSON object."""
    record = await _record(request, table_id)
    return streamed(_judged(site, payer_of(request), table_id, record))


async def _judged(site: Site, payer: str, table_id: str, record: Record) -> AsyncGenerator[Data, None]:
    kept = await asyncio.to_thread(site.store.site.analyses.get, table_id)
    if kept is None:
        async for done, turns, found in site.analysis.study(payer, studies.judge, pack_record(record)):
            kept = found
            yield {"done": done, "of": turns}
        if kept is None:
            raise LapilliError("the match could not be judged")
        await asyncio.to_thread(site.store.site.analyses.keep, table_id, kept)
    yield await asyncio.to_thread(_mistakes, record, studies.analysis_of(kept))


def _mistakes(record: Record, analysis: Analysis) -> Data:
    """Returns the part of an analysis that the page shows: the turns that were mistakes or blunders, and the place
    before each of them.
    """
    game: Game = record.load_game()
    place, _ = place_of(record)
    before: dict[int, int] = {}
    for number, (state, _) in enumerate(positions(place)):
        if number < len(place.moves):
            before.setdefault(state.turn, number)
    found: list[dict[str, Any]] = []
    for one in analysis.turns:
        if one.mark in ("mistake", "blunder") and one.best and one.turn in before:
            played = {"player": one.player, "mark": one.mark, "before": one.before, "after": one.after}
            reply = turn_text([one.reply]) if one.reply is not None else ""
            found.append(played | {"moves": before[one.turn], "reply": reply, "best": turn_text([one.best[0].reply])})
    return {"game": game.name, "mistakes": found, "accuracy": analysis.accuracy}


class _Answer(Place, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Fields of an answer to "find a better move". The place is the position before the mistake.

    Attributes:
        player: the player who made the mistake.
        reply: the visitor's turn.
        best: the best turn.
    """

    player: int
    reply: str
    best: str


_ANSWER = msgspec.json.Decoder(_Answer)


@_json.post("/analyse/answer", dependencies=[Depends(limited(STUDIES))])
async def answer(request: Request, site: CurrentSite) -> Response:
    """Streams whether a turn is as good as the best one, and the line that shows why. Each line is a JSON object."""
    body = await json_of(request, MAX_PLACE, MAX_VALUES)
    try:
        said = _ANSWER.decode(body)
        state, _ = await asyncio.to_thread(position, said)
        if said.player not in state.asked() or state.is_terminal():
            raise IllegalAction("it is not that player's turn")
        reply, best = (text.replace(" / ", "\n") for text in (said.reply, said.best))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return JSONResponse({"problem": "that is no answer"}, 400)
    except LapilliError as problem:
        return JSONResponse({"problem": str(problem)}, 400)
    return streamed(site.analysis.study(payer_of(request), studies.answer, state, said.player, reply, best))


router.include_router(_json)
