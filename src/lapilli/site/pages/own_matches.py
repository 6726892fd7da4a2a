"""The unfinished matches of one person: the page that lists them, a redirect to the next match in which it is the
person's turn, and the matches that wait for the person.

Correspondence matches are read from the store. Live matches are found among the tables that this process has loaded or
cached.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from lapilli.core.errors import LapilliError
from lapilli.core.picture.words import quantity
from lapilli.games import load, names
from lapilli.match.results.result_words import points_in, winner_in
from lapilli.site.http.answers import JsonRoute, since
from lapilli.site.http.forms import form_of
from lapilli.site.http.limits import POSITIONS, limited
from lapilli.site.http.rendering import rendered
from lapilli.site.live.table.plan import TablePlan, TimeControl, brief_time
from lapilli.site.people.identity.people import Role, require, shown_name
from lapilli.site.people.profiles.pages import Text, match_row
from lapilli.site.people.profiles.profiles import filter_of
from lapilli.site.runtime.site import CurrentSite, Site
from lapilli.store import DAY_S, VACATION_DAYS, OwnMatch, SiteTable

router = APIRouter(default_response_class=HTMLResponse)
_json = APIRouter(route_class=JsonRoute)
_LIVE = 8
"""Largest number of live matches in the list of a person's matches."""
_FINISHED = 8
"""Largest number of finished matches in the list of a person's matches."""
_SHORT_S = DAY_S
"""Remaining time, in seconds, below which the list shows it in bold."""


def table_summary(table: SiteTable) -> dict[str, Any]:
    """Returns a table as data for the lists of matches.

    The value of the key `seat` is the path of the table's first seat that anybody may take; "" if there is none.
    """
    seats, game = table.plan["seats"], load(table.game)
    winner, points = winner_in(table.verdict, game.sides), points_in(table.verdict)
    seated = [shown_name(seat.get("name", ""), seat.get("holder", "")) or "open seat" for seat in seats]
    key = next((seat["key"] for seat in seats if seat.get("listed") and not seat.get("holder")), "")
    control = msgspec.convert(table.plan.get("control", {}), TimeControl)
    return {
        "id": table.id,
        "seat": f"/t/{table.id}/seat/{key}" if key else "",
        "title": game.title,
        "emblem": game.emblem,
        "rated": table.plan.get("rated", False),
        "clock": brief_time(control) if control.seconds else "",
        "names": seated,
        "players": [{"name": name, "won": player == winner} for player, name in enumerate(seated)],
        "score": "–".join(reversed(points) if winner else points) if len(seated) == 2 else "",
        "when": since(time.time() - table.changed),
    }


