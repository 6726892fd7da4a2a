"""Data for the pages of leagues: standings, rating curves, matches. All functions read the store, and block."""

from __future__ import annotations

import time
from collections.abc import Sequence
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
from lapilli.site.bots.workshop import leagues
from lapilli.site.http.answers import since
from lapilli.site.live.table.plan import called
from lapilli.site.people.identity.names import DELETED, DELETED_BOT
from lapilli.site.people.identity.people import Person, Role
from lapilli.store import LeagueEntry, MatchFilter, SiteBot, Store, StoredMatch
from lapilli.store.results import unpack_record
from lapilli.viewer.films.film import film
from lapilli.viewer.films.packing import packed, with_references

_PAGE = 20
"""Matches per page."""
_POINTS = 300
"""Largest number of points of a rating curve. For a bot with more matches, the curve shows every second rating, every
third, and so on.
"""


def summaries(store: Store, copies: Path) -> dict[str, Any]:
    """Returns a summary of each game's league (numbers of bots and matches, the best bot), and the divisions' names.

    `copies`: folder with the leagues' copies of bots.
    """
    rows = []
    for game in map(load, names()):
        league = leagues.find(store, game.name, copies)
        entries = league.entries() if league else []
        bots = [entry for entry in entries if not entry.boss]
        rows.append(
            {
                "name": game.name,
                "title": game.title,
                "bots": len(bots),
                "matches": store.event(league.event.id).played if league else 0,
                "best": f"{bots[0].contestant.name} ({DIVISIONS[bots[0].division]})" if bots else "",
            }
        )
    return {"games": rows, "divisions": DIVISIONS}


def table(store: Store, copies: Path, person: Person, game: Game, before: int | None) -> dict[str, Any]:
    """Returns a game's league: its divisions, highest first, its latest promotions, and one page of its matches.

    Args:
        store: the database.
        copies: folder with the leagues' copies of bots.
        person: the person who reads the page.
        game: the league's game.
        before: only matches with ids below this one are listed; None for the first page.
    """
    league = leagues.find(store, game.name, copies)
    if league is None:
        steps = _steps(game, [], set())
        return {"divisions": [], "battles": [], "more": None, "moves": [], "own": [], "steps": steps}
    own = _own_numbers(store, league, person)
    battles, more = _battles(store, league, own, None, before)
    return {"battles": battles, "more": more, **_divisions(store, league, own)}


def _steps(game: Game, entries: Sequence[LeagueEntry], own: set[int]) -> list[dict[str, Any]]:
    """Returns the divisions of a league as data for the page, the lowest first.

    `boss` is the display name of the built-in opponent that a bot must beat to be promoted; the highest division has
    none: "". `bots` is the number of bots in the division, and `own` the number of the reader's bots among them.

    Args:
        game: the league's game.
        entries: the league's entries that take part.
        own: entry numbers of the bots of the person who reads the page.
    """
    ladder, steps = ladder_of(game), []
    for division, name in enumerate(DIVISIONS):
        bots = [entry for entry in entries if entry.division == division and not entry.boss]
        boss = called(game, boss_of(division, ladder)) if division < len(DIVISIONS) - 1 else ""
        mine = sum(entry.number in own for entry in bots)
        steps.append({"name": name, "boss": boss, "bots": len(bots), "own": mine})
    return steps


def _own_numbers(store: Store, league: League, person: Person) -> set[int]:
    """Returns the numbers of the league's entries that are bots of this person."""
    if not person.id:
        return set()
    bots: list[SiteBot] = [bot for bot in store.site.bots.owned(person.id) if bot.game == league.game.name]
    entered = {bot.name for bot in bots if bot.submitted}
    entries = league.entries(withdrawn=True)
    return {entry.number for entry in entries if entry.contestant.name in entered and not entry.boss}


