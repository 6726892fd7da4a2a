"""Pages about people: the leaderboards, and the profile of each member."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, Response, StreamingResponse
from markupsafe import Markup

from lapilli.arena.pages.charts import ChartLine, lines
from lapilli.core.api import Game
from lapilli.games import load, names
from lapilli.match.results.result_words import points_in
from lapilli.site.http.answers import since
from lapilli.site.http.limits import EXPORTS, limited
from lapilli.site.http.rendering import rendered
from lapilli.site.live.results.rating import change_text, matches_to_settle, rules_of
from lapilli.site.live.table.plan import MEMBER, TIMES, USUAL_CLOCK, called, nearest_level
from lapilli.site.people.identity.people import Person, Role, person_of, require
from lapilli.site.people.profiles.export import archive
from lapilli.site.people.profiles.profiles import GameRating, filter_of, member_named, profile_of
from lapilli.site.runtime.installed import emblem_of, title_of
from lapilli.site.runtime.site import CurrentSite, Site
from lapilli.store import BOT, CORRESPONDENCE, DAY_S, LIVE, PROGRAM, PlayerRating, RatedPlayer, SiteResult, Standing

router = APIRouter(default_response_class=HTMLResponse)
_A_PAGE = 50
"""Number of players on a page of a leaderboard."""
_MATCHES = 20
"""Number of matches on a page of a profile."""
_LAST = 100_000
"""Largest number of players that a page of a leaderboard skips."""
_TREND_S = 30 * DAY_S
"""Time for which a leaderboard shows how ratings have changed, in seconds."""
_CHALLENGES = (USUAL_CLOCK, "30+20", "days-1", "days-3")
"""Clocks of the form with which people challenge a member."""
_SPARK = 40
"""Largest number of ratings in a rating's small curve."""
First = Annotated[int, Query(ge=0, le=_LAST)]
"""Query parameter: number of players on earlier pages of a leaderboard."""
Before = Annotated[int, Query(ge=0, le=2**62)]
"""Query parameter: the page lists matches with smaller numbers (`SiteResult.number`); 0 for the latest matches."""
Kind = Literal["live", "correspondence"]
Text = Annotated[str, Query(max_length=60)]


@router.get("/people")
async def leaderboard(
    request: Request, site: CurrentSite, game: Text = "", first: First = 0, kind: Kind = LIVE
) -> Response:
    """Shows a page of the leaderboard of a game and a kind of matches, and the measured levels of the computer.

    For a signed-in member, the page also shows the member's own standing.

    `first`: number of players on earlier pages.
    """
    chosen = load(game or names()[0])
    ratings = site.store.site.ratings
    leaders = await asyncio.to_thread(ratings.leaders, chosen.name, first, _A_PAGE + 1, kind)
    earlier = await asyncio.to_thread(ratings.earlier, leaders[:_A_PAGE], time.time() - _TREND_S)
    own = await asyncio.to_thread(_own_standing, site, person_of(request), chosen, kind)
    return rendered(
        "people/leaderboard",
        game=chosen,
        kind=kind,
        first=first,
        kinds={LIVE: "Live", CORRESPONDENCE: "Over days"},
        games=[load(name) for name in names()],
        own=own,
        rows=_rows(chosen, leaders[:_A_PAGE], first, earlier),
        levels=_levels(chosen, own["rating"] if own else None),
        to_settle=matches_to_settle(rules_of(chosen.name).new),
        following=first + _A_PAGE if len(leaders) > _A_PAGE else 0,
        previous=max(0, first - _A_PAGE) if first else None,
    )


