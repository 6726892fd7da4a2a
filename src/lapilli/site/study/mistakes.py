"""Pages that show the mistakes in a match as exercises: find a better turn."""

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
        raise HTTPException(404, f"{game.title} has no engine that could analyse it.")
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
    analysis = await asyncio.to_thread(site.store.site.analyses.get, table_id)
    if analysis is None:
        async for searched, turns, result in site.analysis.study(payer, studies.judge, pack_record(record)):
            analysis = result
            yield {"done": searched, "of": turns}
        if analysis is None:
            raise LapilliError("the match could not be analysed")
        await asyncio.to_thread(site.store.site.analyses.store, table_id, analysis)
    yield await asyncio.to_thread(_mistakes, record, studies.analysis_of(analysis))


def _mistakes(record: Record, analysis: Analysis) -> Data:
    """Returns the mistakes and blunders of an analysis as JSON data for the page.

    The value of a mistake's key `moves` is the number of turns played before the mistake.
    """
    game: Game = record.load_game()
    place, _ = place_of(record)
    before: dict[int, int] = {}
    for number, (state, _) in enumerate(positions(place)):
        if number < len(place.moves):
            before.setdefault(state.turn, number)
    mistakes: list[dict[str, Any]] = []
    for turn in analysis.turns:
        if turn.mark in ("mistake", "blunder") and turn.best and turn.turn in before:
            data = {"player": turn.player, "mark": turn.mark, "before": turn.before, "after": turn.after}
            reply = turn_text([turn.reply]) if turn.reply is not None else ""
            best = turn_text([turn.best[0].reply])
            mistakes.append(data | {"moves": before[turn.turn], "reply": reply, "best": best})
    return {"game": game.name, "mistakes": mistakes, "accuracy": analysis.accuracy}


class _Answer(Place, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Fields of a visitor's answer to an exercise. The inherited fields are the position before the mistake.

    Attributes:
        player: the player who made the mistake.
        reply: the visitor's turn, in the format of `turn_text`.
        best: the best turn according to the analysis, in the same format.
    """

    player: int
    reply: str
    best: str


_ANSWER = msgspec.json.Decoder(_Answer)


@_json.post("/analyse/answer", dependencies=[Depends(limited(STUDIES))])
async def answer(request: Request, site: CurrentSite) -> Response:
    """Streams a JSON object: whether a visitor's answer is as good as the best turn, and the turns that show why."""
    body = await json_of(request, MAX_PLACE, MAX_VALUES)
    try:
        sent = _ANSWER.decode(body)
        state, _ = await asyncio.to_thread(position, sent)
        if sent.player not in state.asked() or state.is_terminal():
            raise IllegalAction("it is not that player's turn")
        reply, best = (text.replace(" / ", "\n") for text in (sent.reply, sent.best))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return JSONResponse({"problem": "not a valid answer"}, 400)
    except LapilliError as problem:
        return JSONResponse({"problem": str(problem)}, 400)
    return streamed(site.analysis.study(payer_of(request), studies.answer, state, sent.player, reply, best))


router.include_router(_json)
