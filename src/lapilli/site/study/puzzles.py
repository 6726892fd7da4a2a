"""Pages of puzzles. Each game has a puzzle of the day. A visitor who has tried it is offered other puzzles."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Mapping
from random import Random
from typing import Any
from weakref import WeakKeyDictionary

import msgspec
from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from lapilli.arena.puzzles.solving import after_try, of_the_day, points, puzzle_ids
from lapilli.arena.puzzles.themes import themes_of
from lapilli.core.api import Game
from lapilli.core.content.puzzles import Puzzle
from lapilli.core.errors import IllegalAction
from lapilli.games import load, names
from lapilli.site.http.answers import JsonRoute
from lapilli.site.http.forms import decoding, json_of
from lapilli.site.http.limits import SEARCHES, limited, payer_of
from lapilli.site.http.rendering import rendered
from lapilli.site.people.identity.people import Person, person_of
from lapilli.site.people.identity.visitors import new_visitor, remember
from lapilli.site.runtime.site import CurrentSite, Site, site_of
from lapilli.site.study import search_jobs
from lapilli.site.study.analysis import streamed
from lapilli.site.study.positions import Data, Place, position, turn_text
from lapilli.store import Rated, Solver, Store, StoredPuzzle

router = APIRouter(default_response_class=HTMLResponse)
_json = APIRouter(route_class=JsonRoute)
_MOST = 16_384
"""Length limit of an answer, in bytes."""
_DAY_S = 86_400
_NEAR = 5
"""Number of puzzles from which a visitor's next puzzle is drawn: those with ratings nearest to the visitor's rating."""
_THEMES: WeakKeyDictionary[Store, dict[str, tuple[tuple[str, ...], dict[str, dict[str, str]]]]] = WeakKeyDictionary()
"""For each store, and the name of each game: ids of its puzzles, and the themes of each puzzle (`_themes_by_id`)."""


def _today() -> int:
    """Returns the number of the present day (UTC), counted from 1970."""
    return int(time.time() // _DAY_S)


@router.get("/puzzles")
async def overview(request: Request, site: CurrentSite) -> Response:
    """Renders the puzzle of the day of each game, and the visitor's results. Puzzles that the visitor has not tried are
    first.
    """
    return rendered("study/puzzles", games=await asyncio.to_thread(_overview, site, person_of(request).holder))


def _overview(site: Site, holder: str) -> list[dict[str, Any]]:
    tried, rows = site.store.site.puzzles.tried(holder), []
    for name in names():
        game = load(name)
        if ids := puzzle_ids(site.store, game):
            is_compiled = site.compilation.share_now(name) is None
            # Every puzzle's themes need the rules.
            themes = _themes_in(site.store, name, ids, tried) if is_compiled else []
            row = _of_today(site, holder, game, ids, tried)
            rows.append(row | {"themes": themes, "found": sum(tried.get(one, False) for one in ids), "all": len(ids)})
    first = _game_of_the_day()
    return sorted(rows, key=lambda row: (row["done"] is not None, row["game"].name != first))


def _game_of_the_day() -> str:
    return names()[_today() % len(names())]


def daily(site: Site, holder: str) -> dict[str, Any]:
    """Returns the data for the template `daily.html`: the puzzle of the day of one game, another game each day.

    `holder`: string that identifies the visitor, see `Seat.holder`. Returns an empty dict if this game has no puzzles.
    Reads the store, and blocks.
    """
    game = load(_game_of_the_day())
    ids = puzzle_ids(site.store, game)
    return _of_today(site, holder, game, ids, site.store.site.puzzles.tried(holder)) if ids else {}


def _of_today(site: Site, holder: str, game: Game, ids: list[str], tried: Mapping[str, bool]) -> dict[str, Any]:
    """Returns a game's puzzle of the day and the visitor's results as data.

    Args:
        site: the site.
        holder: the string that identifies the visitor.
        game: the game.
        ids: ids of all puzzles of the game; at least one.
        tried: what `Puzzles.tried` returns for the visitor.
    """
    puzzles, today = site.store.site.puzzles, of_the_day(ids, _today())
    stored = puzzles.get(today)
    assert stored is not None
    place = {"game": game.name, "setup": stored.puzzle.setup}
    row = {"place": place, "side": game.sides[stored.puzzle.player], "today": today, "done": tried.get(today)}
    return {"game": game} | row | _standing(puzzles.solver(holder, game.name))


def _themes_by_id(store: Store, name: str, ids: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """Returns the themes of each puzzle of a game, by the puzzle's id: a dict from a theme's key to its title.

    The result is cached as long as the store is used, and computed anew if the ids of the game's puzzles have changed.
    `name`: name of the game. `ids`: ids of all its puzzles.
    """
    known = _THEMES.setdefault(store, {})
    if name not in known or known[name][0] != ids:  # a computation reads every puzzle of the game
        game = load(name)
        known[name] = ids, {stored.id: themes_of(game, stored.puzzle) for stored in store.site.puzzles.listed(name)}
    return known[name][1]


def _themes_in(store: Store, name: str, ids: list[str], tried: Mapping[str, bool]) -> list[tuple[str, str, int, int]]:
    """Returns the themes that occur in a game's puzzles: their keys, titles, and numbers of puzzles and solved puzzles.

    The themes with the most puzzles come first.

    Args:
        store: the site's store.
        name: name of the game.
        ids: ids of all its puzzles.
        tried: what `Puzzles.tried` returns for the visitor.
    """
    found = _themes_by_id(store, name, tuple(ids))
    counts = Counter(theme for themes in found.values() for theme in themes.items())
    solved = Counter(key for puzzle, themes in found.items() if tried.get(puzzle) for key in themes)
    return [(key, title, count, solved[key]) for (key, title), count in counts.most_common()]


def _standing(solver: Solver) -> dict[str, Any]:
    streak = solver.streak if solver.day >= _today() - 1 else 0
    return {"rating": points(solver.rated), "tries": solver.rated.tries, "solved": solver.solved, "streak": streak}


@router.get("/puzzles/{name}")
async def following(request: Request, site: CurrentSite, name: str, theme: str = "") -> Response:
    """Redirects to a puzzle that the visitor has not tried: the puzzle of the day, or one near the visitor's rating.

    With a theme, redirects to a puzzle of this theme. If the visitor has tried all puzzles, redirects to one of them
    again.
    """
    game = load(name)
    chosen = await asyncio.to_thread(_next_puzzle, site, game, person_of(request).holder, theme)
    if not chosen:
        raise HTTPException(404, f"There are no puzzles of {game.title} yet: lapilli puzzles mine {game.name}")
    return RedirectResponse(f"/puzzles/{game.name}/{chosen}", 303)


def _next_puzzle(site: Site, game: Game, holder: str, theme: str) -> str:
    """Returns the end of the address of the visitor's next puzzle: the puzzle's id; "" if the game has no puzzles.

    If the game has puzzles of this theme, the next puzzle is one of them, and the theme follows the id as a query
    string. Any other theme is ignored. `holder`: string that identifies the visitor, see `Seat.holder`.
    """
    ids, puzzles = puzzle_ids(site.store, game), site.store.site.puzzles
    tried = puzzles.tried(holder)
    today = of_the_day(ids, _today())
    themes = _themes_by_id(site.store, game.name, tuple(ids)) if theme else {}
    fitting = {puzzle_id for puzzle_id, its_themes in themes.items() if theme in its_themes}
    if today not in tried and not fitting:
        return today
    candidates = [stored for stored in puzzles.listed(game.name) if not fitting or stored.id in fitting]
    candidates = [stored for stored in candidates if stored.id not in tried] or candidates
    if not candidates:
        return ""
    own = puzzles.solver(holder, game.name).rated.mu
    candidates.sort(key=lambda stored: abs(stored.rated.mu - own))
    chosen = Random(f"{holder}/{len(tried)}").choice(candidates[:_NEAR]).id
    return f"{chosen}?theme={theme}" if fitting else chosen


async def _puzzle(request: Request, name: str, puzzle: str) -> StoredPuzzle:
    stored = await asyncio.to_thread(site_of(request).store.site.puzzles.get, puzzle)
    if stored is None or stored.game != name:
        raise HTTPException(404, "There is no such puzzle. Was the whole address copied?")
    return stored


@router.get("/puzzles/{name}/{puzzle}")
async def page(request: Request, site: CurrentSite, name: str, puzzle: str, theme: str = "") -> Response:
    """Renders the page of a puzzle, with a board on which to solve it.

    `theme`: theme of the puzzles that the visitor solves one after the other; "" for puzzles of all themes.
    """
    stored = await _puzzle(request, name, puzzle)
    game, person = load(name), person_of(request)
    solver = await asyncio.to_thread(site.store.site.puzzles.solver, person.holder, name)
    tried = (await asyncio.to_thread(site.store.site.puzzles.tried, person.holder)).get(puzzle)
    ids = await asyncio.to_thread(puzzle_ids, site.store, game)
    data = {"game": name, "setup": stored.puzzle.setup, "moves": [], "puzzle": puzzle, "player": stored.puzzle.player}
    data["turns"] = stored.puzzle.turns
    themes = await site.compilation.run(name, _themes, name, stored.puzzle)
    data["theme"] = ", ".join(themes.values())
    results = _standing(solver) | {"hard": points(stored.rated), "times": stored.rated.tries, "tried": tried}
    results["is_today"] = puzzle == of_the_day(ids, _today())
    results["theme"] = theme if theme in themes else ""
    results |= {"if_solved": _rating_after(solver, stored, True), "if_not": _rating_after(solver, stored, False)}
    response = rendered("study/puzzle", game=game, data=data, **results)
    if not person.visitor:
        remember(request, response, new_visitor())
    return response


def _themes(name: str, puzzle: Puzzle) -> dict[str, str]:
    return themes_of(load(name), puzzle)


def _rating_after(solver: Solver, stored: StoredPuzzle, solved: bool) -> int:
    """Returns the rating, in displayed points, that a visitor would have after a first try at a puzzle.

    Args:
        solver: the visitor's results so far.
        stored: the puzzle.
        solved: whether the visitor solves it.
    """
    return points(after_try(solver.rated, stored.rated, solved)[0])


class _Try(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fields of a visitor's answer to a puzzle.

    Attributes:
        reply: the visitor's turn; "" to give up and see the solution.
        found: the solution's turns that the visitor has found before, as the site sent them. Empty for the first turn.
    """

    reply: str
    found: list[str] = []


