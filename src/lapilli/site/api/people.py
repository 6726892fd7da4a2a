"""API requests about members: leaderboards, profiles and results."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

from fastapi import APIRouter, HTTPException, Query

from lapilli.core.errors import UnknownName
from lapilli.games import load
from lapilli.site.api.callers import Reader
from lapilli.site.api.models import CurvePoint, MemberFacts, PuzzleFacts, RatingFacts, ResultFacts
from lapilli.site.api.problems import Refused
from lapilli.site.people.identity.people import holder_of
from lapilli.site.people.profiles.profiles import filter_of, member_named, profile_of
from lapilli.site.runtime.site import CurrentSite, Site
from lapilli.store import LIVE, Account

router = APIRouter(tags=["people"])
Kind = Literal["live", "correspondence"]
Text = Annotated[str, Query(max_length=60)]


async def _member(site: Site, name: str) -> Account:
    try:
        return await member_named(site, name)
    except HTTPException:
        raise Refused(404, "there is no member with this name") from None


def _game(name: str) -> str:
    """Returns the name of a game. Raises Refused (404) if there is no such game."""
    try:
        return load(name).name
    except UnknownName as error:
        raise Refused(404, str(error)) from None


@router.get("/leaderboards/{game}")
async def leaderboard(
    site: CurrentSite,
    caller: Reader,
    game: str,
    first: Annotated[int, Query(ge=0, le=100_000)] = 0,
    most: Annotated[int, Query(ge=1, le=100)] = 50,
    kind: Kind = LIVE,
) -> list[RatingFacts]:
    """Returns players of a game with settled ratings, the best first. `first` is the number of players to skip."""
    found = await asyncio.to_thread(site.store.site.ratings.leaders, _game(game), first, most, kind)
    return [RatingFacts.of(player) for player in found]


@router.get("/people/{name}")
async def member(site: CurrentSite, caller: Reader, name: str) -> MemberFacts:
    """Returns a member with all ratings."""
    found = await asyncio.to_thread(profile_of, site.store, await _member(site, name))
    return MemberFacts(
        name=found.account.name,
        since=found.account.created,
        ratings=[RatingFacts.of(one.player) for one in (*found.ratings, *found.helpers)],
        puzzles=[
            PuzzleFacts(game=one.game, points=one.points, tries=one.tries, solved=one.solved) for one in found.puzzles
        ],
    )


@router.get("/people/{name}/curve")
async def curve(site: CurrentSite, caller: Reader, name: str, game: Text, kind: Kind = LIVE) -> list[CurvePoint]:
    """Returns a member's rating in a game after each of the last 500 rated matches, the earliest first."""
    holder = holder_of((await _member(site, name)).id)
    points = await asyncio.to_thread(site.store.site.ratings.curve, _game(game), holder, kind)
    return [CurvePoint(at=at, rating=rating.rating, deviation=rating.deviation) for at, rating in points]


@router.get("/people/{name}/matches")
async def matches(
    site: CurrentSite,
    caller: Reader,
    name: str,
    game: Text = "",
    result: Literal["", "won", "drawn", "lost"] = "",
    opponent: Text = "",
    before: Annotated[int, Query(ge=0, le=2**62)] = 0,
    most: Annotated[int, Query(ge=1, le=100)] = 20,
) -> list[ResultFacts]:
    """Returns finished matches of a member and of the member's programs and bots, the latest first.

    `opponent` is the name of a member or of a built-in opponent.
    """
    account = await _member(site, name)
    wanted = await asyncio.to_thread(filter_of, site.store, game, result, opponent, before)
    if wanted is None:
        return []
    found = await asyncio.to_thread(site.store.site.ratings.listed, account.id, wanted, most)
    return [ResultFacts.of(one) for one in found]
