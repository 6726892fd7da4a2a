"""Data for the pages of leagues: standings, rating curves, matches. All functions read the store, and block."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from fastapi import HTTPException
from markupsafe import Markup

from lapilli.arena.league import League
from lapilli.arena.pages.charts import ChartLine, lines
from lapilli.arena.progress.promotion import DIVISIONS, boss_of, ladder_of
from lapilli.core.api import Game
from lapilli.core.errors import StoreError
from lapilli.games import load, names
from lapilli.match import Record
from lapilli.site.bots.editor.bots import CALLED
from lapilli.site.bots.editor.league_matches import PageReader, listed_matches, name_of, names_of
from lapilli.site.bots.workshop import leagues
from lapilli.site.http.answers import since
from lapilli.site.live.table.plan import called
from lapilli.site.people.identity.names import DELETED, DELETED_BOT
from lapilli.site.people.identity.people import Person, Role
from lapilli.store import LeagueEntry, SiteBot, Store
from lapilli.store.results import unpack_record
from lapilli.viewer.films.film import film
from lapilli.viewer.films.packing import packed, with_references

_HIGHEST_FIRST = tuple(reversed(range(len(DIVISIONS))))
"""Indices in DIVISIONS."""
_LEADERS = 3
"""Number of bots in the summary of a league."""
_POINTS = 300
"""Largest number of points of a rating curve. For a bot with more matches, the curve shows every second rating, every
third, and so on.
"""


def summaries(store: Store, copies: Path, person: Person) -> dict[str, Any]:
    """Returns a summary of each game's league: its best bots, and the best bot of the reader.

    Args:
        store: the database.
        copies: folder with the leagues' copies of bots.
        person: the person who reads the page.
    """
    return {"games": [_summary(store, copies, person, load(name)) for name in names()], "divisions": DIVISIONS}


def _summary(store: Store, copies: Path, person: Person, game: Game) -> dict[str, Any]:
    league = leagues.find(store, game.name, copies)
    entries = league.entries() if league else []
    own = _own_numbers(store, league, person) if league else set()
    bots = [
        {
            "name": entry.contestant.name,
            "division": DIVISIONS[entry.division],
            "own": entry.number in own,
            "place": leagues.place_text(entries, entry),
        }
        for entry in entries
        if not entry.boss
    ]
    best = next((bot for bot in bots if bot["own"]), None)
    return {
        "name": game.name,
        "title": game.title,
        "emblem": game.emblem,
        "bots": len(bots),
        "leaders": bots[:_LEADERS],
        "own": best,
    }


def table(store: Store, copies: Path, person: Person, game: Game, before: int | None) -> dict[str, Any]:
    """Returns a game's league: its divisions, highest first, and one page of its matches.

    Args:
        store: the database.
        copies: folder with the leagues' copies of bots.
        person: the person who reads the page.
        game: the league's game.
        before: only matches with ids below this one are listed; None for the first page.
    """
    league = leagues.find(store, game.name, copies)
    if league is None:
        return {
            "divisions": [_division(game, one, [], {}) for one in _HIGHEST_FIRST],
            "days": [],
            "more": None,
            "own": [],
        }
    own = _own_numbers(store, league, person)
    return listed_matches(store, league, PageReader(own), before) | _divisions(store, league, own)


def _own_numbers(store: Store, league: League, person: Person) -> set[int]:
    """Returns the numbers of the league's entries that are bots of this person."""
    if not person.id:
        return set()
    bots: list[SiteBot] = [bot for bot in store.site.bots.owned(person.id) if bot.game == league.game.name]
    entered = {bot.name for bot in bots if bot.submitted}
    entries = league.entries(withdrawn=True)
    return {entry.number for entry in entries if entry.contestant.name in entered and not entry.boss}


def _divisions(store: Store, league: League, own: set[int]) -> dict[str, Any]:
    """Returns the league's divisions with their bots, and the places of the reader's bots.

    Args:
        store: the database.
        league: the league.
        own: entry numbers of the bots of the person who reads the page.
    """
    entries = league.entries()
    placing = {entry.number: entry for entry in leagues.being_placed(store, league)}
    promoted = {move.contestant: _when(move.at) for move in reversed(store.promotions(league.event.id))}
    places = leagues.places(entries)
    rows = {
        entry.number: {
            "number": entry.number,
            "name": entry.contestant.name,
            "own": entry.number in own,
            "place": places.get(entry.number),
            "place_text": leagues.place_text(entries, entry),
            "rating": leagues.figure(entry),
            "matches": entry.matches,
            "won": entry.won,
            "lost": entry.lost,
            "placing": entry.number in placing,
            "promoted": promoted.get(entry.number, ""),
        }
        for entry in entries
        if not entry.boss
    }
    divisions = [_division(league.game, division, entries, rows) for division in _HIGHEST_FIRST]
    standings = [
        row | {"division": division["name"], "boss": division["boss"]}
        for division in divisions
        for row in division["rows"]
        if row["own"]
    ]
    return {"divisions": divisions, "own": standings}