@_json.post("/puzzles/{name}/{puzzle}", dependencies=[Depends(limited(SEARCHES))])
async def solve(request: Request, site: CurrentSite, name: str, puzzle: str) -> Response:
    """Judges a visitor's answer, and streams the verdict as a JSON object.

    The search that found the puzzle also judges the answer. Only the visitor's first try changes ratings. A try is over
    with a wrong turn, or with the last of the turns that have to be found.
    """
    stored = await _puzzle(request, name, puzzle)
    body = await json_of(request, _MOST)
    with decoding("answer"):
        sent = msgspec.json.decode(body, type=_Try)
    if sent.found not in [_found(stored.puzzle, number) for number in range(stored.puzzle.turns)]:
        raise HTTPException(400, "These turns do not begin the solution. Reload the page, and try again.")
    payer, person = payer_of(request), person_of(request)
    return streamed(_verdict(site, payer, stored, len(sent.found), sent.reply.replace(" / ", "\n"), person))


async def _verdict(
    site: Site, payer: str, stored: StoredPuzzle, found: int, reply: str, person: Person
) -> AsyncGenerator[Data, None]:
    """Yields the verdict on a visitor's turn, as JSON data for the page.

    Args:
        site: the site.
        payer: account or client address to which the limit of searches applies; "" for no limit.
        stored: the puzzle.
        found: number of turns of the solution that the visitor has found before.
        reply: the turn; "" to give up.
        person: the visitor. No result is stored for a browser without a visitor cookie.
    """
    puzzle = stored.puzzle
    line, (number, best) = _line(stored), puzzle.solution[found]
    verdict: Data = {"good": False, "shown": True, "line": line[number:], "refutation": []}
    if reply and reply != best:
        place = Place(game=stored.game, setup=puzzle.setup, moves=line[:number])
        state, _ = await site.compilation.run_compiled(place.game, position, place)
        if puzzle.player not in state.asked():
            raise IllegalAction("it is not that player's turn")
        how = (puzzle.nodes, puzzle.seed + 2, puzzle.engine)
        async for judged in site.analysis.run(payer, search_jobs.answer, state, puzzle.player, reply, best, *how):
            verdict = judged | {"shown": False} | ({} if judged["good"] else {"line": line[number:]})
    elif reply:
        verdict |= {"good": True, "shown": False}
    if verdict["good"] and found + 1 < puzzle.turns:
        following, _ = puzzle.solution[found + 1]
        yield {"good": True, "next": line[number:following], "found": _found(puzzle, found + 1)}
        return
    if person.holder:
        verdict |= await asyncio.to_thread(_store_try, site, stored, person, bool(verdict["good"]))
    verdict["level"] = puzzle.level
    yield verdict


