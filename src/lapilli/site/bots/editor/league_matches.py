"""Matches of a league as data for pages: by day and by players. All functions read the store, and block."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import msgspec

from lapilli.arena.league import League
from lapilli.arena.progress.promotion import boss_of, ladder_of
from lapilli.core.api import Game, Termination
from lapilli.core.picture.words import listed, quantity
from lapilli.site.http.answers import since
from lapilli.site.live.table.plan import called
from lapilli.store import DAY_S, LeagueEntry, MatchFilter, Standing, Store, StoredMatch, standings_of

_PAGE = 60
"""Matches per page."""
_CAUSES = {
    Termination.TIMEOUT: "ran out of time",
    Termination.INVALID: "made an illegal move",
    Termination.EXITED: "crashed",
}
"""For some kinds of fault, what the bot did. All other faults are called `_OTHER_FAULT`."""
_OTHER_FAULT = "did not answer properly"


class PageReader(msgspec.Struct, frozen=True):
    """For whom and for which bot matches are listed.

    Attributes:
        own: entry numbers of the bots of the person who reads the page.
        number: number of the entry whose page lists the matches; None for the page of the league.
    """

    own: set[int]
    number: int | None = None


def names_of(league: League) -> dict[int, str]:
    """Returns the display names of all entries of a league, by number. A boss is called by its level."""
    return {entry.number: name_of(league.game, entry) for entry in league.entries(withdrawn=True)}


def name_of(game: Game, entry: LeagueEntry) -> str:
    """Returns the display name of an entry of a game's league."""
    return called(game, boss_of(entry.division, ladder_of(game))) if entry.boss else entry.contestant.name


def listed_matches(store: Store, league: League, reader: PageReader, before: int | None) -> dict[str, Any]:
    """Returns one page of a league's matches, by day and by players, as data for the template `battles.html`.

    The value of `more` is the value of `before` for the next page; None if this page is the last. The value of
    `defeats` says why the bot has lost; "" on the page of the league.

    Args:
        store: the database.
        league: the league.
        reader: the person who reads the page, and the bot.
        before: only matches with ids below this one are listed; None for the first page.
    """
    found = store.matches(league.event.id, MatchFilter(contestant=reader.number), before=before, most=_PAGE + 1)
    page, game = found[:_PAGE], league.game
    is_of_bot = reader.number is not None and before is None
    return {
        "days": list(_days(game, page, names_of(league), reader)),
        "more": found[_PAGE - 1].id if len(found) > _PAGE else None,
        "defeats": _defeats(page, reader, counts_points=game.counts_points) if is_of_bot else "",
    }


def _days(
    game: Game, page: Sequence[StoredMatch], names: Mapping[int, str], reader: PageReader
) -> Iterator[dict[str, Any]]:
    """Yields each day of the matches of a page, the latest first, with the meetings on this day."""
    now = time.time()
    for age, matches in groupby(page, lambda stored: int(max(0.0, now - stored.stored) // DAY_S)):
        meetings: dict[tuple[int, ...], list[StoredMatch]] = {}
        for stored in matches:
            meetings.setdefault(tuple(sorted(seat.contestant for seat in stored.result.seats)), []).append(stored)
        yield {
            "title": "Last 24 hours" if age == 0 else since(age * DAY_S).capitalize(),
            "meetings": [_meeting(game, players, those, names, reader) for players, those in meetings.items()],
        }


def _meeting(
    game: Game,
    players: Sequence[int],
    matches: Sequence[StoredMatch],
    names: Mapping[int, str],
    reader: PageReader,
) -> dict[str, Any]:
    """Returns the matches between the same players on a day as data for the page: the sums, and each match.

    `players`: entry numbers. `names`: names of all entries, by number.
    """
    wins = Counter(
        seat.contestant
        for stored in matches
        for seat, standing in zip(stored.result.seats, standings_of(stored.result), strict=True)
        if standing is Standing.WON
    )
    drawn = len(matches) - wins.total()
    order = sorted(players, key=lambda player: (player != reader.number, -wins[player]))
    most = max(wins.values(), default=0)
    winners = [player for player in players if most and wins[player] == most]
    standing = ""
    if reader.number is not None:
        standing = "drawn" if len(winners) != 1 else "won" if winners == [reader.number] else "lost"
    about = [quantity(len(matches), "match"), f"{drawn} drawn" if drawn else ""]
    return {
        "title": game.title,
        "players": [
            {"name": names[player], "won": reader.number is None and winners == [player]}
            for player in order
            if player != reader.number
        ],
        "score": "–".join(str(wins[player]) for player in order),
        "standing": standing,
        "is_own": reader.number is None and any(player in reader.own for player in players),
        "about": about,
        "matches": [_match(game, stored, names, reader) for stored in matches],
    }


def _match(game: Game, stored: StoredMatch, names: Mapping[int, str], reader: PageReader) -> dict[str, Any]:
    """Returns a match as data for the list of the matches between its players."""
    seats, results = stored.result.seats, standings_of(stored.result)
    standing = next((one for one, seat in zip(results, seats, strict=True) if seat.contestant == reader.number), "")
    has_points = game.counts_points and not any(seat.fault for seat in seats)
    order = sorted(seats, key=lambda seat: seat.contestant != reader.number) if reader.number is not None else seats
    return {
        "id": stored.id if stored.kept else None,
        "title": game.title,
        "players": [
            {"name": names[seat.contestant], "won": reader.number is None and one is Standing.WON}
            for one, seat in zip(results, seats, strict=True)
            if seat.contestant != reader.number
        ],
        "score": "–".join(str(seat.score).replace("-", "−") for seat in order) if has_points else "",
        "standing": str(standing),
        "about": [since(time.time() - stored.stored)]
        + [f"{names[seat.contestant]} {_cause(seat.fault)}" for seat in seats if seat.fault],
    }


def _cause(fault: str) -> str:
    return _CAUSES.get(Termination(fault), _OTHER_FAULT)


def _defeats(page: Sequence[StoredMatch], reader: PageReader, *, counts_points: bool) -> str:
    """Returns a sentence about the matches of a page that the reader's bot has lost, and why; "" without a defeat.

    `counts_points`: whether the game counts points.
    """
    causes: Counter[str] = Counter()
    behind = []
    for stored in page:
        seats = stored.result.seats
        for seat, standing in zip(seats, standings_of(stored.result), strict=True):
            if seat.contestant == reader.number and standing is Standing.LOST:
                causes[_cause(seat.fault) if seat.fault else ""] += 1
                if not any(one.fault for one in seats):
                    behind.append(max(one.score or 0 for one in seats) - (seat.score or 0))
    if not causes:
        return ""
    lost, on_board = causes.total(), causes.pop("", 0)
    margin = f"by {sum(behind) / len(behind):.0f} points on average" if counts_points and behind else ""
    parts = [f"it {cause} {'once' if count == 1 else f'{count} times'}" for cause, count in causes.most_common()]
    first = f"Lost {lost} of its last {quantity(len(page), 'match')}"
    if not parts:
        return f"{first}, {margin}." if margin else f"{first}."
    if on_board:
        parts.insert(0, f"{on_board} {margin}" if margin else f"{on_board} on the board")
    return f"{first}: {listed(parts)}."


def latest_match(store: Store, league: League, number: int) -> dict[str, Any] | None:
    """Returns the latest match of an entry as data for a list of bots; None if it has played none."""
    found = store.matches(league.event.id, MatchFilter(contestant=number), most=1)
    return _match(league.game, found[0], names_of(league), PageReader(set(), number)) if found else None
