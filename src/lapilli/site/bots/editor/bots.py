"""Pages and source code of bots that people write in the browser."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.requests import HTTPConnection

from lapilli.core.api import Game
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.games import load, names
from lapilli.match import Clock
from lapilli.players.bots.starters import LANGUAGES, starter_code
from lapilli.players.sandbox.sandbox import why_no_sandbox
from lapilli.site.bots.workshop.asks import COMPARE, PLAY, Code
from lapilli.site.http.answers import JsonRoute, since
from lapilli.site.http.forms import body_of, form_of
from lapilli.site.http.limits import TEXTS, limited
from lapilli.site.http.rendering import rendered
from lapilli.site.live.drivers.bot_pool import offered_bots
from lapilli.site.live.table.plan import CODE, opponents
from lapilli.site.live.upkeep.renaming import forget_seats
from lapilli.site.people.identity.names import DELETED
from lapilli.site.people.identity.people import Person, Role, require
from lapilli.site.runtime.installed import check_installed, emblem_of, title_of
from lapilli.site.runtime.site import CurrentSite, site_of
from lapilli.store import MAX_BOT_NAME, MAX_CODE, SiteBot, Store

router = APIRouter(default_response_class=HTMLResponse)
_texts = APIRouter(route_class=JsonRoute)
_NAME = re.compile(rf"\w[\w.-]{{0,{MAX_BOT_NAME - 1}}}")
CALLED = {"python": "Python", "cpp": "C++", "javascript": "JavaScript", "java": "Java", "rust": "Rust"}
"""Display names of programming languages, by key of `LANGUAGES`."""


async def own_bot(request: HTTPConnection, bot_id: str) -> tuple[Person, SiteBot]:
    """Returns the signed-in person and the bot with this id.

    Raises:
        HTTPException: 401 if nobody is signed in; 404 if the bot does not exist, or the signed-in person is neither its
            author nor an owner of the site. The message is the same in both cases, so it does not reveal which bots
            exist.
    """
    person = require(request, Role.MEMBER)
    return person, await asyncio.to_thread(bot_of, site_of(request).store, person, bot_id)


def bot_of(store: Store, person: Person, bot_id: str) -> SiteBot:
    """Returns the bot with this id. Reads the store, and blocks.

    Raises:
        HTTPException: 404 if the bot does not exist, or the person is neither its author nor an owner of the site.
        NotInstalled: the bot's game is not installed.
    """
    bot = store.site.bots.get(bot_id)
    if bot is None or (bot.owner != person.id and person.role < Role.OWNER):
        raise HTTPException(404, "There is no such bot. Was the whole address copied?")
    check_installed(bot.game)
    return bot


# -- the list of bots


@router.get("/bots")
async def listed(request: Request, site: CurrentSite, game: str = "") -> Response:
    """Renders the list of the signed-in person's bots, with a form for a new bot."""
    person = require(request, Role.MEMBER)
    games = [one for one in map(load, names()) if (one.folder / "starters").is_dir()]
    chosen = load(game).name if game else games[0].name
    copies = site.workshop.league_copies
    bots = await asyncio.to_thread(_owned, site.store, person, copies)
    return rendered(
        "editor/bots",
        bots=bots,
        leagues=await asyncio.to_thread(_leagues, site.store, person, copies) if bots else [],
        games=games,
        chosen=chosen,
        languages={name: CALLED.get(name, name) for name in LANGUAGES},
        max_name=MAX_BOT_NAME,
        trouble=await asyncio.to_thread(why_no_sandbox),
    )


def _owned(store: Store, person: Person, copies: Path) -> list[dict[str, Any]]:
    """Returns a person's bots as data for the page, each with its standing in its league.

    `copies`: folder with the leagues' copies of bots.
    """
    found = []
    for bot in store.site.bots.owned(person.id):
        league = standing_of(store, bot, copies) if bot.game in names() and bot.submitted else {}
        is_in = "number" in league
        latest = _latest(store, bot, copies, league["number"]) if is_in else None
        found.append(_described(bot) | {"league": league if is_in else {}, "latest": latest})
    return found


def _leagues(store: Store, person: Person, copies: Path) -> list[dict[str, Any]]:
    """Returns summaries of the leagues in which a person's bots play, as data for the page.

    `copies`: folder with the leagues' copies of bots.
    """
    from lapilli.site.bots.editor.ladder import summaries  # takes a fifth of a second to load

    return [one for one in summaries(store, copies, person)["games"] if one["own"]]