def _store_try(site: Site, stored: StoredPuzzle, person: Person, solved: bool) -> dict[str, Any]:
    """Stores a visitor's try at a puzzle.

    A guest's try changes the guest's own rating alone, because a guest can count as any number of visitors, with a new
    cookie for each try.

    Args:
        site: the site.
        stored: the puzzle.
        person: the visitor.
        solved: whether the visitor solved the puzzle.

    Returns:
        JSON data for the page: the visitor's results, whether the try changed ratings, and the puzzle's new rating.
    """
    puzzles, today = site.store.site.puzzles, _today()
    is_today = stored.id == of_the_day(puzzles.ids(stored.game), today)
    rate = after_try if person.id else _after_guests_try
    solver, counted = puzzles.add_try(person.holder, stored.id, solved, today if is_today else None, rate)
    now = puzzles.get(stored.id) or stored
    return _standing(solver) | {"counted": counted, "hard": points(now.rated)}


def _after_guests_try(solver: Rated, puzzle: Rated, solved: bool) -> tuple[Rated, Rated]:
    return after_try(solver, puzzle, solved)[0], puzzle


def _found(puzzle: Puzzle, number: int) -> list[str]:
    """Returns the first `number` turns of a puzzle's solution, in the format of `_Try.found`."""
    return [turn_text([reply]) for _, reply in puzzle.solution[:number]]


def _line(stored: StoredPuzzle) -> list[str]:
    return [turn_text([reply for _, reply in turn]) for turn in stored.puzzle.line]


router.include_router(_json)
