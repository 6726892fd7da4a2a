"""Pages of puzzles. Each game has a puzzle of the day. A visitor who has tried it is offered other puzzles."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from random import Random
from typing import Any

import msgspec
from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from lapilli.arena.puzzles.solving import after_try, of_the_day, points, puzzle_ids
from lapilli.core.api import Game
from lapilli.core.errors import IllegalAction
from lapilli.games import load, names
from lapilli.site.http.answers import JsonRoute
from lapilli.site.http.forms import json_of
from lapilli.site.http.limits import STUDIES, limited, payer_of
from lapilli.site.http.rendering import rendered
from lapilli.site.identity.people import person_of
from lapilli.site.identity.visitors import new_visitor, remember
from lapilli.site.site import CurrentSite, Site, site_of
from lapilli.site.study import studies
from lapilli.site.study.analysis import streamed
from lapilli.site.study.positions import Data, Place, position, turn_text
from lapilli.store import Solver, StoredPuzzle

router = APIRouter(default_response_class=HTMLResponse)
_json = APIRouter(route_class=JsonRoute)
_MOST = 16_384
"""Length limit of an answer, in bytes."""
_DAY_S = 86_400
_NEAR = 5
"""Number of puzzles from which a visitor's next puzzle is drawn: those with ratings nearest to the visitor's rating."""


def _today() -> int:
    """Returns the number of the present day (UTC), counted from 1970."""
    return int(time.time() // _DAY_S)


@router.get("/puzzles")
async def overview(request: Request, site: CurrentSite) -> Response:
    """Renders the list of games, each with the puzzle of the day and the visitor's results."""
    return rendered("puzzles", games=await asyncio.to_thread(_overview, site, person_of(request).holder))


def _overview(site: Site, holder: str) -> list[dict[str, Any]]:
    store, rows, tried = site.store, [], site.store.site.puzzles.tried(holder)
    for name in names():
        game = load(name)
        ids = puzzle_ids(store, game)
        if ids:
            today = of_the_day(ids, _today())
            stored = store.site.puzzles.get(today)
            assert stored is not None
            place = {"game": name, "setup": stored.puzzle.setup}
            row = {"place": place, "side": game.sides[stored.puzzle.player], "today": today, "done": tried.get(today)}
            rows.append({"game": game} | row | _standing(store.site.puzzles.solver(holder, name)))
    return rows


def _standing(solver: Solver) -> dict[str, Any]:
    streak = solver.streak if solver.day >= _today() - 1 else 0
    return {"rating": points(solver.rated), "tries": solver.rated.tries, "solved": solver.solved, "streak": streak}


@router.get("/puzzles/{name}")
async def following(request: Request, site: CurrentSite, name: str) -> Response:
    """Redirects to a puzzle that the visitor has not tried: the puzzle of the day, or one near the visitor's rating.

    If the visitor has tried all puzzles, redirects to one of them again.
    """
    game = load(name)
    chosen = await asyncio.to_thread(_next_puzzle, site, game, person_of(request).holder)
    if not chosen:
        raise HTTPException(404, f"There are no puzzles of {game.title} yet: lapilli puzzles mine {game.name}")
    return RedirectResponse(f"/puzzles/{game.name}/{chosen}", 303)


def _next_puzzle(site: Site, game: Game, holder: str) -> str:
    """Returns the id of the visitor's next puzzle; "" if the game has no puzzles."""
    ids, puzzles = puzzle_ids(site.store, game), site.store.site.puzzles
    tried = puzzles.tried(holder)
    today = of_the_day(ids, _today())
    if today not in tried:
        return today
    left = [puzzle_id for puzzle_id in ids if puzzle_id not in tried] or ids
    own = puzzles.solver(holder, game.name).rated.mu
    candidates = [stored for puzzle_id in left if (stored := puzzles.get(puzzle_id)) is not None]
    candidates.sort(key=lambda stored: abs(stored.rated.mu - own))
    return Random(f"{holder}/{len(tried)}").choice(candidates[:_NEAR]).id


