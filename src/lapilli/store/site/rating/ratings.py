"""Reads the results of the site's finished matches, and the ratings of people, programs and bots."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, func, select

from lapilli.store.database import Database
from lapilli.store.facts import Standing
from lapilli.store.site.bots import site_bots
from lapilli.store.site.correspondence.facts import LIVE
from lapilli.store.site.facts import ACCOUNT, PROGRAM
from lapilli.store.site.people.tables import site_users
from lapilli.store.site.people.tokens import site_tokens
from lapilli.store.site.play.tables import site_tables
from lapilli.store.site.rating.facts import (
    BOT,
    ENGINE,
    BestWin,
    PlayerRating,
    RatedPlayer,
    RatingChange,
    ResultFilter,
    SiteResult,
    subject_of,
)
from lapilli.store.site.rating.matches import accounts_of, forget_account
from lapilli.store.site.rating.tables import site_ratings, site_results

_POINTS = 500
"""Largest number of points of a rating's curve."""


def _changes(connection: Connection, table_id: str) -> list[RatingChange]:
    conditions = site_results.c.table_id == table_id, site_results.c.weight.is_not(None)
    rows = connection.execute(select(site_results).where(*conditions).order_by(site_results.c.player))
    return [_change_of(row) for row in rows]


def _rating(connection: Connection, game: str, subject: str, kind: str) -> PlayerRating | None:
    of_kind = site_ratings.c.game == game, site_ratings.c.kind == kind
    conditions = *of_kind, site_ratings.c.subject == subject
    row = connection.execute(select(site_ratings).where(*conditions)).one_or_none()
    return None if row is None else PlayerRating(row.rating, row.deviation)


def _leaders(connection: Connection, game: str, first: int, most: int, kind: str) -> list[RatedPlayer]:
    table = site_ratings
    of_kind = table.c.game == game, table.c.kind == kind
    order = table.c.rating.desc(), table.c.subject.desc()  # an index has this order, and all columns of `listed`
    listed = select(table.c.subject).where(*of_kind, table.c.settled == 1)
    listed = listed.order_by(*order).offset(first).limit(most)
    query = select(table).where(*of_kind, table.c.subject.in_(connection.execute(listed).scalars().all()))
    return _players_of(connection, connection.execute(query.order_by(*order)).all())


def _earlier(connection: Connection, players: Sequence[RatedPlayer], since: float) -> dict[str, float]:
    table, subjects = site_results, [player.subject for player in players]
    of_account = table.c.account.in_({player.account for player in players}), table.c.at >= since
    of_player = table.c.subject.in_(subjects), table.c.weight.is_not(None)
    of_kind = (
        table.c.game.in_({player.game for player in players}),
        table.c.kind.in_({player.kind for player in players}),
    )
    first = select(func.min(table.c.number)).where(*of_account, *of_player, *of_kind).group_by(table.c.subject)
    query = select(table.c.subject, table.c.rating_before).where(table.c.number.in_(first))
    return {row.subject: row.rating_before for row in connection.execute(query)}


def _place(connection: Connection, game: str, rating: PlayerRating, kind: str) -> int:
    of_kind = site_ratings.c.game == game, site_ratings.c.kind == kind
    conditions = *of_kind, site_ratings.c.settled == 1, site_ratings.c.rating > rating.rating
    return 1 + int(connection.execute(select(func.count()).select_from(site_ratings).where(*conditions)).scalar_one())


def _of_account(connection: Connection, account: str) -> list[RatedPlayer]:
    query = select(site_ratings).where(site_ratings.c.account == account)
    query = query.order_by(site_ratings.c.game, site_ratings.c.kind.desc(), site_ratings.c.subject)
    return _players_of(connection, connection.execute(query).all())


def _players_of(connection: Connection, rows: Collection[Row[Any]]) -> list[RatedPlayer]:
    owners = _names(connection, (ACCOUNT + row.account for row in rows))
    names = owners | _names(connection, (row.subject for row in rows))
    return [
        RatedPlayer(
            game=row.game,
            kind=row.kind,
            subject=row.subject,
            account=row.account,
            name=names.get(row.subject, ""),
            owner=owners.get(ACCOUNT + row.account, ""),
            rating=PlayerRating(row.rating, row.deviation),
            won=row.won,
            drawn=row.drawn,
            lost=row.lost,
            changed=row.changed,
        )
        for row in rows
    ]


