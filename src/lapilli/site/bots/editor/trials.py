"""Routes with which a page requests a trial of a bot, and receives the trial's progress and the film of its match.

A trial is a job of the workshop: a test match, a rerun of one turn, a comparison, or the entry of a bot in the league.
"""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

import msgspec
from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import JSONResponse, Response
from starlette.requests import HTTPConnection

from lapilli.core.api import Game, Setup
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.games import load
from lapilli.site.bots.editor.bots import code_of, own_bot
from lapilli.site.bots.editor.comparisons import Compare, comparison_data, comparison_of
from lapilli.site.bots.workshop.asks import COMPARE, PLAY, RERUN, SUBMIT, Code, CompareAsk, PlayAsk, RerunAsk, SubmitAsk
from lapilli.site.bots.workshop.queue import LONG, QUICK
from lapilli.site.http.answers import JsonRoute
from lapilli.site.http.forms import json_of
from lapilli.site.http.limits import TRIALS, limited
from lapilli.site.live.table.plan import is_offered, opponents
from lapilli.site.people.identity.people import Person
from lapilli.site.runtime.site import CurrentSite, site_of
from lapilli.store import SiteBot, Store, Trial, TrialState
from lapilli.store.results import unpack_record
from lapilli.viewer.films.film import film

router = APIRouter(route_class=JsonRoute)
_MOST = 2048
"""Length limit of the body of a request for a trial, in bytes."""
_BOT = "bot:"
"""Prefix of an opponent's name for a bot of the same author; the bot's id follows."""


class Play(msgspec.Struct, tag=PLAY, tag_field="kind", forbid_unknown_fields=True):
    """Fields of a request for a test match.

    Attributes:
        version: number of the bot's version that plays.
        opponent: name of an engine, or "bot:ID" for a bot of the same author.
        more: further opponents, in the same form, for a match of more than two players. The opponents have the player
            numbers that `seat` leaves free, in this order.
        seat: player number of the bot, from 0.
        seed: seed of the match.
        variant: one of `Game.variants`; "" for the default.
        league: one of `Game.leagues`; "" for the default.
    """

    version: int
    opponent: str
    seat: int
    seed: int
    more: tuple[str, ...] = ()
    variant: str = ""
    league: str = ""


class Rerun(msgspec.Struct, tag=RERUN, tag_field="kind", forbid_unknown_fields=True):
    """Fields of a request to ask a bot again for its reply in one turn of a match.

    Attributes:
        version: number of the bot's version that is asked.
        trial: id of the trial in which the match was played.
        turn: number of the turn.
    """

    version: int
    trial: str
    turn: int


class Submit(msgspec.Struct, tag=SUBMIT, tag_field="kind", forbid_unknown_fields=True):
    """Fields of a request to enter a version of a bot in the league.

    Attributes:
        version: number of the version.
    """

    version: int


_DECODER: msgspec.json.Decoder[Play | Rerun | Compare | Submit] = msgspec.json.Decoder(Play | Rerun | Compare | Submit)


@router.post("/bots/{bot_id}/trials", dependencies=[Depends(limited(TRIALS))])
async def begin(request: Request, site: CurrentSite, bot_id: str) -> Response:
    """Adds a requested trial (job for a bot) to the workshop's queue, and sends the trial's id."""
    person, bot = await own_bot(request, bot_id)
    try:
        wanted = _DECODER.decode(await json_of(request, _MOST))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise LapilliError("unknown kind of trial") from None
    trial_id = await asyncio.to_thread(ask, site.store, person, bot, wanted)
    site.workshop.wake()
    return JSONResponse({"id": trial_id})


def ask(store: Store, person: Person, bot: SiteBot, wanted: Play | Rerun | Compare | Submit) -> str:
    """Adds a trial (job for a bot) to the workshop's queue, and returns its id. Writes to the store, and blocks.

    The caller must call `Workshop.wake` afterwards, so that the workshop notices the trial.

    Args:
        store: the database.
        person: the person who requests the trial.
        bot: the bot.
        wanted: the request.

    Raises:
        LapilliError: the request is not valid.
    """
    trial_id, kind = secrets.token_urlsafe(12), str(type(wanted).__struct_config__.tag)
    job = msgspec.to_builtins(_job_of(store, bot, wanted))
    store.site.trials.add(trial_id, bot.id, person.id, kind, job)
    return trial_id


def _job_of(
    store: Store, bot: SiteBot, wanted: Play | Rerun | Compare | Submit
) -> PlayAsk | RerunAsk | CompareAsk | SubmitAsk:
    """Returns the workshop's job for a request. Raises LapilliError if the request is not valid."""
    own = code_of(store, bot, wanted.version)
    match wanted:
        case Play():
            return _play_job(store, bot, own, wanted)
        case Rerun():
            return RerunAsk(own=own, trial=_trial_id(store, bot, wanted.trial), turn=wanted.turn)
        case Compare():
            return comparison_of(store, bot, own, wanted)
        case Submit():
            return SubmitAsk(game=bot.game, own=own)


