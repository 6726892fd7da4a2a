"""The lobby's page. `lapilli.site.people.lobby` has the requests of its script."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from lapilli.core.api import Game
from lapilli.games import load, names
from lapilli.site.http.rendering import rendered
from lapilli.site.live.results.rating import rating_text
from lapilli.site.live.table.plan import PERSON, TIMES, USUAL_CLOCK, called, nearest_level
from lapilli.site.live.tournaments.pages import listed_tournaments
from lapilli.site.pages.happening import live_matches
from lapilli.site.people.identity.people import Person, Role, require
from lapilli.site.runtime.site import CurrentSite, Site
from lapilli.store import CORRESPONDENCE, LIVE

router = APIRouter(default_response_class=HTMLResponse)
_TOURNAMENTS = 8
"""Largest number of tournaments on the page."""


@router.get("/lobby")
async def page(request: Request, site: CurrentSite, game: str = "") -> Response:
    """Shows the lobby: the form for a new offer, the open offers, who is online, live matches, and tournaments."""
    person = require(request, Role.MEMBER)
    games = [one for one in map(load, names()) if 2 in one.players]
    clocks = {name: control for name, (_, control) in TIMES.items() if control.seconds}
    groups = {
        title: {name: (TIMES[name][0], control.kind) for name, control in clocks.items() if control.kind == kind}
        for title, kind in (("Live", LIVE), ("Over days", CORRESPONDENCE))
    }
    active = [one for one in await listed_tournaments(site, person) if one["state"] != "over"]
    return rendered(
        "people/lobby",
        games=games,
        chosen=next((one for one in games if one.name == game), games[0]),
        levels=await asyncio.to_thread(_levels, site, person, games),
        ratings=await asyncio.to_thread(_ratings, site, person, games),
        person=PERSON,
        groups=groups,
        usual_clock=USUAL_CLOCK,
        tournaments=active[:_TOURNAMENTS],
        live=live_matches(site, await site.tables.going()),
        played=[],
    )


def _ratings(site: Site, person: Person, games: list[Game]) -> dict[str, dict[str, str]]:
    """Returns a person's ratings by the name of the game and the kind of matches; "" for none.

    A question mark marks a provisional rating. Reads the store, and blocks.
    """
    rating = site.store.site.ratings.rating
    known = {
        game.name: {kind: rating(game.name, person.holder, kind) for kind in (LIVE, CORRESPONDENCE)} for game in games
    }
    return {
        name: {kind: rating_text(found) if found else "" for kind, found in of_game.items()}
        for name, of_game in known.items()
    }


def _levels(site: Site, person: Person, games: list[Game]) -> dict[str, dict[str, str]]:
    """Returns the level that is about as strong as a person, by the name of the game: its name, and its display name.

    Games without measured levels are left out. Reads the store, and blocks.
    """
    found = [(game, nearest_level(game, site.lobby.rating(person, game.name, LIVE))) for game in games]
    return {game.name: {"name": one.player, "called": called(game, one.player)} for game, one in found if one}