def _names(connection: Connection, subjects: Iterable[str]) -> dict[str, str]:
    """Returns the display names of people, programs and bots, by the text that identifies each (`subjects`, see
    `BOT`).
    """
    wanted = list(dict.fromkeys(subjects))
    found: dict[str, str] = {}
    for prefix, table in ((ACCOUNT, site_users), (PROGRAM, site_tokens), (BOT, site_bots)):
        ids = [subject.removeprefix(prefix) for subject in wanted if subject.startswith(prefix)]
        if ids:
            query = select(table.c.id, table.c.name).where(table.c.id.in_(ids))
            found |= {prefix + row.id: row.name for row in connection.execute(query)}
    return found


def _curve(connection: Connection, game: str, subject: str, kind: str) -> list[tuple[float, PlayerRating]]:
    table = site_results
    of_kind = table.c.game == game, table.c.kind == kind
    conditions = table.c.subject == subject, *of_kind, table.c.weight.is_not(None)
    columns = table.c.at, table.c.rating, table.c.deviation
    query = select(*columns).where(*conditions).order_by(table.c.number.desc()).limit(_POINTS)
    rows = connection.execute(query).all()
    return [(row.at, PlayerRating(row.rating, row.deviation)) for row in reversed(rows)]


def _best_win(connection: Connection, game: str, subject: str, kind: str) -> BestWin | None:
    table, other = site_results, site_results.alias()
    won = table.c.subject == subject, table.c.game == game, table.c.kind == kind, table.c.standing == Standing.WON
    beaten = other.c.table_id == table.c.table_id, other.c.rank > table.c.rank, other.c.subject.startswith(ACCOUNT)
    query = (
        select(other.c.table_id, other.c.rating_before, site_users.c.name)
        .where(*won, table.c.weight.is_not(None), *beaten, other.c.weight.is_not(None))
        .join_from(table, other, other.c.table_id == table.c.table_id)
        .join(site_users, site_users.c.id == other.c.account)
        .order_by(other.c.rating_before.desc())
        .limit(1)
    )
    row = connection.execute(query).first()
    return None if row is None else BestWin(table_id=row.table_id, name=row.name, rating=row.rating_before)


def _listed(connection: Connection, account: str, wanted: ResultFilter, most: int) -> list[SiteResult]:
    table = site_results
    query = select(table).where(table.c.account == account).order_by(table.c.number.desc()).limit(most)
    if wanted.game:
        query = query.where(table.c.game == wanted.game)
    if wanted.standing:
        query = query.where(table.c.standing == wanted.standing)
    if wanted.before:
        query = query.where(table.c.number < wanted.before)
    if wanted.opponent:
        other = table.alias()
        column = other.c.subject if wanted.opponent.startswith(ENGINE) else other.c.account
        of_opponent = other.c.table_id == table.c.table_id, column == wanted.opponent
        query = query.where(select(other.c.number).where(*of_opponent, other.c.player != table.c.player).exists())
    rows = connection.execute(query).all()
    plans = _plans(connection, {row.table_id for row in rows})
    subjects = (subject_of(seat) for seats, _ in plans.values() for seat in seats)
    members = _names(connection, (subject for subject in subjects if subject.startswith(ACCOUNT)))
    return [_result_of(row, *plans[row.table_id], members) for row in rows]


def _plans(connection: Connection, table_ids: Collection[str]) -> dict[str, tuple[list[dict[str, Any]], str]]:
    """Returns the seats and the verdict of each of these tables, by table id. A seat is a dict, as in the table's
    plan.
    """
    table = site_tables
    query = select(table.c.id, table.c.plan, table.c.verdict).where(table.c.id.in_(table_ids))
    return {row.id: (json.loads(row.plan)["seats"], row.verdict) for row in connection.execute(query)}