def _own_standing(site: Site, person: Person, game: Game, kind: str) -> dict[str, Any] | None:
    """Returns a member's rating and place on a leaderboard, as values for the template; None for other visitors.

    `needed`: number of rated matches after which the member will be on the leaderboard, about; 0 if it is there now.
    `first`: number of players on earlier pages than the member's. Reads the store, and blocks.
    """
    if not person.id:
        return None
    rating = site.store.site.ratings.rating(game.name, person.holder, kind)
    needed = matches_to_settle(rating or rules_of(game.name).new)
    place = 0 if rating is None or needed else site.store.site.ratings.place(game.name, rating, kind)
    first = (place - 1) // _A_PAGE * _A_PAGE if place else 0
    return {"rating": round(rating.rating) if rating else None, "needed": needed, "place": place, "first": first}


def _levels(game: Game, own: int | None = None) -> list[dict[str, Any]]:
    """Returns the measured built-in opponents of a game as data for the page, the strongest first.

    `own`: rating of the member who reads the page, who is listed among them; None for no rating.
    """
    levels = [
        {"name": called(game, one.player), "rating": one.elo, "low": one.low, "high": one.high, "is_own": False}
        for one in game.strengths
    ]
    if own is not None and levels:
        levels.append({"name": "You", "rating": own, "low": own, "high": own, "is_own": True})
    return sorted(levels, key=lambda level: -level["rating"])


def _rows(game: Game, leaders: Sequence[RatedPlayer], first: int, earlier: Mapping[str, float]) -> list[dict[str, Any]]:
    """Returns the rows of one page of a leaderboard.

    Args:
        game: the game.
        leaders: the players.
        first: number of players on earlier pages.
        earlier: the ratings at the beginning of the time for which the page shows a trend, by subject.
    """
    rows = []
    for place, player in enumerate(leaders, first + 1):
        before = earlier.get(player.subject)
        trend = None if before is None else round(player.rating.rating) - round(before)
        rows.append(_player_row(player) | {"place": place, "like": _like(game, player.rating), "trend": trend})
    return rows


def _like(game: Game, rating: PlayerRating) -> str:
    """Returns the display name of the level whose strength is nearest to a player's; "" if the game has no levels."""
    near = nearest_level(game, rating.rating)
    return called(game, near.player) if near else ""


def _player_row(player: RatedPlayer) -> dict[str, Any]:
    low, high = player.rating.interval
    kind = "bot" if player.subject.startswith(BOT) else "program" if player.subject.startswith(PROGRAM) else ""
    row = {"name": player.name, "owner": player.owner, "kind": kind, "low": low, "high": high}
    row |= {"won": player.won, "drawn": player.drawn, "lost": player.lost, "matches": player.matches}
    return row | {"rating": round(player.rating.rating), "provisional": player.rating.is_provisional}


@router.get("/people/{name}")
async def profile(
    request: Request,
    site: CurrentSite,
    name: str,
    game: Text = "",
    result: Text = "",
    opponent: Text = "",
    before: Before = 0,
) -> Response:
    """Shows a member's profile: ratings, puzzles, bots, and a list of matches.

    The list contains only matches that meet the conditions `game`, `result` (such as "won"), `opponent`, and `before`
    (only matches with smaller numbers).
    """
    account = await member_named(site, name)
    shown = await asyncio.to_thread(profile_of, site.store, account)
    wanted = await asyncio.to_thread(filter_of, site.store, game, result, opponent, before)
    listed = site.store.site.ratings.listed
    found = [] if wanted is None else await asyncio.to_thread(listed, account.id, wanted, _MATCHES + 1)
    conditions: dict[str, Any] = {"game": game, "result": result, "opponent": opponent}
    next_before = found[_MATCHES - 1].number if len(found) > _MATCHES else 0
    older = {key: value for key, value in conditions.items() if value} | {"before": next_before}
    return rendered(
        "people/profile",
        account=account,
        is_own=person_of(request).id == account.id,
        can_challenge=bool(person_of(request).id) and person_of(request).id != account.id,
        clocks={name: TIMES[name][0] for name in _CHALLENGES},
        opponent_value=MEMBER + account.name,
        since=time.strftime("%B %Y", time.gmtime(account.created)),
        seen=since(time.time() - account.seen),
        games=[load(one) for one in names()],
        ratings=[_rating_shown(one) for one in shown.ratings],
        helpers=[_player_row(one.player) | _game_row(one.player.game) for one in shown.helpers],
        puzzles=[{"title": load(one.game).title, "puzzles": one} for one in shown.puzzles],
        bots=[{"name": bot.name, "game": bot.game} | _game_row(bot.game) for bot in shown.bots],
        matches=[match_row(one) for one in found[:_MATCHES]],
        older=f"?{urlencode(older)}#matches" if next_before else "",
        before=before,
        **conditions,
    )


