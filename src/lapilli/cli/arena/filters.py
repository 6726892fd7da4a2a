"""Options that select matches of an event, and a function that lists these matches."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from lapilli.arena.reports.overview import contestant_named, labels, match_data
from lapilli.cli.arena import tables
from lapilli.cli.shared.console import print_json
from lapilli.core.api import Termination
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.store import DataCondition, DataRelation, Event, MatchFilter, Standing, Store

_SYNONYMS = {
    "crash": Termination.EXITED,
    "exit": Termination.EXITED,
    "illegal": Termination.INVALID,
    "late": Termination.TIMEOUT,
}
"""Words that --fault accepts in addition to the values of `Termination`, and their meanings."""
_FAULTS = ("any", *(termination.value for termination in Termination if termination.is_fault))

MostOption = Annotated[int, typer.Option("--limit", metavar="N", help="Maximum number of matches.", min=1)]


@dataclass(frozen=True, kw_only=True)
class FilterOptions:
    """Options that select matches of an event."""

    lost_by: Annotated[
        str | None, typer.Option("--lost-by", metavar="NAME", help="Only matches that this contestant lost.")
    ] = None
    player: Annotated[str | None, typer.Option("--player", metavar="NAME", help="Only matches of this contestant.")] = (
        None
    )
    opponent: Annotated[
        str | None,
        typer.Option("--opponent", metavar="NAME", help="Only matches against this one, with --player or --lost-by."),
    ] = None
    fault: Annotated[
        str | None,
        typer.Option(
            "--fault",
            metavar="KIND",
            help="Only matches with a fault: any, or a kind such as timeout or crash. With --player, only that one's.",
        ),
    ] = None
    data: Annotated[
        list[str] | None,
        typer.Option(
            "--data",
            metavar="CONDITION",
            help="Only matches in which bots wrote such data to stderr, as in 'depth>=7'; can be repeated.",
        ),
    ] = None
    seed: Annotated[int | None, typer.Option("--seed", metavar="SEED", help="Only matches with this seed.")] = None

    def of_event(self, event: Event) -> MatchFilter:
        """Returns the filter that the options describe, for the matches of an event.

        Raises:
            LapilliError: an option is not valid, or options contradict each other.
        """
        if self.lost_by is not None and self.player is not None:
            raise LapilliError("--lost-by and --player cannot be combined: give one of them")
        fault = None if self.fault is None else _SYNONYMS.get(self.fault, self.fault)
        if fault is not None and fault not in _FAULTS:
            raise UnknownName("kind of fault", fault, (*_FAULTS, *_SYNONYMS))
        if self.opponent is not None and self.lost_by is None and self.player is None:
            raise LapilliError("--opponent needs a contestant: add --player or --lost-by")
        whose = self.player if self.lost_by is None else self.lost_by
        about: dict[str, Any] = {} if self.lost_by is None else {"standing": Standing.LOST}
        return MatchFilter(
            contestant=None if whose is None else contestant_named(event, whose),
            opponent=None if self.opponent is None else contestant_named(event, self.opponent),
            fault=fault,
            seed=self.seed,
            data=tuple(map(_condition, self.data or ())),
            **about,
        )

    def values(self) -> dict[str, object]:
        """Returns the values of the options by name; None for options that are not set."""
        return {
            "lost-by": self.lost_by,
            "player": self.player,
            "opponent": self.opponent,
            "fault": self.fault,
            "data": self.data,
            "seed": self.seed,
        }


_CONDITION = re.compile(r"\s*([^\s=<>!]+)\s*(!=|<=|>=|=|<|>)\s*(\S.*?)\s*")


def _condition(text: str) -> DataCondition:
    """Parses a value of --data, such as `depth>=7`. Raises LapilliError if `text` is not a valid condition."""
    found = _CONDITION.fullmatch(text)
    if found is None:
        raise LapilliError(f"--data {text}: expected NAME, one of = != < <= > >=, and a value, as in 'depth>=7'")
    name, relation, value = found.groups()
    try:
        return DataCondition(name=name, relation=DataRelation(relation), value=float(value))
    except ValueError:
        if relation not in ("=", "!="):
            raise LapilliError(f"--data {text}: {relation} compares numbers, and {value!r} is none") from None
        return DataCondition(name=name, relation=DataRelation(relation), value=value)


def list_matches(
    store: Store,
    event: Event,
    wanted: FilterOptions,
    *,
    limit: int,
    before: int | None = None,
    where: str | None,
    as_json: bool,
) -> None:
    """Prints matches of an event, the last stored match first. If there are more, prints a command that lists them.

    Args:
        store: the store.
        event: the event.
        wanted: options that select the matches.
        limit: maximum number of matches.
        before: number of a match in the event; only matches that were stored before this match are listed.
        where: value of the option --store, which is part of the printed command.
        as_json: whether to print a JSON list of the matches instead of a table and a command.
    """
    chosen = wanted.of_event(event)
    start = None if before is None else store.match_numbered(event.id, before).id
    page = store.matches(event.id, chosen, before=start, most=limit)
    more = len(page) == limit and bool(store.matches(event.id, chosen, before=page[-1].id, most=1))
    names = labels(event.contestants)
    if as_json:
        print_json([match_data(names, match) for match in page])
        return
    tables.matches(names, page)
    if more:
        tables.next_page(event, page[-1].result.number, wanted.values(), where)
