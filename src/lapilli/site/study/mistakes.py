"""Pages that show the mistakes in a match as exercises: find a better turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import msgspec
from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, Response

from lapilli.core.api import State
from lapilli.core.errors import IllegalAction, LapilliError
from lapilli.match import Record
from lapilli.match.analysis import Analysis, TurnAnalysis
from lapilli.players.engines.turns import actions_in
from lapilli.site.http.answers import JsonRoute
from lapilli.site.http.forms import decoding, json_of
from lapilli.site.http.limits import MATCHES, SEARCHES, limited, payer_of
from lapilli.site.http.rendering import rendered
from lapilli.site.people.identity.people import person_of
from lapilli.site.runtime.site import CurrentSite, Site, site_of
from lapilli.site.study import search_jobs
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
    record_of,
    replies_of,
    turn_text,
)
from lapilli.store.results import pack_record
from lapilli.viewer.films.film_analysis import travels

router = APIRouter(default_response_class=HTMLResponse)
_json = APIRouter(route_class=JsonRoute)
_PLACE = msgspec.json.Decoder(Place)


async def _record(request: Request, table_id: str) -> Record:
    record = await site_of(request).tables.record(table_id)
    if record is None:
        raise HTTPException(404, "There is no such match, or it is not over yet.")
    return record


@router.get("/m/{table_id}/mistakes", dependencies=[Depends(limited(MATCHES))])
async def page(request: Request, site: CurrentSite, table_id: str) -> Response:
    """Renders the page with the mistakes of a match."""
    record = await _record(request, table_id)
    game = record.load_game()
    if not game.searches:
        raise HTTPException(404, f"{game.title} has no engine that could analyse it.")
    place, _ = await site.compilation.run(record.game, place_of, record)
    names = record.player_names
    sides = [f"{game.sides[number]} ({name})" for number, name in enumerate(names)]
    own = await site.tables.seat_of(table_id, person_of(request).holder)
    data = place_data(place) | {"match": table_id, "sides": sides, "names": names, "own": own}
    return rendered("study/mistakes", game=game, id=table_id, data=data)


@_json.post("/m/{table_id}/mistakes", dependencies=[Depends(limited(SEARCHES))])
async def judged(request: Request, site: CurrentSite, table_id: str) -> Response:
    """Streams the progress of a match's analysis, and finally its mistakes. Each line is a JSON object."""
    record = await _record(request, table_id)
    return streamed(_judged(site, payer_of(request), table_id, record))


@_json.post("/analyse/review", dependencies=[Depends(limited(SEARCHES))])
async def review(request: Request, site: CurrentSite) -> Response:
    """Streams the progress of the analysis of all turns that lead to a position, and finally the analysis.

    Nothing is stored. Each line is a JSON object; the last one is what `reviewed` returns.
    """
    body = await json_of(request, MAX_PLACE, MAX_VALUES)
    with decoding("position"):
        place = _PLACE.decode(body)
        if not place.load()[0].searches:
            raise LapilliError("there is no engine for this game")
        record = await site.compilation.run(place.game, record_of, place)
    return streamed(_judged(site, payer_of(request), "", record))


async def _judged(site: Site, payer: str, table_id: str, record: Record) -> AsyncGenerator[Data, None]:
    """Analyses the turns of a record. Yields the progress, and finally the analysis as `reviewed` returns it.

    Args:
        site: the site.
        payer: account or client address that requests the analysis.
        table_id: id of the table whose match is analysed, so that the analysis is stored; "" if the turns belong to no
            match of the site.
        record: record with the turns.
    """
    analysis = await asyncio.to_thread(site.store.site.analyses.get, table_id) if table_id else None
    if analysis is None:
        async for searched, turns, result in site.analysis.run(
            payer, search_jobs.judge, pack_record(record), site.free_threads()
        ):
            analysis = result
            yield {"done": searched, "of": turns}
        if analysis is None:
            raise LapilliError("the match could not be analysed")
        if table_id:
            await asyncio.to_thread(site.store.site.analyses.store, table_id, analysis)
    place, _ = await asyncio.to_thread(place_of, record)
    yield await asyncio.to_thread(reviewed, place, search_jobs.analysis_of(analysis))


