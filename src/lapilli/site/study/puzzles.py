"""Puzzles. Each game has a puzzle of the day; after it, visitors can go on to all other puzzles of the game."""

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
_DAY_S = 86_400
_NEAR = 5
"""The next puzzle is drawn from this many whose ratings are nearest to the solver's."""


def _today() -> int:
    """Returns the present day in UTC, counted from 1970."""
    return int(time.time() // _DAY_S)


@router.get("/puzzles")
async def overview(request: Request, site: CurrentSite) -> Response:
    """Renders the list of games, with the day's puzzle and the visitor's results in each."""
    return rendered("puzzles", games=await asyncio.to_thread(_overview, site, person_of(request).holder))


def _overview(site: Site, holder: str) -> list[dict[str, Any]]:
    store, told, tried = site.store, [], site.store.site.puzzles.tried(holder)
    for name in names():
        game = load(name)
        ids = puzzle_ids(store, game)
        if ids:
            today = of_the_day(ids, _today())
            held = store.site.puzzles.get(today)
            assert held is not None
            place = {"game": name, "setup": held.puzzle.setup}
            shown = {"place": place, "side": game.sides[held.puzzle.player], "today": today, "done": tried.get(today)}
            told.append({"game": game} | shown | _standing(store.site.puzzles.solver(holder, name)))
    return told


def _standing(solver: Solver) -> dict[str, Any]:
    streak = solver.streak if solver.day >= _today() - 1 else 0
    return {"rating": points(solver.rated), "tries": solver.rated.tries, "solved": solver.solved, "streak": streak}


@router.get("/puzzles/{name}")
async def following(request: Request, site: CurrentSite, name: str) -> Response:
    """Redirects to a puzzle that the visitor has not tried: the day's puzzle first, then one near the visitor's rating.

    If the visitor has tried all puzzles, one of them is chosen again.
    """
    game = load(name)
    chosen = await asyncio.to_thread(_chosen, site, game, person_of(request).holder)
    if not chosen:
        raise HTTPException(404, f"There are no puzzles of {game.title} yet: lapilli puzzles mine {game.name}")
    return RedirectResponse(f"/puzzles/{game.name}/{chosen}", 303)


def _chosen(site: Site, game: Game, holder: str) -> str:
    ids, puzzles = puzzle_ids(site.store, game), site.store.site.puzzles
    tried = puzzles.tried(holder)
    today = of_the_day(ids, _today())
    if today not in tried:
        return today
    left = [one for one in ids if one not in tried] or ids
    own = puzzles.solver(holder, game.name).rated.mu
    known = [held for one in left if (held := puzzles.get(one)) is not None]
    known.sort(key=lambda held: abs(held.rated.mu - own))
    return Random(f"{holder}/{len(tried)}").choice(known[:_NEAR]).id


async def _puzzle(request: Request, name: str, puzzle: str) -> StoredPuzzle:
    held = await asyncio.to_thread(site_of(request).store.site.puzzles.get, puzzle)
    if held is None or held.game != name:
        raise HTTPException(404, "There is no such puzzle. Was the whole address copied?")
    return held


@router.get("/puzzles/{name}/{puzzle}")
async def page(request: Request, site: CurrentSite, name: str, puzzle: str) -> Response:
    """Renders the page of a puzzle, which is solved on its board."""
    held = await _puzzle(request, name, puzzle)
    game, person = load(name), person_of(request)
    solver = await asyncio.to_thread(site.store.site.puzzles.solver, person.holder, name)
    tried = (await asyncio.to_thread(site.store.site.puzzles.tried, person.holder)).get(puzzle)
    ids = await asyncio.to_thread(puzzle_ids, site.store, game)
    data = {"game": name, "setup": held.puzzle.setup, "moves": [], "puzzle": puzzle, "player": held.puzzle.player}
    data["turns"] = len(held.puzzle.line)
    told = _standing(solver) | {"hard": points(held.rated), "times": held.rated.tries, "tried": tried}
    told["is_today"] = puzzle == of_the_day(ids, _today())
    response = rendered("puzzle", game=game, side=game.sides[held.puzzle.player], data=data, **told)
    if not person.visitor:
        remember(request, response, new_visitor())
    return response


class _Try(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An answer to a puzzle.

    Attributes:
        reply: the visitor's turn; empty to see the solution.
    """

    reply: str


@_json.post("/puzzles/{name}/{puzzle}", dependencies=[Depends(limited(STUDIES))])
async def solve(request: Request, site: CurrentSite, name: str, puzzle: str) -> Response:
    """Streams whether an answer is good, judged by the search that proved the puzzle. Only the
    visitor's first try counts. Each line is a JSON object.
    """
    held = await _puzzle(request, name, puzzle)
    body = await json_of(request, _MOST)
    try:
        reply = msgspec.json.decode(body, type=_Try).reply.replace(" / ", "\n")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return JSONResponse({"problem": "that is no answer"}, 400)
    return streamed(_solved(site, payer_of(request), held, reply, person_of(request).holder))


async def _solved(site: Site, payer: str, held: StoredPuzzle, reply: str, holder: str) -> AsyncGenerator[Data, None]:
    puzzle = held.puzzle
    told: Data = {"good": False, "shown": True, "line": _line(held), "refutation": []}
    if reply and reply != puzzle.reply:
        state, _ = await asyncio.to_thread(position, Place(game=held.game, setup=puzzle.setup))
        if puzzle.player not in state.asked():
            raise IllegalAction("it is not that player's turn")
        how = (puzzle.nodes, puzzle.seed + 2, puzzle.engine)
        async for judged in site.analysis.study(payer, studies.answer, state, puzzle.player, reply, puzzle.reply, *how):
            told = judged | {"shown": False} | ({} if judged["good"] else {"line": _line(held)})
    elif reply:
        told |= {"good": True, "shown": False}
    if holder:
        told |= await asyncio.to_thread(_noted, site, held, holder, bool(told["good"]))
    told["level"] = puzzle.level
    yield told


def _noted(site: Site, held: StoredPuzzle, holder: str, solved: bool) -> dict[str, Any]:
    puzzles, today = site.store.site.puzzles, _today()
    is_today = held.id == of_the_day(puzzles.ids(held.game), today)
    solver, counted = puzzles.note(holder, held.id, solved, today if is_today else None, after_try)
    now = puzzles.get(held.id) or held
    return _standing(solver) | {"counted": counted, "hard": points(now.rated)}


def _line(held: StoredPuzzle) -> list[str]:
    return [turn_text([said for _, said in turn]) for turn in held.puzzle.line]


router.include_router(_json)