def _result_of(
    row: Row[Any], seats: Sequence[Mapping[str, Any]], verdict: str, members: Mapping[str, str]
) -> SiteResult:
    return SiteResult(
        number=row.number,
        table_id=row.table_id,
        game=row.game,
        subject=row.subject,
        standing=Standing(row.standing) if row.standing else None,
        at=row.at,
        names=tuple(seat.get("name", "") for seat in seats),
        members=tuple(members.get(subject_of(seat), "") for seat in seats),
        player=row.player,
        change=None if row.weight is None else _change_of(row),
        verdict=verdict,
    )


def _change_of(row: Row[Any]) -> RatingChange:
    before = PlayerRating(row.rating_before, row.deviation_before)
    return RatingChange(row.player, before, PlayerRating(row.rating, row.deviation))


class Ratings:
    """The results of finished matches, and the ratings of people, programs and bots, in a store.

    `Matches.finish` stores both. In the methods, a `subject` is the text that identifies a player, see `BOT`.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def changes(self, table_id: str) -> list[RatingChange]:
        """Returns the change of each rated player's rating by a match; empty if the match is not over or not rated."""
        return self._database.read(_changes, table_id)

    def accounts(self, subjects: Sequence[str]) -> list[str]:
        """Returns the id of the account of each player; "" for a guest, a built-in opponent, or an account that is
        gone.

        `subjects`: the texts that identify the players, see `BOT`.
        """
        return self._database.read(accounts_of, subjects)

    def rating(self, game: str, subject: str, kind: str = LIVE) -> PlayerRating | None:
        """Returns a player's rating in a game; None if the player has no rated match of this kind.

        `subject`: the text that identifies the player, see `BOT`. `kind`: kind of the matches, LIVE or CORRESPONDENCE.
        """
        return self._database.read(_rating, game, subject, kind)

    def leaders(self, game: str, first: int = 0, most: int = 50, kind: str = LIVE) -> list[RatedPlayer]:
        """Returns players whose ratings are not provisional, the best first.

        Args:
            game: name of the game.
            first: number of players to skip.
            most: largest number of players.
            kind: kind of the matches, LIVE or CORRESPONDENCE.
        """
        return self._database.read(_leaders, game, first, most, kind)

    def earlier(self, players: Sequence[RatedPlayer], since: float) -> dict[str, float]:
        """Returns the ratings that players had before their first rated match since a time, by subject.

        Players without a rated match since then are left out.

        Args:
            players: players of the same game and kind of matches.
            since: the time, in seconds since 1970.
        """
        return self._database.read(_earlier, players, since)

    def place(self, game: str, rating: PlayerRating, kind: str = LIVE) -> int:
        """Returns the place that this rating has on the leaderboard of a game, counted from 1.

        `kind`: kind of the matches, LIVE or CORRESPONDENCE; each kind has a leaderboard.
        """
        return self._database.read(_place, game, rating, kind)

    def of_account(self, account: str) -> list[RatedPlayer]:
        """Returns all ratings of an account, its programs and its bots, in all games."""
        return self._database.read(_of_account, account)

    def curve(self, game: str, subject: str, kind: str = LIVE) -> list[tuple[float, PlayerRating]]:
        """Returns a player's rating in a game after each of the last 500 rated matches of a kind, the earliest first.

        `subject`: the text that identifies the player, see `BOT`. `kind`: kind of the matches, LIVE or CORRESPONDENCE.

        Returns:
            A list of tuples: the time in seconds since 1970, and the rating.
        """
        return self._database.read(_curve, game, subject, kind)

    def best_win(self, game: str, subject: str, kind: str = LIVE) -> BestWin | None:
        """Returns a player's rated match against the strongest person that the player has beaten; None without a win.

        `subject`: the text that identifies the player, see `BOT`. `kind`: kind of the matches, LIVE or CORRESPONDENCE.
        """
        return self._database.read(_best_win, game, subject, kind)

    def listed(self, account: str, wanted: ResultFilter, most: int = 20) -> list[SiteResult]:
        """Returns the results of an account, its programs and its bots, the latest first.

        Args:
            account: id of the account.
            wanted: conditions that the results must fulfil.
            most: largest number of results.
        """
        return self._database.read(_listed, account, wanted, most)

    def forget(self, account: str) -> None:
        """Deletes an account's ratings. Its results stay under a random name, because opponents' ratings need them."""
        self._database.write(forget_account, account)