def time_left(seconds: float) -> str:
    """Formats the time left for a turn in a correspondence match: "3 days", "5 hours", "12 minutes"."""
    for unit, name, least in ((DAY_S, "day", 2), (3600.0, "hour", 1)):
        if seconds >= least * unit:
            return quantity(int(seconds // unit), name)
    number = max(0, int(seconds // 60))
    return "less than a minute" if number == 0 else quantity(number, "minute")


async def own_matches(site: Site, going: Sequence[SiteTable], holder: str) -> list[dict[str, Any]]:
    """Returns summaries of the unfinished matches of a person, the most urgent first.

    The order: live matches in which it is the person's turn; correspondence matches in which it is the person's turn,
    the one with the least time left first; all other matches.

    Args:
        site: the site.
        going: tables whose match is not over, from `Tables.going`.
        holder: string that identifies the person, see `Seat.holder`; "" for a guest without a seat.
    """
    summaries = [await _live_summary(site, table, plan, holder) for table, plan in _live_of(going, holder)]
    slow = await asyncio.to_thread(site.store.site.turns.of, holder) if holder else []
    summaries += [_slow_summary(one, holder) for one in slow]
    return sorted(
        summaries, key=lambda summary: (not summary["is_asked"], summary["is_waiting"], bool(summary["left"]))
    )


def _live_of(going: Sequence[SiteTable], holder: str) -> list[tuple[SiteTable, TablePlan]]:
    plans = ((table, msgspec.convert(table.plan, TablePlan)) for table in going)
    return [(table, plan) for table, plan in plans if plan.seat_of(holder) is not None][:_LIVE]


async def _live_summary(site: Site, table: SiteTable, plan: TablePlan, holder: str) -> dict[str, Any]:
    summary = table_summary(table) | {"players": _opponents(table, holder), "left": "", "is_short": False}
    summary |= {"is_waiting": not plan.ready, "is_asked": False}
    if plan.ready:
        found = site.tables.in_memory.get(table.id)
        if found is None and site.compilation.is_over:  # otherwise the page would have to wait for the compiler
            found = await site.tables.find(table.id)
        summary["is_asked"] = found is not None and plan.seat_of(holder) in found.match.asked
    return summary


def _slow_summary(one: OwnMatch, holder: str) -> dict[str, Any]:
    left = {"left": "" if one.left_s is None else time_left(one.left_s), "is_short": (one.left_s or 0) < _SHORT_S}
    summary = table_summary(one.table) | {"players": _opponents(one.table, holder)}
    return summary | left | {"is_waiting": False, "is_asked": one.is_asked}


def _opponents(table: SiteTable, holder: str) -> list[dict[str, str]]:
    """Returns a table's other players as data for a list of matches.

    `holder`: string that identifies the person, see `Seat.holder`.
    """
    others = [seat for seat in table.plan["seats"] if seat.get("holder") != holder]
    return [{"name": shown_name(seat.get("name", ""), seat.get("holder", "")) or "open seat"} for seat in others]


@router.get("/matches")
async def matches(request: Request, site: CurrentSite, game: Text = "", result: Text = "") -> Response:
    """Shows the person's unfinished matches, the most urgent first, and the latest finished ones.

    `game` and `result` (such as "won"): only finished matches of this game, and with this result, are listed.
    """
    person = require(request, Role.MEMBER)
    own = await own_matches(site, await site.tables.going(), person.holder)
    vacation = await asyncio.to_thread(site.store.site.vacations.of, person.holder) if person.holder else None
    wanted = await asyncio.to_thread(filter_of, site.store, game, result, "", 0)
    finished = site.store.site.ratings.listed
    results = await asyncio.to_thread(finished, person.id, wanted, _FINISHED) if person.id and wanted else []
    until = time.strftime("%d %B, %H:%M UTC", time.gmtime(vacation.until)) if vacation and vacation.until else ""
    return rendered(
        "play/matches",
        asked=[one for one in own if one["is_asked"]],
        others=[one for one in own if not one["is_asked"] and not one["is_waiting"]],
        waiting=[one for one in own if one["is_waiting"]],
        results=[match_row(one) for one in results],
        games=[load(name) for name in names()],
        game=game,
        result=result,
        vacation=vacation,
        until=until,
    )


@router.get("/matches/next")
async def following(request: Request, site: CurrentSite, after: Annotated[str, Query(max_length=40)] = "") -> Response:
    """Redirects to the next match in which it is the person's turn, or to the list of matches if there is none.

    `after`: id of the table that the person sees now; "" for none.
    """
    person = require(request, Role.MEMBER)
    ids = [table_id for table_id, _ in await _waiting(site, person.holder)]
    place = ids.index(after) + 1 if after in ids else 0
    others = [table_id for table_id in [*ids[place:], *ids[:place]] if table_id != after]
    return RedirectResponse(f"/t/{others[0]}" if others else "/matches", 303)


@router.post("/matches/vacation")
async def begin_vacation(request: Request, site: CurrentSite) -> Response:
    """Begins a vacation of the person. During a vacation, the person's clocks in correspondence matches stand still."""
    person = require(request, Role.MEMBER)
    days = (await form_of(request)).get("days", "")
    if not (days.isascii() and days.isdigit() and len(days) <= 2 and 1 <= int(days) <= VACATION_DAYS):
        raise LapilliError(f"a vacation has 1 to {VACATION_DAYS} days")
    if not person.holder:
        raise LapilliError("you have no match over days")
    site.tables.reread(await asyncio.to_thread(site.store.site.vacations.begin, person.holder, int(days)))
    return RedirectResponse("/matches", 303)


@router.post("/matches/vacation/end")
async def end_vacation(request: Request, site: CurrentSite) -> Response:
    """Ends the person's vacation."""
    person = require(request, Role.MEMBER)
    site.tables.reread(await asyncio.to_thread(site.store.site.vacations.end, person.holder))
    return RedirectResponse("/matches", 303)


async def _waiting(site: Site, holder: str) -> list[tuple[str, int]]:
    """Returns the matches in which it is a person's turn: the id of each table, and the number of the turn.

    `holder`: string that identifies the person, see `Seat.holder`.
    """
    if not holder:
        return []
    live = [
        (table.id, table.match.turn)
        for table in site.tables.in_memory.values()
        if not table.plan.control.days and table.plan.ready and table.plan.seat_of(holder) in table.match.asked
    ]
    return [*live, *await asyncio.to_thread(site.store.site.turns.waiting, holder)]


@_json.get("/matches/waiting", dependencies=[Depends(limited(POSITIONS))])
async def waiting(request: Request, site: CurrentSite) -> Response:
    """Returns the matches in which it is the person's turn, each as id of the table and number of the turn."""
    person = require(request, Role.MEMBER)
    return JSONResponse({"turns": await _waiting(site, person.holder)}, headers={"Cache-Control": "no-store"})


router.include_router(_json)