def _divisions(store: Store, league: League, own: set[int]) -> dict[str, Any]:
    """Returns the league's divisions with their entries, its latest promotions, and the places of the reader's bots.

    Args:
        store: the database.
        league: the league.
        own: entry numbers of the bots of the person who reads the page.
    """
    entries = league.entries()
    placing = {entry.number: entry for entry in leagues.being_placed(store, league)}
    places, divisions = leagues.places(entries), []
    for division in reversed(range(len(DIVISIONS))):
        rows = [
            {
                "number": entry.number,
                "name": entry.contestant.name,
                "boss": called(league.game, f"{entry.contestant.player}") if entry.boss else "",
                "own": entry.number in own,
                "place": places.get(entry.number),
                "rating": leagues.figure(entry),
                "high": leagues.interval(entry.rating.mu, entry.rating.sigma)[1],
                "matches": entry.matches,
                "won": entry.won,
                "drawn": entry.drawn,
                "lost": entry.lost,
                "placing": entry.number in placing,
            }
            for entry in entries
            if entry.division == division
        ]
        divisions.append({"name": DIVISIONS[division], "rows": rows})
    moves = store.promotions(league.event.id, most=5)
    names_by_number = _names(league)
    promotions = [
        {"name": names_by_number[move.contestant], "to": DIVISIONS[move.after], "when": _when(move.at)}
        for move in moves
    ]
    standings = [
        {"number": entry.number, "name": entry.contestant.name, "place": leagues.place_text(entries, entry)}
        for entry in entries
        if entry.number in own
    ]
    steps = _steps(league.game, entries, own)
    return {"divisions": divisions, "moves": promotions, "own": standings, "steps": steps}


def _names(league: League) -> dict[int, str]:
    return {entry.number: entry.contestant.name for entry in league.entries(withdrawn=True)}


def _battles(
    store: Store, league: League, own: set[int], number: int | None, before: int | None
) -> tuple[list[dict[str, Any]], int | None]:
    """Returns one page of a league's matches, and the value of `before` for the next page: None if this page is the
    last.

    Args:
        store: the database.
        league: the league.
        own: entry numbers of the bots of the person who reads the page.
        number: number of the entry whose matches are listed; None for all matches of the league.
        before: only matches with ids below this one are listed; None for the first page.
    """
    wanted = MatchFilter(contestant=number)
    found = store.matches(league.event.id, wanted, before=before, most=_PAGE + 1)
    called = _names(league)
    page = [_battle(stored, called, own, number) for stored in found[:_PAGE]]
    return page, found[_PAGE - 1].id if len(found) > _PAGE else None


def _battle(stored: StoredMatch, called: dict[int, str], own: set[int], number: int | None) -> dict[str, Any]:
    """Returns a match of a league as JSON data for the pages.

    Args:
        stored: the match.
        called: names of all entries, by number.
        own: entry numbers of the bots of the person who reads the page.
        number: number of the entry whose page lists the match: the verdict is then "won", "lost" or "drawn" for this
            entry. None for a verdict that names the winner.
    """
    seats = stored.result.seats
    winners = [called[seat.contestant] for seat in seats if seat.rank == 1]
    verdict = f"{winners[0]} won" if len(winners) == 1 else "drawn"
    if number is not None and len(winners) == 1:
        verdict = "won" if winners[0] == called[number] else "lost"
    return {
        "id": stored.id,
        "kept": stored.kept,
        "names": [called[seat.contestant] for seat in seats],
        "own": any(seat.contestant in own for seat in seats),
        "verdict": verdict,
        "reason": stored.result.reason,
        "when": _when(stored.stored),
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
    own = _own_numbers(store, league, person)
    battles, more = _battles(store, league, own, number, before)
    moves = [move for move in store.promotions(league.event.id) if move.contestant == number]
    return {
        "entry": found,
        "called": found.contestant.name,
        "is_own": number in own,
        "division": DIVISIONS[found.division],
        "rating": leagues.figure(found),
        "place": "" if found.withdrawn else leagues.place_text(league.entries(), found),
        "curve": _curve(store, league, found),
        "moves": [{"to": DIVISIONS[one.after], "reason": one.reason, "when": _when(one.at)} for one in moves],
        "battles": battles,
        "more": more,
    }


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
    called = _names(league)
    for number, seat in enumerate(stored.result.seats):
        if (name := called[seat.contestant]) in (DELETED, DELETED_BOT):
            record.players[number] = msgspec.structs.replace(record.players[number], name=name)
    for entry in record.turns:
        entry.stderr = entry.stderr if may_read[entry.player] else ""
    return record