def reviewed(place: Place, analysis: Analysis) -> Data:
    """Returns an analysis of all turns that lead to a position, as JSON data for pages. `place`: the position.

    Returns:
        A dict with these keys. `game`: the game's name. `accuracy`: each player's accuracy. `values`: each player's
        expected score (or None) before each of these turns and after the last one. `turns`: the number of the last
        turn that the referee had counted in each of these positions. `mistakes`: the turns that the analysis marks as
        mistakes.

        Each mistake is a dict with these keys, among others. `moves`: number of turns played before it. `reply`,
        `best`: the player's turn, and the best turn. `instead`: the best turn together with the other players' turns.
        `played`, `better`: the clicks that play the turn and the best turn, as `travels` returns them. `playedWords`,
        `words`: the turn and the best turn in words. `reason`: why the turn is worse; "" if the game gives no reason.
    """
    values, scores = list[list[float | None] | None](), dict(analysis.values)
    turns = list[int]()
    mistakes = list[Data]()
    for number, (state, _) in enumerate(positions(place)):
        is_end = state.is_terminal() and bool(analysis.values)
        values.append(analysis.values[-1][1] if is_end else scores.get(state.turn))
        turns.append(state.turn - 1)
        for turn in analysis.turns if number < len(place.moves) else ():
            if turn.turn == state.turn and turn.mark and turn.best:
                mistakes.append(_mistake(state, turn, place.moves[number], analysis.chances(turn)) | {"moves": number})
    return {"game": place.game, "accuracy": analysis.accuracy, "values": values, "turns": turns, "mistakes": mistakes}


def _mistake(state: State, turn: TurnAnalysis, played: str, chances: tuple[float, float | None]) -> Data:
    """Returns a mistake as data, in the form that `reviewed` describes, without `moves`.

    Args:
        state: the position before the turn.
        turn: the turn that is a mistake, with its analysis.
        played: the replies of all players in this turn, in the format of `turn_text`.
        chances: the player's winning chances before and after the turn.
    """
    best, reply = turn.best[0], turn.reply or ""
    replies = replies_of(state, played) | {turn.player: best.reply}
    actions = best.actions or actions_in(state, turn.player, best.reply)
    return {
        "player": turn.player,
        "mark": turn.mark,
        "reason": turn.reason,
        "before": chances[0],
        "after": chances[1],
        "reply": turn_text([reply]) if reply else "",
        "best": turn_text([best.reply]),
        "instead": turn_text([replies[player] for player in state.asked()]),
        "played": travels(state, turn.player, actions_in(state, turn.player, reply)) if reply else [],
        "better": travels(state, turn.player, actions),
        "playedWords": search_jobs.in_words(state, turn.player, reply)[1] if reply else "",
        "words": search_jobs.in_words(state, turn.player, best.reply)[1],
    }


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


@_json.post("/analyse/answer", dependencies=[Depends(limited(SEARCHES))])
async def answer(request: Request, site: CurrentSite) -> Response:
    """Judges a visitor's answer, and streams one JSON object: whether the answer is as good as the best turn, and the
    turns that show why.
    """
    body = await json_of(request, MAX_PLACE, MAX_VALUES)
    with decoding("answer"):
        sent = _ANSWER.decode(body)
        state, _ = await site.compilation.run_compiled(sent.game, position, sent)
        if sent.player not in state.asked() or state.is_terminal():
            raise IllegalAction("it is not that player's turn")
        reply, best = (text.replace(" / ", "\n") for text in (sent.reply, sent.best))
    return streamed(site.analysis.run(payer_of(request), search_jobs.answer, state, sent.player, reply, best))


router.include_router(_json)
