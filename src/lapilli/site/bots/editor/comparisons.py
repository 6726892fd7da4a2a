"""Comparisons of a version of a bot with another version, an engine, or another bot."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import msgspec
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from lapilli.core.errors import LapilliError, UnknownName
from lapilli.games import load
from lapilli.site.bots.editor.bots import code_of, own_bot
from lapilli.site.bots.workshop.asks import COMPARE, OTHER, Code, CompareAsk
from lapilli.site.http.answers import JsonRoute, since
from lapilli.site.live.drivers.bot_pool import offered_bots
from lapilli.site.live.table.plan import called, is_offered, opponents
from lapilli.site.people.identity.names import DELETED_BOT
from lapilli.site.runtime.site import CurrentSite
from lapilli.store import SiteBot, Store, Trial

router = APIRouter(route_class=JsonRoute)
_LISTED = 12
"""Largest number of earlier comparisons on a page."""
_FOUND = {
    "better": "is better than",
    "worse": "is worse than",
    "not better": "is not seen to be better than",
}


class Compare(msgspec.Struct, tag=COMPARE, tag_field="kind", forbid_unknown_fields=True):
    """Fields of a request for a comparison.

    Attributes:
        version: number of the version that is compared with an opponent.
        other: the opponent if `against` is "": number of another version of the same bot.
        against: the opponent if it is another program: name of an engine, or key of the dict that `offered_bots`
            returns.
    """

    version: int
    other: int = 0
    against: str = ""


def comparison_of(store: Store, bot: SiteBot, new: Code, wanted: Compare) -> CompareAsk:
    """Returns the workshop's job for a requested comparison.

    Args:
        store: the database.
        bot: the bot.
        new: the version of the bot that is compared.
        wanted: the request.

    Raises:
        LapilliError: the opponent or its version does not exist, both versions are the same, or `against` names the bot
            itself.
    """
    game = load(bot.game)
    setup = {"players": min(game.players)}
    if not wanted.against:
        if wanted.other == wanted.version:
            raise LapilliError("a version cannot be compared with itself: choose two")
        return CompareAsk(game=bot.game, new=new, old=code_of(store, bot, wanted.other), setup=setup)
    if is_offered(game, wanted.against):
        return CompareAsk(game=bot.game, new=new, engine=wanted.against, setup=setup)
    _, seat = offered_bots(store, bot.owner, game).get(wanted.against, ("", None))
    if seat is not None and seat.bot == bot.id:
        raise LapilliError("to compare a bot with itself, choose one of its versions")
    opponent = store.site.bots.get(seat.bot) if seat else None
    if seat is None or opponent is None:
        raise UnknownName("opponent", wanted.against, [name for name, _ in opponents(game)])
    is_foreign = opponent.owner != bot.owner
    old = code_of(store, opponent, seat.version)
    return CompareAsk(game=bot.game, new=new, old=old, setup=setup, is_foreign=is_foreign)


def comparison_data(store: Store, trial: Trial) -> dict[str, Any]:
    """Returns the state of a comparison as JSON data for its page. Reads the store, and blocks.

    `trial`: the workshop's job that plays the comparison.

    Returns:
        A dict with the keys `told` (results so far), `against` (the opponent's present name), and `version` (number of
        the compared version).
    """
    asked = msgspec.convert(trial.request, CompareAsk)
    against = _opponent_name(store, asked)
    results = dict(trial.progress)
    if "sentence" in results:
        results["sentence"] = _sentence(results, asked, against)
    results["players"] = [
        player | {"name": player["name"].replace(OTHER, against)} for player in results.get("players", ())
    ]
    return {"told": results, "against": against, "version": asked.new.version}


def _opponent_name(store: Store, asked: CompareAsk) -> str:
    if asked.old is None:
        return called(load(asked.game), asked.engine)
    if asked.old.bot_id == asked.new.bot_id:
        return f"version {asked.old.version}"
    bot = store.site.bots.get(asked.old.bot_id)
    if bot is None:
        return DELETED_BOT
    return f"{bot.name} of the league" if asked.is_foreign else f"{bot.name}, version {asked.old.version}"


def _sentence(results: dict[str, Any], asked: CompareAsk, against: str) -> str:
    """Returns the result of a comparison as a sentence for its page.

    For two versions of one bot, and for undecided comparisons, this is the workshop's own sentence, which also advises
    the author what to do next.

    Args:
        results: the results so far, as the workshop has stored them.
        asked: the job.
        against: the opponent's present name.
    """
    is_version = asked.old is not None and asked.old.bot_id == asked.new.bot_id
    if is_version or results["verdict"] not in _FOUND:
        sentence: str = results["sentence"].replace(OTHER, against)
        return sentence
    elo = f"{results['elo']:+.0f} ({results['elo_low']:+.0f} to {results['elo_high']:+.0f}) Elo, 95 %"
    matches = f"from {results['wins'] + results['draws'] + results['losses']} matches"
    return f"Version {asked.new.version} {_FOUND[results['verdict']]} {against} ({elo}, {matches})."


@router.get("/bots/{bot_id}/comparisons")
async def listed(request: Request, site: CurrentSite, bot_id: str) -> Response:
    """Sends a bot's latest comparisons, newest first."""
    _, bot = await own_bot(request, bot_id)
    found = await asyncio.to_thread(_listed, site.store, bot)
    return JSONResponse(found, headers={"Cache-Control": "no-store"})


def _listed(store: Store, bot: SiteBot) -> list[dict[str, Any]]:
    found = []
    for trial in store.site.trials.of_bot(bot.id, [COMPARE], _LISTED):
        about = comparison_data(store, trial)
        about["verdict"] = about.pop("told").get("verdict", "")
        found.append({"id": trial.id, "state": trial.state, "when": since(time.time() - trial.created), **about})
    return found
