"""The standings of an event: ratings with intervals, and the results of every two contestants.

The store maintains counts of the results between every two contestants. The standings are computed from these counts,
in a time that does not grow with the number of matches.
"""

from __future__ import annotations

from typing import Any

import msgspec

from lapilli.arena.progress.duels import Duels
from lapilli.arena.reports.overview import labels
from lapilli.arena.statistics import PairCounts, table_ratings
from lapilli.store import Event, LeagueEntry, Meeting, Promotion, Store


class StandingsRow(msgspec.Struct, frozen=True, kw_only=True):
    """The row of one contestant in the standings.

    Attributes:
        number: index in the event's list of contestants.
        name: label of the contestant: its name and version.
        won, drawn, lost: number of wins, draws and losses against all opponents. A match with three or four players has
            one result against each opponent.
        margin: sum of the differences between the contestant's and the opponents' points in the game, over all results.
        score: the contestant's score, from 0 to 1: wins and half of the draws, as a share of the results; None without
            a result.
        elo: Elo of the contestant. The mean of all contestants is 0; if there are only two, the weaker has 0. None
            without a result.
        low, high: 95 % interval of the Elo; None without a result.
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
    """The standings of an event.

    Attributes:
        rows: rows of all contestants, the highest Elo first; contestants without a result come last.
        meetings: counts of the results between two contestants, by (index of the contestant, index of the opponent).
    """

    rows: tuple[StandingsRow, ...]
    meetings: dict[tuple[int, int], Meeting]


def standings(store: Store, event: Event) -> Standings:
    """Computes the standings of an event from the counts of results in the store. `event`: the event."""
    meetings = {(meeting.contestant, meeting.opponent): meeting for meeting in store.meetings(event.id)}
    results = {
        (str(first), str(second)): PairCounts((met.lost, met.drawn, met.won))
        for (first, second), met in meetings.items()
        if first < second
    }
    rated = {int(rating.name): rating for rating in table_ratings(results)}
    names = labels(event.contestants)
    rows = []
    for number, name in enumerate(names):
        own = [meeting for (contestant, _), meeting in meetings.items() if contestant == number]
        rating = rated.get(number)
        rows.append(
            StandingsRow(
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
    """Returns the data that `lapilli arena board --json` prints for an event that is no league. `found`: its
    standings.
    """
    names = {row.number: row.name for row in found.rows}
    return {
        "rows": msgspec.to_builtins(found.rows),
        "meetings": [
            {"name": names[met.contestant], "opponent_name": names[met.opponent], **msgspec.to_builtins(met)}
            for met in found.meetings.values()
        ],
    }


class LeagueStandings(msgspec.Struct, frozen=True, kw_only=True):
    """The table of a league.

    Attributes:
        entries: all entries, also withdrawn ones, the highest division first, and within a division the best first.
        promotions: the latest promotions, the most recent first.
        missing: conditions for a promotion that a bot does not meet yet, one line each, by the bot's index.
    """

    entries: tuple[LeagueEntry, ...]
    promotions: tuple[Promotion, ...]
    missing: dict[int, list[str]]


def league(store: Store, event: Event, *, moves: int = 20) -> LeagueStandings:
    """Reads the table of a league from the store.

    Args:
        store: the store.
        event: the league's event.
        moves: largest number of promotions that are returned.
    """
    entries = store.leaderboard(event.id, withdrawn=True)
    progress = Duels(store, event.id, event.settings).progress(entries)
    return LeagueStandings(
        entries=tuple(entries),
        promotions=tuple(store.promotions(event.id, most=moves)),
        missing={one.entry.number: one.missing for one in progress},
    )


def league_data(event: Event, found: LeagueStandings) -> dict[str, Any]:
    """Returns the data that `lapilli arena board --json` prints for a league. `found`: the league's table."""
    names = labels(event.contestants)
    entries = []
    for entry in found.entries:
        data = msgspec.to_builtins(entry)
        del data["contestant"], data["folder"]
        entries.append({"name": names[entry.number], **data, "missing": found.missing.get(entry.number)})
    promotions = [{"name": names[move.contestant], **msgspec.to_builtins(move)} for move in found.promotions]
    return {"entries": entries, "promotions": promotions}
