"""API requests for uploading bots; they call the same functions as the editor's pages."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Request

from lapilli.site.api.callers import Caller, Scope, caller, spend
from lapilli.site.api.models import BotFacts, BotText, NewBot, TrialFacts, Version
from lapilli.site.api.problems import Refused
from lapilli.site.bots.editor.bots import bot_of, create, text_of
from lapilli.site.bots.editor.bots import standing_of as league_standing
from lapilli.site.bots.editor.trials import Submit, ask
from lapilli.site.http.limits import TEXTS, TRIALS
from lapilli.site.runtime.site import CurrentSite, site_of
from lapilli.store import MAX_CODE, SiteBot, Trial

router = APIRouter(prefix="/bots", tags=["bots"])
Uploading = Annotated[Caller, Depends(caller(Scope.BOTS))]


def _facts(bot: SiteBot) -> BotFacts:
    return BotFacts(
        id=bot.id,
        name=bot.name,
        game=bot.game,
        language=bot.language,
        version=bot.version,
        submitted=bot.submitted,
        address=f"/bots/{bot.id}",
    )


async def _bot(request: Request, asker: Caller, bot_id: str) -> SiteBot:
    """Returns a bot of the caller's account. Raises Refused if the account has no bot with this id."""
    try:
        return await asyncio.to_thread(bot_of, site_of(request).store, asker.person, bot_id)
    except HTTPException:
        raise Refused(404, "there is no such bot") from None


def _code(text: str) -> str:
    """Checks the source code `text`, and returns it.

    Raises:
        Refused: the source code is too long.
        LapilliError: the source code contains a NUL character.
    """
    data = text.encode(errors="replace")
    if len(data) > MAX_CODE:
        raise Refused(413, f"the source code is too long: a bot may have {MAX_CODE:,} bytes")
    return text_of(data)


@router.get("")
async def bots(site: CurrentSite, asker: Uploading) -> list[BotFacts]:
    """Returns the account's bots."""
    return [_facts(bot) for bot in await asyncio.to_thread(site.store.site.bots.owned, asker.person.id)]


@router.post("", status_code=201)
async def make(request: Request, site: CurrentSite, asker: Uploading, new: NewBot) -> BotFacts:
    """Creates a bot. Its source code is `code` or, if `code` is empty, the game's starter."""
    spend(request, asker, TEXTS)
    code, store = _code(new.code), site.store
    bot_id = await asyncio.to_thread(create, store, asker.person, new.game, new.language, new.name, code)
    return _facts(await _bot(request, asker, bot_id))


@router.get("/{bot_id}")
async def bot(request: Request, asker: Uploading, bot_id: str) -> BotFacts:
    """Returns one bot."""
    return _facts(await _bot(request, asker, bot_id))


@router.post("/{bot_id}/versions")
async def save(request: Request, site: CurrentSite, asker: Uploading, bot_id: str, given: BotText) -> Version:
    """Saves source code as the bot's newest version. If the newest version has the same code, nothing changes."""
    spend(request, asker, TEXTS)
    found, code = await _bot(request, asker, bot_id), _code(given.code)
    return Version(version=await asyncio.to_thread(site.store.site.bots.save, found.id, code))


@router.post("/{bot_id}/submit", status_code=202)
async def submit(request: Request, site: CurrentSite, asker: Uploading, bot_id: str, which: Version) -> TrialFacts:
    """Submits a version to the game's league. The version is built and tested first, so it enters some time later."""
    spend(request, asker, TRIALS)
    found, store = await _bot(request, asker, bot_id), site.store
    trial_id = await asyncio.to_thread(ask, store, asker.person, found, Submit(version=which.version))
    site.workshop.wake()
    return await trial(request, site, asker, bot_id, trial_id)


@router.get("/{bot_id}/trials/{trial_id}")
async def trial(request: Request, site: CurrentSite, asker: Uploading, bot_id: str, trial_id: str) -> TrialFacts:
    """Returns the state of a trial. If the trial failed, `problem` is the reason."""
    found = await _bot(request, asker, bot_id)
    stored: Trial | None = await asyncio.to_thread(site.store.site.trials.get, trial_id)
    if stored is None or stored.bot_id != found.id:
        raise Refused(404, "that is no longer stored")
    problem = str(stored.progress.get("problem", ""))
    return TrialFacts(id=stored.id, kind=stored.kind, state=stored.state.value, problem=problem)


@router.get("/{bot_id}/league")
async def league(request: Request, site: CurrentSite, asker: Uploading, bot_id: str) -> dict[str, Any]:
    """Returns the bot's standing in its league, such as its `division`, `rating`, number of `matches` and `promotions`.

    `boss` is the built-in opponent that the bot must beat to be promoted. If the bot has not entered the league,
    returns only the game.
    """
    found, store = await _bot(request, asker, bot_id), site.store
    return await asyncio.to_thread(league_standing, store, found, site.workshop.league_copies)