def _latest(store: Store, bot: SiteBot, copies: Path, number: int) -> dict[str, Any] | None:
    """Returns the latest match of a bot in its league as data for the page; None if there is none.

    `copies`: folder with the league's copies of bots. `number`: number of the bot's entry.
    """
    from lapilli.site.bots.editor.league_matches import latest_match  # takes a fifth of a second to load
    from lapilli.site.bots.workshop import leagues

    league = leagues.find(store, bot.game, copies)
    return latest_match(store, league, number) if league else None


def _described(bot: SiteBot) -> dict[str, Any]:
    return {
        "id": bot.id,
        "name": bot.name,
        "title": title_of(bot.game),
        "emblem": emblem_of(bot.game),
        "language": CALLED.get(bot.language, bot.language),
        "version": bot.version,
        "submitted": bot.submitted,
    }


@router.post("/bots", dependencies=[Depends(limited(TEXTS))])
async def make(request: Request, site: CurrentSite) -> Response:
    """Creates a bot from a form, with the game's starter as its source code, and redirects to the bot's page."""
    person = require(request, Role.MEMBER)
    form = await form_of(request)
    fields = form.get("game", ""), form.get("language", ""), form.get("name", "").strip()
    bot_id = await asyncio.to_thread(create, site.store, person, *fields)
    return RedirectResponse(f"/bots/{bot_id}", 303)


def create(store: Store, person: Person, game_name: str, language: str, name: str, code: str = "") -> str:
    """Creates a bot, and returns its id. Writes to the store, and blocks.

    Args:
        store: the database.
        person: author of the bot.
        game_name: name of the game.
        language: programming language of the bot, one of `Game.languages`.
        name: name of the bot.
        code: source code of the bot's first version; "" for the game's starter in this language.

    Raises:
        LapilliError: the game or the language does not exist, the game has no starter in this language, or the name
            is not allowed or already in use.
    """
    game = load(game_name)
    if not _NAME.fullmatch(name):
        raise LapilliError(f"a bot's name has 1 to {MAX_BOT_NAME} letters, digits, dots, hyphens or underscores")
    if name.casefold() == DELETED:
        raise LapilliError("that name is reserved for the site: choose another one")
    if language not in game.languages:
        raise UnknownName("language", language, game.languages)
    code = code or starter_code(game, language)
    bot_id = secrets.token_urlsafe(12)
    store.site.bots.add(bot_id, person.id, game.name, language, name, code)
    return bot_id


# -- a bot


@router.get("/bots/{bot_id}")
async def edit(request: Request, site: CurrentSite, bot_id: str) -> Response:
    """Renders the page on which a person edits a bot, with a board and the bot's output."""
    _, bot = await own_bot(request, bot_id)
    game = load(bot.game)
    store = site.store
    data = await asyncio.to_thread(_data, store, bot)
    owned = await asyncio.to_thread(store.site.bots.owned, bot.owner)
    same_game = [other for other in owned if other.game == bot.game]
    offered = [seat.name for _, seat in (await asyncio.to_thread(offered_bots, store, bot.owner, game)).values()]
    foreign = sorted({*offered} - {other.name for other in same_game})
    offers = _offers(game, bot, same_game, foreign)
    return rendered("editor/bot", bot=bot, game=game, language=CALLED[bot.language], code=CODE, data=data, **offers)


def code_of(store: Store, bot: SiteBot, version: int) -> Code:
    """Returns the struct that names a version of a bot in jobs of the workshop.

    Raises LapilliError if the version is not stored.
    """
    if not 1 <= version <= bot.version or store.site.bots.version(bot.id, version) is None:
        raise LapilliError("that version is no longer stored")
    return Code(bot_id=bot.id, name=bot.name, language=bot.language, version=version)


def _offers(game: Game, bot: SiteBot, own_bots: list[SiteBot], foreign: list[str]) -> dict[str, Any]:
    """Returns the opponents that a bot's page offers, as values for its template.

    Args:
        game: the game, whose engines are offered.
        bot: the bot.
        own_bots: all bots of the author for this game. All except `bot` are offered.
        foreign: the offered bots of other authors, each as the value that the page's form sends for it.
    """
    levels = [name for name, _ in opponents(game) if name.startswith("level")]
    return {
        "offered": opponents(game),
        "usual": levels[0] if levels else opponents(game)[0][0],
        "others": [other for other in own_bots if other.id != bot.id],
        "sides": list(game.sides)[: max(game.players)],
        "least": min(game.players),
        "foreign": foreign,
    }


