"""Converts tables to the data that the API returns."""

from __future__ import annotations

from typing import Any

import msgspec

from lapilli.games import load
from lapilli.match.results.result_words import told_apart, with_names
from lapilli.site.api.callers import Caller
from lapilli.site.api.models import PlayerFacts, TableFacts
from lapilli.site.live.table.live_table import LiveTable
from lapilli.site.live.table.plan import Seat, TablePlan
from lapilli.site.live.table.seats import is_reserved
from lapilli.site.people.identity.people import holder_of
from lapilli.site.runtime.installed import check_installed
from lapilli.store import PROGRAM, SiteTable


def is_for(seat: Seat, caller: Caller) -> bool:
    """Returns whether a seat is reserved for a program or for its account."""
    return is_reserved(seat, caller.token.name, holder_of(caller.person.id))


def facts_of(table: SiteTable) -> TableFacts:
    """Returns the public data of a stored table. Raises NotInstalled if its game is not installed."""
    check_installed(table.game)
    plan, sides = msgspec.convert(table.plan, TablePlan), load(table.game).sides
    names = told_apart([seat.name or seat.invited for seat in plan.seats], sides)
    return _facts(table.id, plan, bool(table.verdict), with_names(table.verdict, sides, names))


def _facts(table_id: str, plan: TablePlan, over: bool, verdict: str) -> TableFacts:
    sides = load(plan.game).sides
    players = [
        PlayerFacts(name=seat.name or seat.invited, side=side, kind=_kind(seat))
        for seat, side in zip(plan.seats, sides, strict=False)
    ]
    setup = {
        key: value for key, value in plan.setup.items() if key != "seed" or over
    }  # the seed reveals all random draws
    return TableFacts(
        id=table_id, game=plan.game, setup=setup, players=players, rated=plan.rated, over=over, verdict=verdict
    )


def _kind(seat: Seat) -> Any:
    if seat.is_open:
        return "open"
    return "engine" if seat.is_machine else "program" if seat.holder.startswith(PROGRAM) else "person"


def live_facts(table: LiveTable, seat: int | None) -> dict[str, Any]:
    """Returns the data of a live table for a program that plays at `seat`, or only watches if `seat` is None."""
    facts = _facts(table.id, table.plan, table.match.over, table.match.result())
    return facts.model_dump() | {"seat": seat, "turn": table.match.turn}