async def _puzzle(request: Request, name: str, puzzle: str) -> StoredPuzzle:
    stored = await asyncio.to_thread(site_of(request).store.site.puzzles.get, puzzle)
    if stored is None or stored.game != name:
        raise HTTPException(404, "There is no such puzzle. Was the whole address copied?")
    return stored


@router.get("/puzzles/{name}/{puzzle}")
async def page(request: Request, site: CurrentSite, name: str, puzzle: str) -> Response:
    """Renders the page of a puzzle, with a board on which to solve it."""
    stored = await _puzzle(request, name, puzzle)
    game, person = load(name), person_of(request)
    solver = await asyncio.to_thread(site.store.site.puzzles.solver, person.holder, name)
    tried = (await asyncio.to_thread(site.store.site.puzzles.tried, person.holder)).get(puzzle)
    ids = await asyncio.to_thread(puzzle_ids, site.store, game)
    data = {"game": name, "setup": stored.puzzle.setup, "moves": [], "puzzle": puzzle, "player": stored.puzzle.player}
    data["turns"] = len(stored.puzzle.line)
    results = _standing(solver) | {"hard": points(stored.rated), "times": stored.rated.tries, "tried": tried}
    results["is_today"] = puzzle == of_the_day(ids, _today())
    response = rendered("puzzle", game=game, side=game.sides[stored.puzzle.player], data=data, **results)
    if not person.visitor:
        remember(request, response, new_visitor())
    return response


class _Try(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fields of a visitor's answer to a puzzle.

    Attributes:
        reply: the visitor's turn; "" to give up and see the solution.
    """

    reply: str


@_json.post("/puzzles/{name}/{puzzle}", dependencies=[Depends(limited(STUDIES))])
async def solve(request: Request, site: CurrentSite, name: str, puzzle: str) -> Response:
    """Streams the verdict on a visitor's answer as a JSON object.

    The answer is judged by the same search that found the puzzle. Only the visitor's first try changes ratings.
    """
    stored = await _puzzle(request, name, puzzle)
    body = await json_of(request, _MOST)
    try:
        reply = msgspec.json.decode(body, type=_Try).reply.replace(" / ", "\n")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return JSONResponse({"problem": "not a valid answer"}, 400)
    return streamed(_verdict(site, payer_of(request), stored, reply, person_of(request).holder))


async def _verdict(site: Site, payer: str, stored: StoredPuzzle, reply: str, holder: str) -> AsyncGenerator[Data, None]:
    puzzle = stored.puzzle
    verdict: Data = {"good": False, "shown": True, "line": _line(stored), "refutation": []}
    if reply and reply != puzzle.reply:
        state, _ = await asyncio.to_thread(position, Place(game=stored.game, setup=puzzle.setup))
        if puzzle.player not in state.asked():
            raise IllegalAction("it is not that player's turn")
        how = (puzzle.nodes, puzzle.seed + 2, puzzle.engine)
        async for judged in site.analysis.study(payer, studies.answer, state, puzzle.player, reply, puzzle.reply, *how):
            verdict = judged | {"shown": False} | ({} if judged["good"] else {"line": _line(stored)})
    elif reply:
        verdict |= {"good": True, "shown": False}
    if holder:
        verdict |= await asyncio.to_thread(_store_try, site, stored, holder, bool(verdict["good"]))
    verdict["level"] = puzzle.level
    yield verdict


def _store_try(site: Site, stored: StoredPuzzle, holder: str, solved: bool) -> dict[str, Any]:
    """Stores a visitor's try at a puzzle.

    Returns the visitor's results, whether the try changed ratings, and the puzzle's new rating, as JSON data for the
    page.
    """
    puzzles, today = site.store.site.puzzles, _today()
    is_today = stored.id == of_the_day(puzzles.ids(stored.game), today)
    solver, counted = puzzles.add_try(holder, stored.id, solved, today if is_today else None, after_try)
    now = puzzles.get(stored.id) or stored
    return _standing(solver) | {"counted": counted, "hard": points(now.rated)}


def _line(stored: StoredPuzzle) -> list[str]:
    return [turn_text([reply for _, reply in turn]) for turn in stored.puzzle.line]


router.include_router(_json)
