"""API requests with which programs make, join and read tournaments."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from fastapi import APIRouter, HTTPException, Request

from lapilli.core.errors import UnknownName
from lapilli.site.api.callers import Caller, Playing, Reader, spend
from lapilli.site.api.models import (
    Done,
    NewTournament,
    TournamentFacts,
    TournamentMatchFacts,
    TournamentRow,
    WholeTournament,
)
from lapilli.site.api.problems import Refused
from lapilli.site.http.limits import TABLES
from lapilli.site.live.tournaments.entries import MAX_ORGANISED, new_tournament
from lapilli.site.live.tournaments.pages import change_tournament, progress_of
from lapilli.site.live.tournaments.progress import TournamentProgress, plan_of_tournament
from lapilli.site.live.tournaments.shown import facts_of_tournament, shown
from lapilli.site.runtime.site import CurrentSite, Site
from lapilli.store import NOBODY, PlayerState, SiteTournament

router = APIRouter(prefix="/tournaments", tags=["tournaments"])
_MATCHES = 500
_NONE = "there is no such tournament"


def _check_accounts(site: Site) -> None:
    """Raises Refused (409) on a site without accounts, because only accounts can take part in tournaments."""
    if site.public is None:
        raise Refused(409, "a site without accounts has no tournaments")


def _facts(tournament: SiteTournament, players: int, joined: bool) -> dict[str, Any]:
    plan, facts = plan_of_tournament(tournament), facts_of_tournament(tournament)
    return {key: facts[key] for key in ("id", "name", "state", "game", "kind", "rated", "bots", "starts")} | {
        "clock": plan.clock,
        "ends": tournament.ends,
        "round": tournament.round,
        "players": players,
        "most": plan.most,
        "joined": joined,
        "address": f"/tournaments/{tournament.id}",
    }


def _whole(site: Site, progress: TournamentProgress, caller: Caller) -> WholeTournament:
    own = progress.by_subject.get(caller.person.holder)
    is_playing = own is not None and own.state is PlayerState.PLAYING
    latest = list(progress.matches.values())[-_MATCHES:]
    return WholeTournament(
        **_facts(progress.tournament, len(progress.playing), is_playing),
        standings=[TournamentRow(**row) for row in site.tournaments.reader.cached(progress, 0, shown)["rows"]],
        matches=[
            TournamentMatchFacts(
                round=match.round,
                players=[player for player in match.players if player != NOBODY],
                table=match.table_id,
                points=None if match.points is None else [points / 2 for points in match.points][: 2 - match.is_bye],
            )
            for match in latest
        ],
    )


async def _progress(site: Site, tournament_id: str) -> TournamentProgress:
    try:
        return await progress_of(site, tournament_id)
    except HTTPException:
        raise Refused(404, _NONE) from None


@router.get("")
async def tournaments(site: CurrentSite, caller: Reader) -> list[TournamentFacts]:
    """Returns running tournaments, then open ones, then those that are over."""
    listed = await asyncio.to_thread(site.store.site.tournaments.listed)
    own = await asyncio.to_thread(site.store.site.tournaments.of_account, caller.person.id)
    joined = {
        tournament.id
        for tournament, player in own
        if player.subject == caller.person.holder and player.state is PlayerState.PLAYING
    }
    return [TournamentFacts(**_facts(one.tournament, one.players, one.tournament.id in joined)) for one in listed]


@router.post("", status_code=201)
async def make(request: Request, site: CurrentSite, caller: Playing, asked: NewTournament) -> WholeTournament:
    """Makes a tournament. The program's account is its organiser."""
    _check_accounts(site)
    time = await asyncio.to_thread(site.store.site.matches.now)
    try:
        made = new_tournament(caller.person, time, **asked.model_dump())
    except UnknownName as error:
        raise Refused(404, str(error)) from None
    spend(request, caller, TABLES)
    await asyncio.to_thread(site.store.site.tournaments.add, made, MAX_ORGANISED)
    return await asyncio.to_thread(_whole, site, await _progress(site, made.id), caller)


@router.get("/{tournament_id}")
async def tournament(site: CurrentSite, caller: Reader, tournament_id: str) -> WholeTournament:
    """Returns one tournament, with its standings and matches."""
    progress = await _progress(site, tournament_id)
    return await asyncio.to_thread(_whole, site, progress, caller)


@router.post("/{tournament_id}/{change}")
async def act(
    site: CurrentSite, caller: Playing, tournament_id: str, change: Literal["join", "leave", "start", "cancel"]
) -> Done:
    """Joins or leaves a tournament with this program; for the organiser, starts or cancels it.

    When a match of the program is opened, `/events` sends `start`.
    """
    _check_accounts(site)
    try:
        await change_tournament(site, caller.person, tournament_id, change)
    except HTTPException:
        raise Refused(404, _NONE) from None
    return Done()
