"""The analysis board: a page with a position, which an engine searches for some seconds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import msgspec
from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response, StreamingResponse

from lapilli.core.api import Game, Setup
from lapilli.core.errors import LapilliError
from lapilli.games import load, names
from lapilli.match.record import parse_record
from lapilli.site.http.answers import JsonRoute
from lapilli.site.http.forms import body_of, decoding, json_of
from lapilli.site.http.limits import POSITIONS, SEARCHES, limited, payer_of
from lapilli.site.http.rendering import rendered
from lapilli.site.people.identity.people import person_of
from lapilli.site.runtime.site import CurrentSite, site_of
from lapilli.site.study import search_jobs
from lapilli.site.study.position_data import shown
from lapilli.site.study.positions import MAX_PLACE, MAX_VALUES, Asking, Data, Place, place_data, place_of, position
from lapilli.store import StudyAccess

router = APIRouter(default_response_class=HTMLResponse)
_json = APIRouter(route_class=JsonRoute)
MAX_UPLOAD = 4 << 20
"""Largest record that may be uploaded, in bytes."""
_ASKING = msgspec.json.Decoder(Asking)
READERS = {
    StudyAccess.LINK: "Everybody with the link",
    StudyAccess.MEMBERS: "Members of this site",
    StudyAccess.PRIVATE: "Only me",
}
"""Who may read a study, in words."""
_KEYS = {"game", "moves", "match", "start", "player"}
"""Query parameters of the analysis board that are not keys of a setup."""


@router.get("/analyse", dependencies=[Depends(limited(POSITIONS))])
async def board(request: Request) -> Response:
    """Renders the analysis board.

    The query parameters choose the position. If `match` is the id of a finished match, the board shows the end of this
    match. Otherwise, `game` is the game's name, `moves` are the turns, one per line, and all other parameters are keys
    of the setup. Without `match` and `game`, the page asks what to analyse.
    """
    asked = dict(request.query_params)
    match, own = asked.get("match", ""), None
    if match:
        place, note = await _of_match(request, match)
        own = await site_of(request).tables.seat_of(match, person_of(request).holder)
    elif asked.get("game"):
        place, note = await site_of(request).compilation.run(asked["game"], _of_query, asked), ""
    else:
        return rendered("study/analyses", games=[load(name) for name in names()], most=MAX_UPLOAD)
    return analysis_page(load(place.game), place_data(place) | {"note": note, "match": match, "own": own})


def analysis_page(game: Game, data: Data) -> Response:
    """Renders the analysis board.

    Args:
        game: the game.
        data: the position with which the board begins, as `place_data` returns it. It may have further keys: `note`, a
            sentence for the visitor; `match`, the id of the match; `own`, the visitor's player number in the match;
            `study`, the saved study.
    """
    return rendered(
        "study/analyse",
        game=game,
        games=[load(name) for name in names()],
        data={"note": "", "match": "", "searched": bool(game.searches)} | data,
        variants=game.variants,
        readers=READERS,
        most=MAX_UPLOAD,
    )


async def _of_match(request: Request, table_id: str) -> tuple[Place, str]:
    site = site_of(request)
    record = await site.tables.record(table_id)
    if record is None:
        raise HTTPException(404, "There is no such match, or it is not over yet.")
    place, stopped = await site.compilation.run(record.game, place_of, record)
    return place, f"The match ended here: {stopped}." if stopped else ""


def _of_query(query: dict[str, str]) -> Place:
    """Returns the position that query parameters describe. Raises LapilliError if the parameters are not valid."""
    game = load(query["game"])
    keys: dict[str, Any] = {key: value for key, value in query.items() if key not in _KEYS}
    for key in ("seed", "players"):
        if key in keys:
            keys[key] = _number(key, keys[key])
    for key in set(keys).intersection(game.own_keys):
        keys[key] = {"true": True, "false": False}.get(keys[key], keys[key])
    setup = game.complete(Setup.from_dict({"seed": 0} | keys))
    moves = [line for line in query.get("moves", "").split("\n") if line.strip()]
    place = Place(game=game.name, setup=setup.to_dict(), moves=moves)
    position(place)
    return place


def _number(key: str, text: str) -> int:
    try:
        return int(text) if len(text) <= 20 else int("")
    except ValueError:
        raise LapilliError(f"{key} must be a whole number") from None


@_json.post("/analyse/at", dependencies=[Depends(limited(POSITIONS))])
async def at(request: Request, site: CurrentSite) -> Response:
    """Sends all data that the page shows about a position, such as pictures and choices. Nothing is stored."""
    body = await json_of(request, MAX_PLACE, MAX_VALUES)
    with decoding("position"):
        asking = _ASKING.decode(body)
        return JSONResponse(await site.compilation.run(asking.game, shown, asking))


@_json.post("/analyse/record", dependencies=[Depends(limited(POSITIONS))])
async def read(request: Request, site: CurrentSite) -> Response:
    """Verifies a pasted or uploaded record, and sends the last position of its match, as a `Place`.

    The record is not stored.
    """
    body = await body_of(request, MAX_UPLOAD)
    record = await asyncio.to_thread(parse_record, body)
    place, stopped = await site.compilation.run(record.game, place_of, record)
    note = f"The match ended here: {stopped}." if stopped else ""
    return JSONResponse(place_data(place) | {"note": note})


@_json.post("/analyse/think", dependencies=[Depends(limited(SEARCHES))])
async def think(request: Request, site: CurrentSite) -> Response:
    """Streams the results of successive searches of a position for one player, each longer than the one before.

    Each line is a JSON object.
    """
    body = await json_of(request, MAX_PLACE, MAX_VALUES)
    with decoding("position"):
        wanted = _WANTED.decode(body)
        state, _ = await site.compilation.run_compiled(wanted.game, position, wanted)
    asked = () if state.is_terminal() else state.asked()
    if not asked or not state.game.searches:
        raise LapilliError("there is nothing to analyse")
    player = wanted.player if wanted.player in asked else asked[0]
    return streamed(site.analysis.run(payer_of(request), search_jobs.think, state, player, site.free_threads()))


class _Wanted(Place, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Fields of a request to search a position.

    Attributes:
        player: player for whom to search. If this player is not asked in the position, the search is for the first
            player who is asked.
    """

    player: int = -1


_WANTED = msgspec.json.Decoder(_Wanted)


def streamed(results: AsyncGenerator[Any, None]) -> Response:
    """Returns a response that streams the results of a job (see `AnalysisWorkers`), one JSON object per line.

    After an error, the last line is an object with the key `problem`. When the page closes the connection, the job
    ends.
    """

    async def lines() -> AsyncGenerator[bytes, None]:
        try:
            async with aclosing(results):
                async for result in results:
                    yield json.dumps(result, separators=(",", ":")).encode() + b"\n"
        except LapilliError as problem:
            yield json.dumps({"problem": str(problem)}).encode() + b"\n"

    return StreamingResponse(lines(), media_type="application/x-ndjson", headers={"Cache-Control": "no-store"})


router.include_router(_json)