def _game_row(game: str) -> dict[str, str]:
    return {"title": title_of(game), "emblem": emblem_of(game)}


def _rating_shown(one: GameRating) -> dict[str, Any]:
    is_slow = one.player.kind == CORRESPONDENCE
    title = title_of(one.player.game) + (", matches over days" if is_slow else "")
    chart = _curve(one.curve, title) if len(one.curve) > 1 else ""
    first = (one.place - 1) // _A_PAGE * _A_PAGE if one.place else 0
    row = {
        "title": title,
        "game": one.player.game,
        "emblem": emblem_of(one.player.game),
        "match_kind": one.player.kind,
        "place": one.place,
        "like": _like(load(one.player.game), one.player.rating) if one.player.game in names() else "",
        "first": first,
        "chart": chart,
        "spark": _spark([rating.rating for _, rating in one.curve[-_SPARK:]]),
        "best_win": one.best_win,
    }
    return _player_row(one.player) | row


def _curve(curve: list[tuple[float, PlayerRating]], title: str) -> Markup:
    """Draws a rating's curve over the player's last matches, with its 95 % interval. `title`: label of the curve."""
    last = len(curve)
    points = [(float(number - last), rating.rating) for number, (_, rating) in enumerate(curve, 1)]
    band = [tuple(map(float, rating.interval)) for _, rating in curve]
    heights = min(low for low, _ in band), max(high for _, high in band)
    line = ChartLine(title, points, [(low, high) for low, high in band])
    label = f"Rating in {title} after each of the last {last} rated matches"
    return lines([line], heights, "matches", label, ends=lambda x: "now" if x == 0 else f"{-x:,.0f} matches ago")


def _spark(ratings: Sequence[float]) -> str:
    """Returns the points of a small curve of ratings, for an SVG polyline; the curve is 100 wide and 24 high."""
    low, high = min(ratings, default=0), max(ratings, default=0)
    step, height = 100 / max(1, len(ratings) - 1), 24 / ((high - low) or 1)
    return " ".join(f"{place * step:.1f},{(high - one) * height:.1f}" for place, one in enumerate(ratings))


def match_row(one: SiteResult) -> dict[str, Any]:
    """Returns a player's part in a finished match as data for a list of matches, with the own points first."""
    points = points_in(one.verdict)
    if len(one.names) == 2 and one.standing is Standing.LOST:
        points.reverse()
    return {
        "id": one.table_id,
        "title": title_of(one.game),
        "emblem": emblem_of(one.game),
        "own": one.names[one.player],
        "standing": one.standing or "no result",
        "score": "–".join(points),
        "players": [
            {"name": name or "Guest", "member": member}
            for number, (name, member) in enumerate(zip(one.names, one.members, strict=True))
            if number != one.player
        ],
        "change": change_text(one.change.before, one.change.after) if one.change else "",
        "gain": round(one.change.after.rating) - round(one.change.before.rating) if one.change else None,
        "when": since(time.time() - one.at),
    }


@router.get("/account/data.zip", dependencies=[Depends(limited(EXPORTS))])
async def download(request: Request, site: CurrentSite) -> Response:
    """Sends everything that the site stores about the signed-in account, as a ZIP archive of JSON files."""
    person = require(request, Role.MEMBER)
    headers = {"Content-Disposition": 'attachment; filename="lapilli.zip"', "Cache-Control": "no-store"}
    return StreamingResponse(archive(site.store, person.id), media_type="application/zip", headers=headers)
