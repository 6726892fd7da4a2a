"""Pages of leagues: the standings, a bot's ratings and promotions, and matches."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, Response

from lapilli.games import load, names
from lapilli.site.http.limits import MATCHES, limited
from lapilli.site.http.rendering import rendered
from lapilli.site.live.table.plan import CODE
from lapilli.site.people.identity.people import person_of
from lapilli.site.runtime.site import site_of

router = APIRouter(default_response_class=HTMLResponse)


async def _read(request: Request, function: str, *arguments: Any) -> Any:
    """Calls a function of `lapilli.site.bots.editor.ladder` in a thread, and returns its result.

    Args:
        request: the request. The first two arguments of the function, `store` and `copies`, are taken from its site.
        function: name of the function.
        arguments: further arguments of the function.
    """
    store, copies = site_of(request).store, site_of(request).workshop.league_copies

    def work() -> Any:
        from lapilli.site.bots.editor import ladder  # loads all rating code: a fifth of a second

        return getattr(ladder, function)(store, copies, *arguments)

    return await asyncio.to_thread(work)


Before = Annotated[int | None, Query(ge=0, le=2**62)]
"""Query parameter: the page lists the latest matches with ids below this one; None for the latest matches of all."""


@router.get("/leagues")
async def listed(request: Request) -> Response:
    """Renders the list of all games' leagues."""
    return rendered("editor/leagues", **await _read(request, "summaries", person_of(request)))


@router.get("/leagues/{name}")
async def table(request: Request, name: str, before: Before = None) -> Response:
    """Renders a game's league: its divisions, highest first, and one page of the list of its matches.

    `before`: only matches with ids below this one are listed; None for the first page.
    """
    game = load(name)
    data = await _read(request, "table", person_of(request), game, before)
    return rendered("editor/league", game=game, games=[load(one) for one in names()], before=before, **data)


@router.get("/leagues/{name}/bots/{number}")
async def bot(request: Request, name: str, number: int, before: Before = None) -> Response:
    """Renders the page of a league's bot: its rating over its matches, its promotions, and a list of its matches.

    Args:
        request: the request.
        name: name of the game.
        number: number of the bot's entry in the league.
        before: id of a match; only earlier matches are listed. None for the latest matches.
    """
    game = load(name)
    data = await _read(request, "entry", person_of(request), game, number, before)
    return rendered("editor/entry", game=game, code=CODE, **data)


@router.get("/leagues/{name}/matches/{match_id}", dependencies=[Depends(limited(MATCHES))])
async def battle(request: Request, name: str, match_id: int) -> Response:
    """Renders a match of a league as a film."""
    game = load(name)
    return rendered("editor/battle", game=game, **await _read(request, "battle", person_of(request), game, match_id))
