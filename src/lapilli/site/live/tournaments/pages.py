"""Pages of tournaments, and the requests of their scripts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from lapilli.core.errors import LapilliError
from lapilli.games import load, names
from lapilli.site.http.answers import JsonRoute
from lapilli.site.http.forms import form_of
from lapilli.site.http.limits import POSITIONS, TABLES, limited
from lapilli.site.http.rendering import rendered
from lapilli.site.live.drivers.bot_pool import own_bots
from lapilli.site.live.results.rating import rules_of
from lapilli.site.live.table.plan import TIMES, opponents
from lapilli.site.live.tournaments.entries import (
    CLOCKS,
    MAX_ORGANISED,
    MAX_TITLE,
    add_level,
    cancel,
    enter_bot,
    join,
    leave,
    new_tournament,
    start,
    withdraw_bot,
)
from lapilli.site.live.tournaments.kinds import KINDS
from lapilli.site.live.tournaments.progress import TournamentProgress
from lapilli.site.live.tournaments.shown import (
    facts_of_tournament,
    leaders_of,
    round_text,
    shown,
    shown_for,
    summary_of,
)
from lapilli.site.people.identity.people import Person, Role, person_of, require
from lapilli.site.runtime.installed import check_installed
from lapilli.site.runtime.site import CurrentSite, Site
from lapilli.store import BOT, PlayerState, SiteTournament, TournamentChange, TournamentPlayer, TournamentState

router = APIRouter(default_response_class=HTMLResponse)
_json = APIRouter(route_class=JsonRoute)
CHANGES = ("join", "leave", "start", "cancel", "level", "enter", "withdraw")
"""Names of the changes of a tournament that people request."""
_STATES = (TournamentState.RUNNING, TournamentState.OPEN, TournamentState.OVER)
"""States of tournaments, in the order of the page that lists tournaments."""
_NONE = "There is no such tournament. Was the whole address copied?"
_MOST_DIGITS = 12
_WITH_LEADERS = 10
"""Largest number of tournaments in a list that are shown with their leaders."""
Number = Annotated[int, Query(ge=-1, le=2**31)]


@router.get("/tournaments")
async def listing(request: Request, site: CurrentSite) -> Response:
    """Lists running tournaments, tournaments that can be joined, and finished tournaments."""
    found = await listed_tournaments(site, person_of(request))
    by_state = {state.value: [one for one in found if one["state"] == state.value] for state in _STATES}
    return rendered("people/tournaments", by_state=by_state, kinds=KINDS.values())


async def listed_tournaments(site: Site, person: Person) -> list[dict[str, Any]]:
    """Returns the tournaments that the store lists, each as `summary_of` describes it for a page.

    The value of `is_own` says whether the person takes part.
    """
    listed = await asyncio.to_thread(site.store.site.tournaments.listed)
    entered = await asyncio.to_thread(site.store.site.tournaments.of_account, person.id) if person.id else []
    own = {
        tournament.id
        for tournament, player in entered
        if player.subject == person.holder and player.state is PlayerState.PLAYING
    }
    summaries = [summary_of(one) | {"leaders": [], "round": "", "is_own": one.tournament.id in own} for one in listed]
    for one in [one for one in summaries if one["state"] != TournamentState.OPEN][:_WITH_LEADERS]:
        if (progress := await site.tournaments.reader.recent(one["id"])) is not None:
            one |= {"leaders": leaders_of(progress), "round": round_text(progress)}
    return summaries


@router.get("/tournaments/new")
async def form(request: Request, game: str = "") -> Response:
    """Shows the form for a new tournament."""
    require(request, Role.MEMBER)
    games = [one for one in map(load, names()) if 2 in one.players]
    return rendered(
        "people/new-tournament",
        games=games,
        chosen=game if game in {one.name for one in games} else games[0].name,
        kinds=KINDS.values(),
        clocks={name: TIMES[name][0] for name in CLOCKS},
        max_title=MAX_TITLE,
    )


@_json.post("/tournaments", dependencies=[Depends(limited(TABLES))])
async def make(request: Request, site: CurrentSite) -> Response:
    """Makes a tournament from a form, and returns the address of its page."""
    person = require(request, Role.MEMBER)
    fields = await form_of(request)
    made = new_tournament(
        person,
        await asyncio.to_thread(site.store.site.matches.now),
        game=fields.get("game", ""),
        kind=fields.get("kind", ""),
        clock=fields.get("time", ""),
        name=fields.get("name", ""),
        variant=fields.get("variant", ""),
        rated=fields.get("rated") == "yes",
        length=_number(fields.get("length", ""), 0),
        least=_number(fields.get("least", ""), 2),
        most=_number(fields.get("most", ""), 16),
        bots=fields.get("bots") == "yes",
        starts=_number(fields.get("starts", ""), 0),
    )
    await asyncio.to_thread(site.store.site.tournaments.add, made, MAX_ORGANISED)
    return JSONResponse({"address": f"/tournaments/{made.id}"}, 201)


def _number(text: str, default: int) -> int:
    """Parses a whole number in a form. `default`: result for an empty text."""
    if not text:
        return default
    if not text.isascii() or not text.isdigit() or len(text) > _MOST_DIGITS:
        raise LapilliError("please enter whole numbers only")
    return int(text)


async def progress_of(site: Site, tournament_id: str) -> TournamentProgress:
    """Returns a tournament as it is now.

    Raises:
        HTTPException: there is no such tournament (404).
        NotInstalled: its game is not installed.
    """
    progress = await site.tournaments.reader.recent(tournament_id)
    if progress is None:
        raise HTTPException(404, _NONE)
    check_installed(progress.tournament.game)
    return progress


@router.get("/tournaments/{tournament_id}")
async def page(request: Request, site: CurrentSite, tournament_id: str) -> Response:
    """Shows a tournament: standings, matches, and what the person can do."""
    progress = await progress_of(site, tournament_id)
    person, tournament = person_of(request), progress.tournament
    organiser = await asyncio.to_thread(site.store.site.people.get, tournament.account)
    is_organiser = bool(person.id) and person.id == tournament.account
    game = load(tournament.game)
    measured = rules_of(game.name).anchors
    levels = [(name, title) for name, title in opponents(game) if name in measured or not progress.plan.rated]
    has_bots = progress.plan.has_bots
    bots = await asyncio.to_thread(own_bots, site.store, person.id, game.name) if has_bots else []
    return rendered(
        "people/tournament",
        facts=facts_of_tournament(tournament),
        organiser=organiser.name if organiser else "",
        is_member=bool(person.id),
        is_organiser=is_organiser,
        is_owner=person.role is Role.OWNER,
        levels=levels if is_organiser and has_bots else [],
        bots=bots,
    )


@_json.get("/tournaments/{tournament_id}/now", dependencies=[Depends(limited(POSITIONS))])
async def now(
    request: Request, site: CurrentSite, tournament_id: str, seen: Number = -1, number: Number = 0
) -> Response:
    """Returns a tournament as it is now, for its page.

    `seen`: version that the page shows already. `number`: round whose matches the page lists; 0 for the current round.
    """
    progress = await progress_of(site, tournament_id)
    person = person_of(request)
    data = shown_for(progress, person.id, person.holder)
    if progress.tournament.version != seen:
        earlier = number if 0 < number < progress.tournament.round else 0
        data |= await asyncio.to_thread(site.tournaments.reader.cached, progress, earlier, shown)
    return JSONResponse(data, headers={"Cache-Control": "no-store"})


@_json.post("/tournaments/{tournament_id}/{change}", dependencies=[Depends(limited(POSITIONS))])
async def act(request: Request, site: CurrentSite, tournament_id: str, change: str) -> Response:
    """Makes a change of `CHANGES` for the person, such as joining or starting a tournament, or entering a bot."""
    person = require(request, Role.MEMBER)
    fields = await form_of(request)
    player = fields.get("bot" if change in ("enter", "withdraw") else "engine", "")
    await change_tournament(site, person, tournament_id, change, player)
    return JSONResponse({})


async def change_tournament(site: Site, person: Person, tournament_id: str, change: str, player: str = "") -> None:
    """Changes a tournament for a person or program.

    Args:
        site: the site.
        person: the person or program.
        tournament_id: id of the tournament.
        change: one of `CHANGES`.
        player: name of the built-in opponent for the change "level"; id of the bot for "enter" and "withdraw".

    Raises:
        LapilliError: the person may not do that.
        HTTPException: there is no such tournament, or no such change (404).
    """
    if change not in CHANGES:
        raise HTTPException(404, "There is no such page.")
    game = (await progress_of(site, tournament_id)).tournament.game
    store, rating, time_now, bot = site.store.site, 0.0, 0.0, None
    if change == "enter":
        own = await asyncio.to_thread(own_bots, site.store, person.id, game)
        bot = next((one for one in own if one.id == player), None)
        if bot is None:
            raise LapilliError(f"you have no such bot for {load(game).title}")
    if change in ("join", "enter"):
        known = await asyncio.to_thread(store.ratings.rating, game, BOT + bot.id if bot else person.holder)
        rating = (known or rules_of(game).new).rating
    elif change == "start":
        time_now = await asyncio.to_thread(store.matches.now)

    def work(tournament: SiteTournament, players: Sequence[TournamentPlayer]) -> TournamentChange:
        match change:
            case "join":
                return join(tournament, players, person, rating)
            case "enter" if bot is not None:
                return enter_bot(tournament, players, person, bot, rating)
            case "leave":
                return leave(tournament, players, person.holder)
            case "withdraw":
                return withdraw_bot(tournament, players, person, player)
            case "start":
                return start(tournament, players, person, time_now)
            case "cancel":
                return cancel(tournament, person)
            case _:
                return add_level(tournament, players, person, player)

    await asyncio.to_thread(store.tournaments.amend, tournament_id, work)
    site.tournaments.reader.expire()
    site.tables.changed()


router.include_router(_json)
