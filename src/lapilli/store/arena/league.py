"""Creates leagues; stores and reads their entries, with ratings and promotions."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import Connection, Update, func, insert, select, update

from lapilli.core.errors import StoreError
from lapilli.players import PlayerSpec
from lapilli.store.arena.editing import league_key
from lapilli.store.arena.events import add_contestants, contestant_of, lock
from lapilli.store.arena.events import begin as begin_event
from lapilli.store.facts import Event, EventKind, LeagueEntry, Promotion, Rating, RatingPoint
from lapilli.store.results import Contestant, ascii_json
from lapilli.store.statements import now
from lapilli.store.tables import contestants, entries, matches, promotions, seats, tallies


def begin(connection: Connection, name: str, game: str, settings: dict[str, Any]) -> Event:
    """Returns the league with this name, or creates a new league. Implements `Store.open_league`.

    `settings`: settings of a new league, as JSON values.
    """
    event = begin_event(connection, EventKind.LEAGUE, name, game, league_key(name), settings, (), resume=True)
    if event.game != game:
        raise StoreError(f"league {name!r} plays {event.game}, not {game}")
    return event


def enter(
    connection: Connection,
    event_id: int,
    contestant: Contestant,
    rating: Rating,
    folder: str,
    division: int,
    boss: bool,
) -> int:
    """Enters a contestant in a league. Implements `Store.enter`.

    Args:
        connection: the connection.
        event_id: id of the league's event.
        contestant: the contestant.
        rating: first rating of the entry.
        folder: folder with the league's copy of the bot's files.
        division: number of the entry's division; 0 is the lowest division.
        boss: whether the entry is the boss of this division.

    Returns:
        The contestant's index in the event's list of contestants.
    """
    lock(connection, event_id)
    same = connection.execute(
        select(contestants.c.contestant, contestants.c.hash).where(
            contestants.c.event_id == event_id,
            contestants.c.name == contestant.name,
            contestants.c.version == contestant.version,
        )
    ).one_or_none()
    if same is not None:
        if same.hash != contestant.hash:
            version = f" of version {contestant.version!r}" if contestant.version else ""
            raise StoreError(f"{contestant.name!r}{version} was entered with another program: give a new version")
        connection.execute(_entry(event_id, same.contestant).values(withdrawn=None))
        return int(same.contestant)
    query = select(func.coalesce(func.max(contestants.c.contestant) + 1, 0)).where(contestants.c.event_id == event_id)
    place = int(connection.execute(query).scalar_one())
    add_contestants(connection, event_id, place, [contestant], keep_environment=True)
    row = {
        "event_id": event_id,
        "contestant": place,
        "folder": folder,
        "division": division,
        "boss": boss,
        "entered": now(connection),
        "mu": rating.mu,
        "sigma": rating.sigma,
    }
    connection.execute(insert(entries).values(row))
    return place


def withdraw(connection: Connection, event_id: int, number: int) -> None:
    """Marks the league entry of the contestant with index `number` as withdrawn: the entry plays no more matches."""
    lock(connection, event_id)
    connection.execute(_entry(event_id, number).where(entries.c.withdrawn.is_(None)).values(withdrawn=now(connection)))


def rename_contestant(connection: Connection, event_id: int, number: int, name: str) -> None:
    """Changes the name of the contestant with index `number`, and the name in its stored PlayerSpec."""
    lock(connection, event_id)
    conditions = contestants.c.event_id == event_id, contestants.c.contestant == number
    row = connection.execute(select(contestants).where(*conditions)).one()
    player = contestant_of(row).player
    if isinstance(player, PlayerSpec):
        player = msgspec.structs.replace(player, name=name)
    player_json = ascii_json(msgspec.to_builtins(player))
    connection.execute(update(contestants).where(*conditions).values(name=name, player=player_json))


def promote(connection: Connection, event_id: int, number: int, before: int, after: int, reason: str) -> bool:
    """Moves a league entry from one division to another, and stores the move. Implements `Store.promote`.

    Args:
        connection: the connection.
        event_id: id of the league's event.
        number: index of the entry's contestant.
        before: number of the division in which the entry is.
        after: number of the division to which the entry is moved.
        reason: reason for the move, as one line of text for people.

    Returns:
        Whether the entry was moved: False if it was not in the division `before`.
    """
    lock(connection, event_id)
    move = _entry(event_id, number).where(entries.c.division == before).values(division=after)
    if not connection.execute(move).rowcount:
        return False
    row = {"event_id": event_id, "contestant": number, "before": before, "after": after, "reason": reason}
    connection.execute(insert(promotions).values(row | {"at": now(connection)}))
    return True


def _entry(event_id: int, number: int) -> Update:
    """Returns an UPDATE statement for the league entry of contestant `number`. The caller adds the new values."""
    return update(entries).where(entries.c.event_id == event_id, entries.c.contestant == number)


def leaderboard(connection: Connection, event_id: int, withdrawn: bool) -> list[LeagueEntry]:
    """Returns the entries of a league, best first. `withdrawn`: whether to include withdrawn entries.

    Implements `Store.leaderboard`.
    """
    key = (entries.c.event_id == contestants.c.event_id) & (entries.c.contestant == contestants.c.contestant)
    count_key = (entries.c.event_id == tallies.c.event_id) & (entries.c.contestant == tallies.c.contestant)
    counts = (tallies.c.matches, tallies.c.won, tallies.c.drawn, tallies.c.lost)
    query = (
        select(entries, contestants.c.name, contestants.c.version, contestants.c.hash, contestants.c.player)
        .add_columns(*(func.coalesce(column, 0).label(column.name) for column in counts))
        .join(contestants, key)
        .outerjoin(tallies, count_key)
        .where(entries.c.event_id == event_id)
        .order_by(entries.c.division.desc(), (entries.c.mu - 3 * entries.c.sigma).desc(), entries.c.contestant)
    )
    if not withdrawn:
        query = query.where(entries.c.withdrawn.is_(None))
    return [
        LeagueEntry(
            number=row.contestant,
            contestant=contestant_of(row),
            rating=Rating(row.mu, row.sigma),
            folder=row.folder,
            division=row.division,
            boss=row.boss,
            entered=row.entered,
            withdrawn=row.withdrawn,
            matches=row.matches,
            won=row.won,
            drawn=row.drawn,
            lost=row.lost,
        )
        for row in connection.execute(query)
    ]


def rating_page(connection: Connection, event_id: int, number: int, after: int, most: int) -> list[RatingPoint]:
    """Returns the ratings of a league entry after each of its matches, in the order of the matches.

    Args:
        connection: the connection.
        event_id: id of the league.
        number: index of the entry's contestant.
        after: only ratings after matches with ids above this one are returned.
        most: largest number of ratings.
    """
    query = (
        select(seats.c.match_id, matches.c.stored, seats.c.mu, seats.c.sigma)
        .join(matches, matches.c.id == seats.c.match_id)
        .where(seats.c.event_id == event_id, seats.c.contestant == number, seats.c.match_id > after)
        .where(seats.c.mu.is_not(None))
        .order_by(seats.c.match_id)
        .limit(most)
    )
    return [
        RatingPoint(match_id=match_id, stored=stored, rating=Rating(mu, sigma))
        for match_id, stored, mu, sigma in connection.execute(query)
    ]


def promoted(connection: Connection, event_id: int, most: int) -> list[Promotion]:
    """Returns up to `most` moves of entries between a league's divisions, newest first."""
    query = select(promotions).where(promotions.c.event_id == event_id).order_by(promotions.c.id.desc()).limit(most)
    return [
        Promotion(contestant=row.contestant, before=row.before, after=row.after, at=row.at, reason=row.reason)
        for row in connection.execute(query)
    ]


def rating_samples(connection: Connection, event_id: int, number: int, step: int) -> list[tuple[int, Rating]]:
    """Returns a league entry's ratings after every `step`-th of its matches, and its last rating.

    The result is a list of tuples (number of matches so far, rating). Implements `Store.rating_samples`.
    """
    of_entry = (seats.c.event_id == event_id) & (seats.c.contestant == number)
    place = func.row_number().over(order_by=(seats.c.match_id, seats.c.seat)).label("place")
    places = select(seats.c.match_id, seats.c.seat, place).where(of_entry).subquery()  # reads the index alone
    last = select(func.count()).select_from(seats).where(of_entry).scalar_subquery()
    query = (
        select(places.c.place, seats.c.mu, seats.c.sigma)
        .join(seats, (seats.c.match_id == places.c.match_id) & (seats.c.seat == places.c.seat))
        .where((places.c.place % step == 0) | (places.c.place == last), seats.c.mu.is_not(None))
        .order_by(places.c.place)
    )
    return [(row.place, Rating(row.mu, row.sigma)) for row in connection.execute(query)]
