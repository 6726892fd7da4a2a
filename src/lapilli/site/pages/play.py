"""The page *Play*: the form for a new table, with game, opponents and clock."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Collection
from typing import Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from lapilli.core.api import Game
from lapilli.core.content.tutorials import read_tutorial
from lapilli.core.errors import LapilliError
from lapilli.games import load, names
from lapilli.players.engines.precompile import uses_search
from lapilli.players.engines.searches import BEST, level_titles
from lapilli.site.http.forms import form_of
from lapilli.site.http.limits import FILMS, TABLES, address_of, limited
from lapilli.site.http.rendering import rendered
from lapilli.site.live.drivers.bot_pool import offered_bots
from lapilli.site.live.results.rating import check_accounts, check_rated
from lapilli.site.live.table.plan import (
    ANYBODY,
    MEMBER,
    PERSON,
    TIMES,
    USUAL_CLOCK,
    Seat,
    TablePlan,
    called,
    nearest_level,
    opponents,
    plan_of,
)
from lapilli.site.live.upkeep.day_matches import check_days
from lapilli.site.pages.home import open_seats
from lapilli.site.people.accounts.accounts import accounts_of
from lapilli.site.people.identity.names import MAX_NAME, folded, is_account_name
from lapilli.site.people.identity.people import Person, future_holder, holder_of, person_of
from lapilli.site.people.identity.visitors import remember
from lapilli.site.runtime.compilation import Compilation
from lapilli.site.runtime.site import CurrentSite, site_of
from lapilli.store import GUEST, LIVE, Store

router = APIRouter(default_response_class=HTMLResponse)
_CARDS = 5
"""Number of levels that the form for a new table shows as cards. All levels are behind a slider."""
_HASH = 16
"""Length of the hash that is stored instead of a guest's client address, in hexadecimal digits."""


@router.get("/play")
async def choose(request: Request, site: CurrentSite, game: str = "", opponent: str = "") -> Response:
    """Shows the form for a new table: game, opponents and clock. If `opponent` is offered, it is selected in the
    form.
    """
    chosen_game = load(game or names()[0])
    site.compilation.prefer(chosen_game.name, searches=True)
    person = person_of(request)
    bots = await asyncio.to_thread(offered_bots, site.store, person.id, chosen_game)
    near = await asyncio.to_thread(_level_near, site.store, person, chosen_game)
    tutorial = await asyncio.to_thread(read_tutorial, chosen_game.content)
    return rendered(
        "play/play",
        seats_open=open_seats(await site.tables.going(), chosen_game.name),
        games=[load(name) for name in names()],
        game=chosen_game,
        times=TIMES,
        usual_clock=USUAL_CLOCK,
        bots=[(name, called_as) for name, (called_as, _) in bots.items()],
        chosen_bot=opponent if opponent in bots else "",
        outline=[
            {"say": one.say, "place": {"game": chosen_game.name, "setup": one.setup, "moves": one.moves}}
            for one in tutorial.outline
        ],
        **_offers(chosen_game, opponent, bots, readiness(site.compilation, chosen_game), near),
    )


@router.get("/play/ready/{game}", dependencies=[Depends(limited(FILMS))])
async def ready(site: CurrentSite, game: str) -> Response:
    """Sends the sentence of `readiness`, which the form for a new table shows."""
    return JSONResponse({"words": readiness(site.compilation, load(game))}, headers={"Cache-Control": "no-store"})


def readiness(compilation: Compilation, game: Game) -> str:
    """Returns a sentence about the opponent that can play while the kernels of levels are compiled.

    Returns "" if all kernels are compiled, or if the game has no levels.
    """
    share, name = compilation.share_now(game.name, searches=True), called(game, _first_ready(game))
    if share is None or not game.searches:
        return ""
    game_share = compilation.share_now(game.name)
    if game_share is None:
        return f"{name} can play at once. The other opponents are being prepared, the first time only: {share} %."
    return f"The game is being prepared, the first time only: {game_share} %. {name} can play first, the others later."


def _first_ready(game: Game) -> str:
    """Returns the strongest built-in opponent that needs no kernels of searches."""
    *_, name = (name for name, _ in opponents(game) if not uses_search(game, [name]))
    return name


def _level(offer: str, title: str) -> str:
    """Returns the level of an opponent, such as "level 4"; its Elo rating if it has no level.

    Args:
        offer: its display name, as `opponents` returns it.
        title: the first part of that name.
    """
    return offer.removeprefix(f"{title} · ").partition(" · ")[0]


def _level_near(store: Store, person: Person, game: Game) -> str:
    """Returns the level that is about as strong as a person with a rating; "" for other people. Reads the store."""
    rated = store.site.ratings.rating(game.name, person.holder, LIVE) if person.holder else None
    near = nearest_level(game, rated.rating) if rated else None
    return near.player if near and near.player in level_titles(game) else ""