def _play_job(store: Store, bot: SiteBot, own: Code, wanted: Play) -> PlayAsk:
    game, names = load(bot.game), (wanted.opponent, *wanted.more)
    players = len(names) + 1
    wanted_setup = Setup(
        seed=wanted.seed, players=players, variant=wanted.variant or None, league=wanted.league or None
    )
    setup = game.complete(wanted_setup)
    if not 0 <= wanted.seat < players or not 0 <= wanted.seed <= 2**53:
        raise LapilliError(f"give a seat from 1 to {players}, and a seed from 0 to {2**53}")
    game.new_initial_state(setup)
    others = tuple(_opponent_of(store, bot, game, name) for name in names)
    return PlayAsk(game=game.name, own=own, seat=wanted.seat, setup=setup.to_dict(), opponents=others)


def _opponent_of(store: Store, bot: SiteBot, game: Game, name: str) -> str | Code:
    """Returns the opponent `name` of a test match, see `Play`: an engine's name, or the newest version of a bot.

    Raises LapilliError if the site offers no such engine, or the author of `bot` has no such bot.
    """
    if not name.startswith(_BOT):
        if not is_offered(game, name):
            raise UnknownName("opponent", name, [offered for offered, _ in opponents(game)])
        return name
    opponent = store.site.bots.get(name.removeprefix(_BOT))
    if opponent is None or opponent.owner != bot.owner or opponent.game != bot.game:
        raise LapilliError("there is no such bot of yours")
    return code_of(store, opponent, opponent.version)


def _trial_id(store: Store, bot: SiteBot, trial_id: str) -> str:
    trial = store.site.trials.get(trial_id)
    if trial is None or trial.bot_id != bot.id or trial.record is None:
        raise LapilliError("that match is no longer stored: play again")
    return trial.id


async def own_trial(request: HTTPConnection, bot_id: str, trial_id: str) -> Trial:
    """Returns a trial (job for a bot) with this id, if the bot belongs to the signed-in person.

    Raises:
        HTTPException: 401 if nobody is signed in; 404 if the bot or its trial does not exist, or the signed-in person
            is neither the bot's author nor an owner of the site.
    """
    _, bot = await own_bot(request, bot_id)
    trial: Trial | None = await asyncio.to_thread(site_of(request).store.site.trials.get, trial_id)
    if trial is None or trial.bot_id != bot.id:
        raise HTTPException(404, "That match is no longer stored.")
    return trial


@router.get("/bots/{bot_id}/trials/{trial_id}")
async def look(request: Request, site: CurrentSite, bot_id: str, trial_id: str) -> Response:
    """Sends the state of a trial (job for a bot), its results so far and, while it waits, its place in the queue."""
    trial = await own_trial(request, bot_id, trial_id)
    data: dict[str, Any] = {"id": trial.id, "kind": trial.kind, "state": trial.state, "told": trial.progress}
    data["ask"] = {key: trial.request[key] for key in ("seat", "turn") if key in trial.request}
    if trial.kind == PLAY:
        asked = msgspec.convert(trial.request, PlayAsk)
        data["ask"]["bots"] = [number for number, one in enumerate(asked.players) if isinstance(one, Code)]
    if trial.kind == COMPARE:
        data |= await asyncio.to_thread(comparison_data, site.store, trial)
    else:
        data["version"] = trial.request["own"]["version"]
    if trial.state == TrialState.WAITING:
        kinds = QUICK if trial.kind in QUICK else LONG
        queue = await asyncio.to_thread(site.store.site.trials.queue, kinds)
        data["place"] = queue.index(trial.id) + 1 if trial.id in queue else 1
    data["film"] = trial.record is not None
    return JSONResponse(data, headers={"Cache-Control": "no-store"})


@router.post("/bots/{bot_id}/trials/{trial_id}/stop")
async def stop(request: Request, site: CurrentSite, bot_id: str, trial_id: str) -> Response:
    """Stops a trial (job for a bot), whether it is waiting or running."""
    trial = await own_trial(request, bot_id, trial_id)
    await asyncio.to_thread(site.store.site.trials.stop, trial.id)
    site.workshop.wake()
    return JSONResponse({})


@router.get("/bots/{bot_id}/trials/{trial_id}/film")
async def shown(request: Request, bot_id: str, trial_id: str) -> Response:
    """Sends the film of the match that a trial (job for a bot) has played."""
    trial = await own_trial(request, bot_id, trial_id)
    if trial.record is None:
        raise HTTPException(404, "There is no match to look at.")
    packed = trial.record
    data = await asyncio.to_thread(lambda: film(unpack_record(packed)))
    return JSONResponse(data, headers={"Cache-Control": "no-store"})
