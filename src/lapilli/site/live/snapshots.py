"""What is said of a table: how it looks, and how it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lapilli.site.live.table import Data

if TYPE_CHECKING:
    from lapilli.site.live.course import Course


def hello_of(course: Course, seat: int | None) -> Data:
    """The whole table, for a page that knows nothing of it yet."""
    return {
        "type": "hello",
        "look": course.table.look(),
        "frame": course.table.picture(),
        "log": course.table.log,
        "seat": seat,
    }


def now_of(course: Course, seat: int | None, now: float) -> Data:
    """How it stands, as the one at a seat may know it; None for those who watch. `now` is by the clocks' own time."""
    table, plan, clocks = course.table, course.plan, course.clocks
    asked = table.asked if plan.ready else ()
    outcome = table.outcome
    against_engines = seat is not None and plan.is_against_engines(seat)
    told: Data = {
        "type": "now",
        "turn": table.turn,
        "asked": asked,
        "answered": list(table.given),
        "engines": [number for number, one in enumerate(plan.seats) if one.is_machine],
        "clocks": [None if one.is_machine else _ms(clocks.left(number, now)) for number, one in enumerate(plan.seats)],
        "running": clocks.running if clocks.exist else (),
        "queue": course.queue,
        "open": [number for number, one in enumerate(plan.seats) if one.is_open],
        "links": {n: one.key for n, one in enumerate(plan.seats) if one.is_open} if seat is not None else {},
        "outcome": None if outcome is None else {"reason": outcome.reason, "ranks": outcome.ranks},
        "resigning": seat in plan.resigned,
        "draws": plan.draws,
        "peers": seat is not None and plan.is_among_people and not table.over,
        "rematch": plan.rematch,
        "helps": against_engines and not table.over,
        "hints": against_engines and bool(table.game.searches),
        "tookTurns": any(answer.player == seat for answer in course.answers),
    }
    if seat is not None and seat in asked:
        told["draft"] = table.drafted(seat)
    return told


def _ms(seconds: float | None) -> int | None:
    return None if seconds is None else round(1000 * seconds)