def _division(
    game: Game, division: int, entries: Sequence[LeagueEntry], rows: Mapping[int, dict[str, Any]]
) -> dict[str, Any]:
    """Returns a division of a league as data for the page.

    `boss` is the display name of the built-in opponent that a bot must beat to be promoted; the highest division has
    none: "". `boss_number` is the number of the boss's entry; None if the boss has not played yet.

    Args:
        game: the league's game.
        division: index in DIVISIONS.
        entries: all entries of the league, the best first.
        rows: data of the bots, by the number of the entry.
    """
    here = [entry for entry in entries if entry.division == division]
    has_boss = division < len(DIVISIONS) - 1
    return {
        "name": DIVISIONS[division],
        "boss": called(game, boss_of(division, ladder_of(game))) if has_boss else "",
        "boss_number": next((entry.number for entry in here if entry.boss), None),
        "rows": [rows[entry.number] for entry in here if not entry.boss],
    }


def entry(store: Store, copies: Path, person: Person, game: Game, number: int, before: int | None) -> dict[str, Any]:
    """Returns the data for the page of one bot in a league: its rating, promotions and matches.

    Args:
        store: the database.
        copies: folder with the leagues' copies of bots.
        person: the person who reads the page.
        game: the league's game.
        number: number of the bot's entry in the league.
        before: only matches with ids below this one are listed; None for the first page.

    Raises:
        HTTPException: 404 if the league has no such entry.
    """
    league, found = _entry(store, game, number, copies)
    own, entries = _own_numbers(store, league, person), league.entries()
    moves = [move for move in store.promotions(league.event.id) if move.contestant == number]
    bots = store.site.bots.in_league(game.name)
    bot = None if found.boss else next((one for one in bots if one.name == found.contestant.name), None)
    author = store.site.people.get(bot.owner) if bot else None
    boss = next((one for one in entries if one.boss and one.division == found.division), None)
    return {
        "entry": found,
        "called": name_of(game, found),
        "language": CALLED.get(bot.language, bot.language) if bot else "",
        "author": author.name if author else "",
        "own_id": bot.id if bot and number in own else "",
        "division": DIVISIONS[found.division],
        "rating": leagues.figure(found),
        "place": "" if found.withdrawn else leagues.place_text(entries, found),
        "boss": None
        if boss is None or found.boss or found.withdrawn
        else {"number": boss.number, "name": name_of(game, boss), "to": DIVISIONS[found.division + 1]},
        "curve": _curve(store, league, found),
        "moves": [{"to": DIVISIONS[one.after], "reason": one.reason, "when": _when(one.at)} for one in moves],
    } | listed_matches(store, league, PageReader(own, number), before)


def _when(at: float) -> str:
    return since(time.time() - at)


def _entry(store: Store, game: Game, number: int, copies: Path) -> tuple[League, LeagueEntry]:
    league = leagues.find(store, game.name, copies)
    entries: Sequence[LeagueEntry] = league.entries(withdrawn=True) if league else ()
    found = next((entry for entry in entries if entry.number == number), None)
    if league is None or found is None:
        raise HTTPException(404, "There is no such bot in this league.")
    return league, found


def _curve(store: Store, league: League, entry: LeagueEntry) -> Markup | None:
    points = list(store.ratings(league.event.id, entry.number))
    if len(points) < 2:
        return None
    step = -(-len(points) // _POINTS)
    kept = [(number, point.rating) for number, point in enumerate(points, 1) if number % step == 0 or step == 1]
    band = [leagues.interval(rating.mu, rating.sigma) for _, rating in kept]
    drawn = [(float(number), low) for (number, _), (low, _) in zip(kept, band, strict=True)]
    heights = min(low for low, _ in band), max(high for _, high in band)
    skill = [(x, (low + high) / 2) for (x, _), (low, high) in zip(drawn, band, strict=True)]
    label = f"Rating over {len(points)} matches, now {leagues.figure(entry)}"
    return lines([ChartLine("skill", skill, band, "line-1"), ChartLine("rating", drawn)], heights, "matches", label)


def battle(store: Store, copies: Path, person: Person, game: Game, match_id: int) -> dict[str, Any]:
    """Returns the film of a league match, and the film's title.

    The film contains the text that a bot wrote to stderr only if the person is the bot's author or an owner of the
    site.

    Args:
        store: the database.
        copies: folder with the leagues' copies of bots.
        person: the person who reads the page.
        game: the league's game.
        match_id: id of the match in the store.

    Raises:
        HTTPException: 404 if the league has no record of such a match.
    """
    data = film(_record(store, game, match_id, copies, person))
    return {"title": data["title"], "film": packed(with_references(data))}


def _record(store: Store, game: Game, match_id: int, copies: Path, person: Person) -> Record:
    league = leagues.find(store, game.name, copies)
    missing = HTTPException(404, "There is no such match in this league.")
    if league is None:
        raise missing
    try:
        stored = store.match(max(0, min(match_id, 2**62)))
    except StoreError:
        raise missing from None
    if stored.event_id != league.event.id or stored.result.record is None:
        raise missing
    record = unpack_record(stored.result.record)
    own = _own_numbers(store, league, person)
    may_read = [person.role >= Role.OWNER or seat.contestant in own for seat in stored.result.seats]
    called = names_of(league)
    for number, seat in enumerate(stored.result.seats):
        if (name := called[seat.contestant]) in (DELETED, DELETED_BOT):
            record.players[number] = msgspec.structs.replace(record.players[number], name=name)
    for entry in record.turns:
        entry.stderr = entry.stderr if may_read[entry.player] else ""
    return record
