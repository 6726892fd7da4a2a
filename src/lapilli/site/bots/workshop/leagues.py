"""The site's leagues: one for each game, created when the first bot enters it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from lapilli.arena.league import League, LeagueRun
from lapilli.arena.matches.playing import Pool, Recipe
from lapilli.arena.progress.promotion import DIVISIONS
from lapilli.arena.statistics import Skill
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.games import load
from lapilli.store import EventKind, LeagueEntry, MatchFilter, SiteBot, Store

ENOUGH = 10
"""Number of matches that a bot must have played in its division before it may be promoted."""
PLACED = 3 * ENOUGH
"""Number of matches in a division after which a bot that was not promoted is *placed* there. A league is played only
while it has bots that are not placed yet; placed bots are then their opponents.
"""


def name_of(game: str) -> str:
    """Returns the name of a game's league in the store."""
    return f"site-{game}"


def find(store: Store, game: str, folder: Path) -> League | None:
    """Returns a game's league; None if no bot has entered it yet.

    Args:
        store: the site's store.
        game: the game's name.
        folder: folder with the leagues' copies of bots.
    """
    try:
        return League.named(store, name_of(game), folder)
    except UnknownName:
        return None


def find_or_make(store: Store, game: str, folder: Path) -> League:
    """Returns a game's league. Creates the league if no bot has entered it yet.

    `game`: the game's name. `folder`: folder with the leagues' copies of bots.
    """
    found = find(store, game, folder)
    if found is None:
        players = min(load(game).players)
        found = League.create(store, name_of(game), load(game), folder, setup={"players": players}, enough=ENOUGH)
    return found


def matches_here(store: Store, league: League, entry: LeagueEntry, most: int = PLACED) -> int:
    """Returns the number of matches that an entry has played in its present division, but at most `most`."""
    moves = (move.at for move in store.promotions(league.event.id) if move.contestant == entry.number)
    wanted = MatchFilter(contestant=entry.number, since=next(moves, None))
    return len(store.matches(league.event.id, wanted, most=most))


def being_placed(store: Store, league: League) -> list[LeagueEntry]:
    """Returns the entries that are not placed yet: bots with fewer than `PLACED` matches in their present division.

    Bots without an opponent in their division are left out.
    """
    entries = league.entries()
    return [
        entry
        for entry in entries
        if not entry.boss and _has_opponent(entries, entry) and matches_here(store, league, entry) < PLACED
    ]


def _has_opponent(entries: Sequence[LeagueEntry], entry: LeagueEntry) -> bool:
    """Returns whether there is another entry in the entry's division."""
    return any(other.division == entry.division and other.number != entry.number for other in entries)


def play(
    store: Store,
    game: str,
    folder: Path,
    seconds: float,
    pool_of: Callable[[Recipe, Collection[int]], AbstractContextManager[Pool]],
) -> bool:
    """Plays a game's league for some time, if some of its bots are not placed yet (see `being_placed`).

    Returns whether there were such bots.

    Args:
        store: the site's store.
        game: the game's name.
        folder: folder with the leagues' copies of bots.
        seconds: approximate time to play, in seconds.
        pool_of: function that opens a pool of processes that play matches. Its arguments are a `Recipe` (the settings
            that all matches share) and the numbers of the contestants that may play.
    """
    league = find(store, game, folder)
    if league is None or not being_placed(store, league):
        return False
    run = LeagueRun(league, seconds=seconds)
    with pool_of(run.recipe, run.there) as pool:
        run.run(pool)
    return True


def played_games(store: Store) -> list[str]:
    """Returns the names of the games that have a league on this site."""
    events = store.events(kind=EventKind.LEAGUE, most=1000)
    return [event.game for event in events if event.name == name_of(event.game)]


def withdraw_others(store: Store, league: League, entry: LeagueEntry) -> None:
    """Withdraws the other versions of an entry's bot from the league, because each bot may have only one entry."""
    for other in league.entries():
        if other.contestant.name == entry.contestant.name and other.number != entry.number:
            store.withdraw(league.event.id, other.number)


def check_free(league: League, name: str, is_entered: bool) -> None:
    """Raises LapilliError if another bot in the league has this name.

    Args:
        league: the league.
        name: name of a bot that is about to enter the league.
        is_entered: whether this bot has entered the league before. An entry with this name is then the bot's own.
    """
    if not is_entered and any(entry.contestant.name == name for entry in league.entries(withdrawn=True)):
        raise LapilliError(f"the name {name!r} is taken in this league: rename your bot")


def entry_of(league: League, bot: SiteBot) -> LeagueEntry | None:
    """Returns the entry of a bot's submitted version in a league; None if no version is submitted."""
    if not bot.submitted:
        return None
    names = (entry for entry in league.entries() if entry.contestant.name == bot.name and not entry.boss)
    return next((entry for entry in names if entry.contestant.version == str(bot.submitted)), None)


def standing(store: Store, bot: SiteBot, copies: Path) -> dict[str, Any]:
    """Returns a bot's standing in its league as data for its page; only the key `game` if the bot has not entered.

    `copies`: folder with the leagues' copies of bots.
    """
    league = find(store, bot.game, copies)
    entry = entry_of(league, bot) if league else None
    if league is None or entry is None:
        return {"game": bot.game}
    entries = league.entries()
    boss = next((one for one in entries if one.boss and one.division == entry.division), None)
    here = matches_here(store, league, entry)
    names = {one.number: one.contestant.name for one in league.entries(withdrawn=True)}
    moves = [move for move in store.promotions(league.event.id) if move.contestant == entry.number]
    return {
        "game": bot.game,
        "number": entry.number,
        "version": bot.submitted,
        "division": DIVISIONS[entry.division],
        "rating": figure(entry),
        "matches": entry.matches,
        "here": here,
        "enough": ENOUGH,
        "place": place_text(entries, entry),
        "placed": here >= PLACED or not _has_opponent(entries, entry),
        "boss": None if boss is None else {"name": names[boss.number], "rating": figure(boss), "matches": boss.matches},
        "promotions": [{"to": DIVISIONS[move.after], "reason": move.reason} for move in moves],
    }


def figure(entry: LeagueEntry) -> float:
    """Returns the number by which a league's entries are sorted: the lowest skill that the entry's bot very likely has.

    It is the lower end of `interval` for the entry's rating.
    """
    return interval(entry.rating.mu, entry.rating.sigma)[0]


def interval(mu: float, sigma: float) -> tuple[float, float]:
    """Returns the lower and upper end of the interval that contains a skill with a probability of 99.7 %.

    The lower end is the number that pages show as the rating (`Skill.ordinal`). `mu`, `sigma`: mean and standard
    deviation of the skill.
    """
    low = Skill(mu, sigma).ordinal
    return round(low, 1), round(2 * mu - low, 1)


def places(entries: Sequence[LeagueEntry]) -> dict[int, int]:
    """Returns each bot's place among the league's bots by the number of its entry; the best bot has place 1.

    `entries` are the entries that take part, in the order of `League.entries`. The bosses of the divisions, which are
    built-in opponents, have no place.
    """
    return {entry.number: place for place, entry in enumerate((one for one in entries if not one.boss), 1)}


def place_text(entries: Sequence[LeagueEntry], entry: LeagueEntry) -> str:
    """Formats a bot's place among the league's bots, as in "3rd of 12"; "" for an entry without a place.

    `entries`: the league's entries that take part, the best first.
    """
    all_places = places(entries)
    place = all_places.get(entry.number)
    if place is None:
        return ""
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending} of {len(all_places)}"
