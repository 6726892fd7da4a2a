"""Stores the site's tournaments. One transaction stores a change, with the tables of the matches that it opens."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, delete, func, select, update

from lapilli.core.errors import LapilliError
from lapilli.store.database import Database
from lapilli.store.results import ascii_json
from lapilli.store.site.facts import ACCOUNT
from lapilli.store.site.people.tables import site_users
from lapilli.store.site.play.tables import add_table, site_tables
from lapilli.store.site.rating.facts import BOT
from lapilli.store.site.shared.installed import is_installed
from lapilli.store.site.shared.notices import Notices
from lapilli.store.site.tournament.facts import (
    ACTIVE,
    ListedTournament,
    PlayerState,
    SiteTournament,
    TournamentChange,
    TournamentMatch,
    TournamentNews,
    TournamentPlayer,
    TournamentState,
)
from lapilli.store.site.tournament.tables import (
    absent_players,
    next_version,
    site_leads,
    site_tournament_matches,
    site_tournament_players,
    site_tournaments,
)
from lapilli.store.statements import insert_into, now

Work = Callable[[SiteTournament, Sequence[TournamentPlayer]], TournamentChange]
"""Function that receives a tournament and its players, and returns a change."""
_LEAD = "tournaments"
_LISTED = 50
"""Largest number of tournaments in each part of a list."""
_PLAYERS = select(site_tournament_players, site_users.c.name.label("account_name")).select_from(
    site_tournament_players.outerjoin(site_users, site_users.c.id == site_tournament_players.c.account)
)
"""Query for players, with the present names of their accounts."""


def _add(connection: Connection, new: SiteTournament, most: int) -> None:
    connection.execute(select(site_users.c.id).where(site_users.c.id == new.account).with_for_update())
    table = site_tournaments
    own = select(func.count()).select_from(table).where(table.c.account == new.account, table.c.state.in_(ACTIVE))
    if connection.execute(own).scalar_one() >= most:
        raise LapilliError(f"you organise {most} tournaments already, the maximum: cancel one, or wait until one ends")
    row = {field: getattr(new, field) for field in new.__struct_fields__}
    row |= {"plan": ascii_json(new.plan), "created": now(connection)}
    connection.execute(table.insert().values(row))


def _active(connection: Connection) -> list[SiteTournament]:
    table = site_tournaments
    query = select(table).where(table.c.state.in_(ACTIVE), is_installed(table.c.game))
    query = query.order_by(table.c.created, table.c.id)
    return [_tournament_of(row) for row in connection.execute(query)]


def _listed(connection: Connection) -> list[ListedTournament]:
    table, players = site_tournaments, site_tournament_players
    playing = players.c.tournament_id == table.c.id, players.c.state == PlayerState.PLAYING
    number = select(func.count()).select_from(players).where(*playing).scalar_subquery()
    found: list[ListedTournament] = []
    for state, order in (
        (TournamentState.RUNNING, table.c.starts.desc()),
        (TournamentState.OPEN, table.c.created),
        (TournamentState.OVER, table.c.starts.desc()),
    ):
        query = select(table, number.label("players")).where(table.c.state == state, is_installed(table.c.game))
        rows = connection.execute(query.order_by(order, table.c.id).limit(_LISTED))
        found += [ListedTournament(_tournament_of(row), row.players) for row in rows]
    return found


def _of_account(connection: Connection, account: str) -> list[tuple[SiteTournament, TournamentPlayer]]:
    players, table = site_tournament_players, site_tournaments
    query = _PLAYERS.where(players.c.account == account).order_by(players.c.tournament_id, players.c.number)
    rows = connection.execute(query).all()
    played = select(players.c.tournament_id).where(players.c.account == account)
    found = connection.execute(select(table).where(table.c.id.in_(played)))
    tournaments = {row.id: _tournament_of(row) for row in found}
    return [(tournaments[row.tournament_id], _player_of(row)) for row in rows]


def _since(connection: Connection, tournament_id: str, version: int) -> TournamentNews | None:
    row = connection.execute(select(site_tournaments).where(site_tournaments.c.id == tournament_id)).one_or_none()
    if row is None:
        return None
    tournament = _tournament_of(row)
    if tournament.version == version:
        return TournamentNews(tournament, [], [])
    table = site_tournament_matches
    query = select(table).where(table.c.tournament_id == tournament_id, table.c.version > version)
    matches = [_match_of(row) for row in connection.execute(query.order_by(table.c.number))]
    return TournamentNews(tournament, _players(connection, tournament_id), matches)


def _players(connection: Connection, tournament_id: str) -> list[TournamentPlayer]:
    """Returns all players of a tournament."""
    table = site_tournament_players
    query = _PLAYERS.where(table.c.tournament_id == tournament_id).order_by(table.c.number)
    return [_player_of(row) for row in connection.execute(query)]


def _amend(connection: Connection, tournament_id: str, work: Work) -> None:
    tournament = _locked(connection, tournament_id)
    if tournament is None:
        raise LapilliError("there is no such tournament")
    _apply(connection, tournament, work(tournament, _players(connection, tournament_id)))


def _advance(connection: Connection, tournament_id: str, step: int, change: TournamentChange) -> bool:
    tournament = _locked(connection, tournament_id)
    if tournament is None or tournament.step != step:
        return False
    _apply(connection, tournament, change)
    return True


def _locked(connection: Connection, tournament_id: str) -> SiteTournament | None:
    """Returns a tournament, and locks it until the transaction ends; None if there is no such tournament."""
    query = select(site_tournaments).where(site_tournaments.c.id == tournament_id).with_for_update()
    row = connection.execute(query).one_or_none()
    return None if row is None else _tournament_of(row)


def _apply(connection: Connection, tournament: SiteTournament, change: TournamentChange) -> None:
    key, version = tournament.id, next_version(connection, tournament.id, steps=1)
    if change.fields:
        by_id = site_tournaments.c.id == key
        connection.execute(update(site_tournaments).where(by_id).values(dict(change.fields)))
    players = site_tournament_players
    of_tournament = players.c.tournament_id == key
    if change.removed:
        connection.execute(delete(players).where(of_tournament, players.c.number.in_(change.removed)))
    for player in change.players:
        row = {field: getattr(player, field) for field in player.__struct_fields__}
        inserted = insert_into(connection, players).values(row | {"tournament_id": key})
        changed = {field: row[field] for field in ("seed", "state", "misses", "version")}
        connection.execute(inserted.on_conflict_do_update(index_elements=["tournament_id", "number"], set_=changed))
    for table_id, plan in change.plans.items():
        add_table(connection, table_id, tournament.game, plan)
    for match in change.matches:
        first, second = match.points or (None, None)
        row = {field: getattr(match, field) for field in ("number", "round", "board", "leg", "table_id", "opened")}
        row |= {"first": match.players[0], "second": match.players[1], "first_points": first, "second_points": second}
        connection.execute(site_tournament_matches.insert().values(row | {"tournament_id": key, "version": version}))


def _absent(connection: Connection, table_id: str) -> list[int]:
    query = select(site_tables.c.plan).where(site_tables.c.id == table_id, site_tables.c.record.is_(None))
    plan = connection.execute(query).scalar_one_or_none()
    return [] if plan is None else absent_players(connection, table_id, json.loads(plan))


def _lead(connection: Connection, worker: str, lasts: float) -> bool:
    time, table = now(connection), site_leads
    row = {"what": _LEAD, "worker": worker, "expires": time + lasts}
    leading = insert_into(connection, table).values(row)
    is_past = table.c.expires < time
    is_too_late = table.c.expires > time + 2 * lasts  # if so, the clock was set back
    leading = leading.on_conflict_do_update(
        index_elements=["what"], set_=row, where=(table.c.worker == worker) | is_past | is_too_late
    )
    return connection.execute(leading.returning(table.c.what)).scalar() is not None


def _forget(connection: Connection, account: str) -> None:
    """Takes an account out of all tournaments. Implements `Tournaments.forget`."""
    players, table = site_tournament_players, site_tournaments
    playing = select(players.c.tournament_id).where(players.c.account == account)
    query = select(table.c.id).where((table.c.account == account) | table.c.id.in_(playing))
    for tournament in _take_out(connection, query, players.c.account == account):
        if tournament.account == account and tournament.state is TournamentState.OPEN:
            by_id = table.c.id == tournament.id
            connection.execute(update(table).where(by_id).values(state=TournamentState.CANCELLED))


def _forget_bot(connection: Connection, bot_id: str, name: str) -> None:
    """Takes a deleted bot out of all tournaments. Implements `Tournaments.forget_bot`.

    `name`: name that the bot gets in tournaments that have begun, where its results stay.
    """
    players = site_tournament_players
    is_bot = players.c.subject == BOT + bot_id
    _take_out(connection, select(players.c.tournament_id.label("id")).where(is_bot), is_bot)
    connection.execute(update(players).where(is_bot).values(name=name))


def _take_out(connection: Connection, ids: Select[Any], which: ColumnElement[bool]) -> list[SiteTournament]:
    """Takes players out of tournaments. Tournaments are locked in the order of their ids, so nothing can deadlock.

    Args:
        connection: the connection.
        ids: query for the ids of the tournaments, in the column `id`.
        which: condition that selects the players.

    Returns:
        The tournaments, as they were before.
    """
    players, found = site_tournament_players, list[SiteTournament]()
    for tournament_id in connection.execute(ids.order_by("id")).scalars().all():
        tournament = _locked(connection, tournament_id)
        assert tournament is not None
        found.append(tournament)
        next_version(connection, tournament_id, steps=1)
        own = players.c.tournament_id == tournament_id, which
        if tournament.state is TournamentState.OPEN:
            connection.execute(delete(players).where(*own))
        elif tournament.state is TournamentState.RUNNING:
            is_playing = players.c.state == PlayerState.PLAYING
            connection.execute(update(players).where(*own, is_playing).values(state=PlayerState.LEFT))
    return found


def _tournament_of(row: Row[Any]) -> SiteTournament:
    columns = {field: row._mapping[field] for field in SiteTournament.__struct_fields__}
    return SiteTournament(**columns | {"plan": json.loads(columns["plan"]), "state": TournamentState(columns["state"])})


def _player_of(row: Row[Any]) -> TournamentPlayer:
    columns = {field: row._mapping[field] for field in TournamentPlayer.__struct_fields__}
    if columns["account"]:
        is_person = columns["subject"] == ACCOUNT + columns["account"]
        columns["name"] = "" if row.account_name is None else row.account_name if is_person else columns["name"]
    return TournamentPlayer(**columns | {"state": PlayerState(columns["state"])})


def _match_of(row: Row[Any]) -> TournamentMatch:
    return TournamentMatch(
        number=row.number,
        round=row.round,
        board=row.board,
        leg=row.leg,
        players=(row.first, row.second),
        table_id=row.table_id,
        opened=row.opened,
        points=None if row.first_points is None else (row.first_points, row.second_points),
        problem=row.problem,
    )


class Tournaments:
    """The tournaments in a store.

    Args:
        database: the store's database.
        notices: object that notifies other processes of new tables.
    """

    def __init__(self, database: Database, notices: Notices) -> None:
        self._database, self._notices = database, notices

    def add(self, new: SiteTournament, most: int) -> None:
        """Stores a new tournament.

        Args:
            new: the tournament.
            most: largest number of tournaments of one account that are not over.

        Raises:
            LapilliError: the account has that many tournaments.
        """
        self._database.write(_add, new, most)

    def active(self) -> list[SiteTournament]:
        """Returns all tournaments that are open or running."""
        return self._database.read(_active)

    def listed(self) -> list[ListedTournament]:
        """Returns running tournaments, then open ones, then finished ones, up to 50 of each.

        Open tournaments are in the order of their creation. Of the others, the last one to start comes first. Cancelled
        tournaments are left out.
        """
        return self._database.read(_listed)

    def of_account(self, account: str) -> list[tuple[SiteTournament, TournamentPlayer]]:
        """Returns the tournaments in which an account or one of its programs or bots has played.

        Each is a tuple of the tournament and the player. A tournament with several such players is returned several
        times.
        """
        return self._database.read(_of_account, account)

    def since(self, tournament_id: str, version: int) -> TournamentNews | None:
        """Returns a tournament, with the changes since the caller read it last; None if there is no such tournament.

        `version`: value of `SiteTournament.version` at that time; a lower number than all versions for everything. If
        nothing has changed, the lists of players and matches are empty.
        """
        return self._database.read(_since, tournament_id, version)

    def amend(self, tournament_id: str, work: Work) -> None:
        """Changes a tournament in one transaction, during which nobody else can change it.

        Args:
            tournament_id: id of the tournament.
            work: function that receives the tournament and its players, and returns the change. It may be called more
                than once. If it raises, nothing changes.

        Raises:
            LapilliError: there is no such tournament.
        """
        self._database.write(_amend, tournament_id, work)

    def advance(self, tournament_id: str, step: int, change: TournamentChange) -> bool:
        """Changes a tournament, unless it has changed since the change was computed.

        Args:
            tournament_id: id of the tournament.
            step: value of `SiteTournament.step` when the change was computed. If it has increased, nothing is changed.
            change: the change.

        Returns:
            Whether the tournament was changed. Of two processes that compute a change from the same step, only one
                changes the tournament.
        """
        return self._database.write(self._advance, tournament_id, step, change)

    def _advance(self, connection: Connection, tournament_id: str, step: int, change: TournamentChange) -> bool:
        is_changed = _advance(connection, tournament_id, step, change)
        if is_changed:
            self._notices.send(connection, change.plans)
        return is_changed

    def absent(self, table_id: str) -> list[int]:
        """Returns the numbers of the players who neither came to a tournament's table nor replied there.

        The match at the table must not be over.
        """
        return self._database.read(_absent, table_id)

    def lead(self, lasts: float) -> bool:
        """Lets this process, and no other, run the tournaments for the next `lasts` seconds.

        Returns:
            Whether this process runs them now: False if another process does. Always True with a SQLite file, which
                only one process serves.
        """
        return not self._notices.are_shared or self._database.write(_lead, self._notices.worker, lasts)

    def forget(self, account: str) -> None:
        """Takes an account that is deleted or suspended out of all tournaments.

        Tournaments that the account organises and that have not begun are cancelled. In tournaments that have begun,
        the account's results stay. In finished tournaments, only the name of a deleted account is removed.
        """
        self._database.write(_forget, account)

    def forget_bot(self, bot_id: str, name: str) -> None:
        """Takes a deleted bot out of all tournaments.

        In tournaments that have begun, its results stay, under the name `name`.
        """
        self._database.write(_forget_bot, bot_id, name)