def _offers(game: Game, opponent: str, bots: Collection[str], words: str, near: str = "") -> dict[str, Any]:
    """Returns the opponents of the form for a new table, as values for its template.

    The form shows a few built-in opponents as cards, named by their strength. A slider selects any other level.

    Args:
        game: the game.
        opponent: name of the opponent that is selected in the form; ignored if the form does not offer it.
        bots: names of the bots in the form.
        words: sentence of `readiness`. If it is not empty, the opponent that can play first has a card, too.
        near: name of the level that is selected if `opponent` is not offered; "" for the weakest level.
    """
    offered = dict(opponents(game))
    elo = {strength.player: strength.elo for strength in game.strengths}
    best = max(elo, key=lambda name: elo[name], default="")
    grades = [
        {"name": name, "title": title, "detail": "the strongest" if name == best else _level(offered[name], title)}
        | ({"detail": "like you"} if name == near else {})
        for name, title in _grades(game, near)
    ] or [{"name": name, "title": text, "detail": ""} for name, text in offered.items()]
    usual, first = near or grades[0]["name"], _first_ready(game)
    named = {grade["name"] for grade in grades}
    ready = {"name": first, "title": called(game, first), "detail": offered[first].partition(" · ")[2]}
    chosen = opponent if opponent in (PERSON, ANYBODY, *bots, *offered) else usual
    levels = [
        (name, f"{offered[name]} in this game" if name in elo else offered[name])
        for name in sorted(offered, key=lambda name: elo.get(name, 0))
        if len(offered) > len(grades)
    ]
    finer = [name for name, _ in levels]
    cards = [ready] if words and first not in named else []
    return {
        "grades": grades,
        "ready_cards": cards,
        "ready_words": words,
        "levels": levels,
        "level": finer.index(chosen if chosen in finer else usual) if finer else 0,
        "is_finer": chosen not in {PERSON, ANYBODY, *bots, *named, *(card["name"] for card in cards)},
        "usual": usual,
        "chosen": chosen,
        "others": range(2, max(game.players)),
        "needed": min(game.players) - 1,
        "person": PERSON,
        "anybody": ANYBODY,
        "max_name": MAX_NAME,
    }


def _grades(game: Game, near: str) -> list[tuple[str, str]]:
    """Returns a few opponents from the weakest level to the strongest search, as tuples (name, title).

    `near`: name of a level that is one of them; "" for none.
    """
    levels = list(level_titles(game).items())
    if not levels:
        return []
    steps = min(len(levels), _CARDS) - 1
    places = [step * (len(levels) - 1) // max(1, steps) for step in range(steps + 1)]
    if near:
        wanted = [name for name, _ in levels].index(near)
        places[min(range(len(places)), key=lambda step: abs(places[step] - wanted))] = wanted
    return [*(levels[place] for place in places), (BEST, BEST.capitalize())]


@router.post("/play", dependencies=[Depends(limited(TABLES))])
async def begin(request: Request, site: CurrentSite) -> Response:
    """Creates a table from a form, and redirects to the table's page."""
    form = await form_of(request)
    person = future_holder(request)
    form["name"] = person.called(form.get("name", ""))
    plan = await asyncio.to_thread(_plan, site.store, form, person)
    plan.laid_by = _creator_of(request, person)
    if plan.rated:
        check_rated(plan, person, site.public is not None)
        await asyncio.to_thread(check_accounts, site.store, plan)
    await asyncio.to_thread(check_days, site.store, plan, person, site.public is not None)
    if any(seat.bot for seat in plan.seats):
        site.bot_pool.check_free(person.holder)
    site.compilation.prefer(plan.game, searches=any(seat.engine for seat in plan.seats))
    response = RedirectResponse(f"/t/{await site.tables.open(plan)}", 303)
    remember(request, response, person.visitor)
    return response


def _creator_of(request: Request, person: Person) -> str:
    """Returns the creator of a new table, for `TablePlan.laid_by`: the account, or a hash of a guest's client address.

    Returns "" on a private site. The hash is keyed, so that the store alone does not reveal the address.
    """
    if site_of(request).public is None:
        return ""
    if person.id:
        return holder_of(person.id)
    return GUEST + accounts_of(request).key("laid", address_of(request))[:_HASH]


def _plan(store: Store, form: dict[str, str], person: Person) -> TablePlan:
    bots = offered_bots(store, person.id, load(form.get("game", "")))
    seats = {name: seat for name, (_, seat) in bots.items()}
    return plan_of(form, person.holder, seats | _invited(store, form.get("opponent1", ""), person))


def _invited(store: Store, opponent: str, person: Person) -> dict[str, Seat]:
    """Returns the seat that is reserved for an invited member, by the form's value; empty for another opponent.

    Raises:
        LapilliError: guests cannot invite members, members cannot invite themselves, or there is no such member.
    """
    if not opponent.startswith(MEMBER):
        return {}
    name = opponent.removeprefix(MEMBER)
    account = store.site.people.named(folded(name)) if person.id and is_account_name(name) else None
    if account is None or account.id == person.id:
        raise LapilliError("sign in, and choose another member of this site as opponent")
    return {opponent: Seat(key=secrets.token_urlsafe(16), name=account.name, member=holder_of(account.id))}