def _data(store: Store, bot: SiteBot) -> dict[str, Any]:
    """Returns the JSON data that the page of a bot contains for its script."""
    newest, game = store.site.bots.version(bot.id, bot.version), load(bot.game)
    trials = {kind: store.site.trials.of_bot(bot.id, [kind], 1) for kind in (PLAY, COMPARE)}
    return {
        "id": bot.id,
        "code": newest.code if newest else "",
        "language": bot.language,
        "file": LANGUAGES[bot.language].file,
        "name": bot.name,
        "versions": versions_of(store, bot.id),
        "trials": {kind: latest[0].id for kind, latest in trials.items() if latest},
        "mostBytes": MAX_CODE,
        "limits": {"first": Clock().limit_ms(game, first=True), "later": Clock().limit_ms(game, first=False)},
    }


def versions_of(store: Store, bot_id: str) -> list[dict[str, Any]]:
    """Returns the number and age of each stored version of a bot, as JSON data."""
    return [
        {"number": version.number, "when": since(time.time() - version.created)}
        for version in store.site.bots.versions(bot_id)
    ]


@_texts.post("/bots/{bot_id}/code", dependencies=[Depends(limited(TEXTS))])
async def save(request: Request, bot_id: str) -> Response:
    """Stores the request's body as the bot's newest version, and sends the version's number."""
    _, bot = await own_bot(request, bot_id)
    code = text_of(await body_of(request, MAX_CODE))
    store = site_of(request).store
    version = await asyncio.to_thread(store.site.bots.save, bot.id, code)
    return JSONResponse({"version": version, "versions": await asyncio.to_thread(versions_of, store, bot.id)})


def text_of(body: bytes) -> str:
    """Decodes a bot's source code. Raises LapilliError if `body` is not UTF-8 or contains a NUL character."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        raise LapilliError("the file is not text: save it as UTF-8") from None
    if "\0" in text:
        raise LapilliError("the file is not text: it contains a NUL character")
    return text


@_texts.get("/bots/{bot_id}/versions/{number}")
async def version(request: Request, bot_id: str, number: int) -> Response:
    """Sends the source code of one version of a bot."""
    _, bot = await own_bot(request, bot_id)
    stored = await asyncio.to_thread(site_of(request).store.site.bots.version, bot.id, max(0, min(number, 2**31)))
    if stored is None:
        raise HTTPException(404, "That version is no longer stored.")
    return PlainTextResponse(stored.code, headers={"Cache-Control": "no-store"})


@_texts.get("/bots/{bot_id}/league")
async def standing(request: Request, bot_id: str) -> Response:
    """Sends the bot's standing in its league."""
    _, bot = await own_bot(request, bot_id)
    store, copies = site_of(request).store, site_of(request).workshop.league_copies
    return JSONResponse(await asyncio.to_thread(standing_of, store, bot, copies))


def standing_of(store: Store, bot: SiteBot, copies: Path) -> dict[str, Any]:
    """Returns a bot's standing in its league as JSON data. Reads the store, and blocks.

    Args:
        store: the database.
        bot: the bot.
        copies: folder with the league's copies of bots.
    """
    from lapilli.site.bots.workshop import leagues  # takes a fifth of a second to load

    return leagues.standing(store, bot, copies)


@router.post("/bots/{bot_id}/delete")
async def delete(request: Request, site: CurrentSite, bot_id: str) -> Response:
    """Deletes a bot, and withdraws it from its league."""
    _, bot = await own_bot(request, bot_id)
    store, copies = site.store, site.workshop.league_copies
    await forget_seats(site, bot)
    await asyncio.to_thread(_forget, store, bot, copies)
    return RedirectResponse("/bots", 303)


def _forget(store: Store, bot: SiteBot, copies: Path) -> None:
    from lapilli.site.bots.workshop import forgetting  # takes a fifth of a second to load

    forgetting.forget_bot(store, bot, copies)


router.include_router(_texts)
