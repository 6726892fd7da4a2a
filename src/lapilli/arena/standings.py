"""Who stands where in an event: ratings with intervals, and who did how against whom.

Computed from what the store counts of every two contestants: it takes no longer however many matches there are.
"""

from __future__ import annotations

from typing import Any

import msgspec

from lapilli.arena.overview import labels
from lapilli.arena.statistics import PairCounts, ratings
from lapilli.store import Event, LeagueEntry, Meeting, Promotion, Store


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A contestant in a table.

    Attributes:
        number: its place in the event's list. name: what tells it from the others.
        won, drawn, lost: how many results it has against any other; with three or four players, each match gives one
            against each of them. margin: the sum of its scores less the others'.
        score: its share of the points, from 0 to 1; None without a result.
        elo, low, high: how strong it is, where the mean of all is 0, with its 95 % interval; None without a result.
    """

    number: int
    name: str
    won: int
    drawn: int
    lost: int
    margin: int
    score: float | None
    elo: float | None
    low: float | None
    high: float | None


class Standings(msgspec.Struct, frozen=True, kw_only=True):
    """A table of an event.

    Attributes:
        rows: the best first; who has played nothing yet comes last.
        meetings: by contestant and opponent.
    """

    rows: tuple[Row, ...]
    meetings: dict[tuple[int, int], Meeting]


def standings(store: Store, event: Event) -> Standings:
    """Who stands where."""
    meetings = {(meeting.contestant, meeting.opponent): meeting for meeting in store.meetings(event.id)}
    results = {
        (str(first), str(second)): PairCounts((met.lost, met.drawn, met.won))
        for (first, second), met in meetings.items()
        if first < second
    }
    rated = {int(rating.name): rating for rating in ratings(results)}
    names = labels(event.contestants)
    rows = []
    for number, name in enumerate(names):
        own = [meeting for (contestant, _), meeting in meetings.items() if contestant == number]
        rating = rated.get(number)
        rows.append(
            Row(
                number=number,
                name=name,
                won=sum(meeting.won for meeting in own),
                drawn=sum(meeting.drawn for meeting in own),
                lost=sum(meeting.lost for meeting in own),
                margin=sum(meeting.margin for meeting in own),
                score=rating.score if rating else None,
                elo=rating.elo if rating else None,
                low=rating.low if rating else None,
                high=rating.high if rating else None,
            )
        )
    rows.sort(key=lambda row: (row.elo is None, -(row.elo or 0.0), row.number))
    return Standings(rows=tuple(rows), meetings=meetings)


def standings_data(found: Standings) -> dict[str, Any]:
    """A table as `lapilli arena board --json` prints it."""
    names = {row.number: row.name for row in found.rows}
    return {
        "rows": msgspec.to_builtins(found.rows),
        "meetings": [
            {"name": names[met.contestant], "opponent_name": names[met.opponent], **msgspec.to_builtins(met)}
            for met in found.meetings.values()
        ],
    }


class League(msgspec.Struct, frozen=True, kw_only=True):
    """A league's table.

    Attributes:
        entries: the highest division first, in it the best first; with those who have withdrawn, at their places.
        promotions: moves between divisions, the last first.
    """

    entries: tuple[LeagueEntry, ...]
    promotions: tuple[Promotion, ...]


def league(store: Store, event: Event, *, moves: int = 20) -> League:
    """A league's table, with so many of the last moves."""
    return League(
        entries=tuple(store.leaderboard(event.id, withdrawn=True)),
        promotions=tuple(store.promotions(event.id, most=moves)),
    )


def league_data(event: Event, found: League) -> dict[str, Any]:
    """The same as `lapilli arena board --json` prints it."""
    names = labels(event.contestants)
    entries = []
    for entry in found.entries:
        data = msgspec.to_builtins(entry)
        del data["contestant"], data["folder"]
        entries.append({"name": names[entry.number], **data})
    promotions = [{"name": names[move.contestant], **msgspec.to_builtins(move)} for move in found.promotions]
    return {"entries": entries, "promotions": promotions}
