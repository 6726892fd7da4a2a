"""Bots written on the site, with the stored versions of their source code."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Double,
    ForeignKey,
    Index,
    Integer,
    Row,
    Table,
    Text,
    delete,
    func,
    insert,
    select,
    update,
)

from lapilli.core.errors import LapilliError
from lapilli.store.database import Database
from lapilli.store.results import storable
from lapilli.store.site.facts import MAX_BOTS, MAX_VERSIONS, BotVersion, SiteBot
from lapilli.store.site.people.tables import site_users
from lapilli.store.site.rating.facts import BOT
from lapilli.store.site.rating.tables import site_ratings
from lapilli.store.site.tournament.facts import ACTIVE
from lapilli.store.site.tournament.tables import site_tournament_players, site_tournaments
from lapilli.store.statements import insert_into, now
from lapilli.store.tables import metadata

site_bots = Table(
    "site_bots",
    metadata,
    Column("id", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("game", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("folded", Text, nullable=False, unique=True),  # the name in lower case: names must differ in more than case
    Column("created", Double, nullable=False),
    Column("changed", Double, nullable=False),
    Column("version", Integer, nullable=False),
    Column("submitted", Integer, nullable=False, default=0),
    Index("site_bots_by_owner", "owner"),
)

site_versions = Table(
    "site_versions",
    metadata,
    Column("bot_id", Text, ForeignKey("site_bots.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("code", Text, nullable=False),
    Column("created", Double, nullable=False),
)


def _add(connection: Connection, bot_id: str, owner: str, game: str, language: str, name: str, code: str) -> None:
    """Adds a bot with the source code `code` as its first version. Implements `Bots.add`.

    Args:
        connection: the connection.
        bot_id: id of the new bot.
        owner: id of the account that owns the bot.
        game: name of the game.
        language: programming language of the bot.
        name: display name.
        code: source code of the first version.
    """
    connection.execute(select(site_users.c.id).where(site_users.c.id == owner).with_for_update())
    count = select(func.count()).select_from(site_bots).where(site_bots.c.owner == owner)
    if connection.execute(count).scalar_one() >= MAX_BOTS:
        raise LapilliError(f"you have {MAX_BOTS} bots, the maximum: delete one first")
    time = now(connection)
    row = {"id": bot_id, "owner": owner, "game": game, "language": language, "name": name, "folded": name.casefold()}
    inserted = insert_into(connection, site_bots).values(row | {"created": time, "changed": time, "version": 1})
    added = inserted.on_conflict_do_nothing(index_elements=["folded"]).returning(site_bots.c.id)
    if connection.execute(added).first() is None:
        raise LapilliError(f"there is a bot {name!r} already: choose another name")
    _insert_version(connection, bot_id, 1, code, time)


def _save(connection: Connection, bot_id: str, code: str) -> int:
    """Stores a new version of a bot, if the code has changed. Returns the number of the latest version."""
    connection.execute(select(site_bots.c.id).where(site_bots.c.id == bot_id).with_for_update())
    bot = _bot(connection, bot_id)
    last = _version(connection, bot_id, bot.version)
    if last is not None and last.code == storable(code):
        return bot.version
    number, time = bot.version + 1, now(connection)
    connection.execute(update(site_bots).where(site_bots.c.id == bot_id).values(version=number, changed=time))
    _insert_version(connection, bot_id, number, code, time)
    players, tournaments = site_tournament_players, site_tournaments
    playing = select(players.c.version).join(tournaments, tournaments.c.id == players.c.tournament_id)
    playing = playing.where(players.c.subject == BOT + bot_id, tournaments.c.state.in_(ACTIVE))
    too_old = (
        site_versions.c.bot_id == bot_id,
        site_versions.c.number <= number - MAX_VERSIONS,
        site_versions.c.number != bot.submitted,
        site_versions.c.number.not_in(playing),
    )
    connection.execute(delete(site_versions).where(*too_old))
    return number


def _insert_version(connection: Connection, bot_id: str, number: int, code: str, time: float) -> None:
    row = {"bot_id": bot_id, "number": number, "code": storable(code), "created": time}
    connection.execute(insert(site_versions).values(row))


def _get(connection: Connection, bot_id: str) -> SiteBot | None:
    row = connection.execute(select(site_bots).where(site_bots.c.id == bot_id)).one_or_none()
    return None if row is None else _bot_of(row)


def _bot(connection: Connection, bot_id: str) -> SiteBot:
    """Returns the bot with this id. Raises LapilliError if there is no such bot."""
    bot = _get(connection, bot_id)
    if bot is None:
        raise LapilliError("there is no such bot in the store")
    return bot


def _owned(connection: Connection, owner: str) -> list[SiteBot]:
    query = select(site_bots).where(site_bots.c.owner == owner).order_by(site_bots.c.changed.desc())
    return [_bot_of(row) for row in connection.execute(query)]


def _submitted(connection: Connection, game: str) -> list[SiteBot]:
    query = select(site_bots).where(site_bots.c.game == game, site_bots.c.submitted > 0)
    return [_bot_of(row) for row in connection.execute(query)]


def _versions(connection: Connection, bot_id: str) -> list[BotVersion]:
    query = select(site_versions.c.number, site_versions.c.created).where(site_versions.c.bot_id == bot_id)
    rows = connection.execute(query.order_by(site_versions.c.number.desc()))
    return [BotVersion(number=row.number, created=row.created) for row in rows]


def _version(connection: Connection, bot_id: str, number: int) -> BotVersion | None:
    query = select(site_versions).where(site_versions.c.bot_id == bot_id, site_versions.c.number == number)
    row = connection.execute(query).one_or_none()
    return None if row is None else BotVersion(number=row.number, code=row.code, created=row.created)


def _submit(connection: Connection, bot_id: str, number: int) -> bool:
    changed = connection.execute(update(site_bots).where(site_bots.c.id == bot_id).values(submitted=number))
    return changed.rowcount > 0


def _remove(connection: Connection, bot_id: str) -> None:
    connection.execute(delete(site_versions).where(site_versions.c.bot_id == bot_id))
    connection.execute(delete(site_bots).where(site_bots.c.id == bot_id))
    connection.execute(delete(site_ratings).where(site_ratings.c.subject == BOT + bot_id))


def _bot_of(row: Row[Any]) -> SiteBot:
    columns = dict(row._mapping)
    del columns["folded"]
    return SiteBot(**columns)


class Bots:
    """The bots written on the site, in a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, bot_id: str, owner: str, game: str, language: str, name: str, code: str) -> None:
        """Adds a bot with its first version.

        Args:
            bot_id: id of the new bot.
            owner: id of the account that owns the bot.
            game: name of the game.
            language: programming language of the bot.
            name: display name.
            code: source code of the first version.

        Raises:
            LapilliError: the name is taken, or the owner has too many bots.
        """
        self._database.write(_add, bot_id, owner, game, language, name, code)

    def save(self, bot_id: str, code: str) -> int:
        """Stores source code as a new version of a bot, if it differs from the code of the latest version.

        The newest MAX_VERSIONS versions stay stored, and so do the version in the league and the versions that play in
        tournaments that are not over. Older versions are deleted.

        Returns:
            The number of the latest version.

        Raises:
            LapilliError: there is no such bot.
        """
        return self._database.write(_save, bot_id, code)

    def get(self, bot_id: str) -> SiteBot | None:
        """Returns the bot with this id; None if there is no such bot."""
        return self._database.read(_get, bot_id)

    def owned(self, owner: str) -> list[SiteBot]:
        """Returns the bots of the account with the id `owner`, the most recently changed bot first."""
        return self._database.read(_owned, owner)

    def in_league(self, game: str) -> list[SiteBot]:
        """Returns all bots that play in a game's league."""
        return self._database.read(_submitted, game)

    def versions(self, bot_id: str) -> list[BotVersion]:
        """Returns a bot's stored versions, newest first, without their source code."""
        return self._database.read(_versions, bot_id)

    def version(self, bot_id: str, number: int) -> BotVersion | None:
        """Returns a version of a bot, with its source code; None if this version is not stored."""
        return self._database.read(_version, bot_id, number)

    def submit(self, bot_id: str, number: int) -> bool:
        """Sets which version of a bot plays in the league: the version `number`, or no version if `number` is 0.

        Returns False if there is no such bot.
        """
        return self._database.write(_submit, bot_id, number)

    def remove(self, bot_id: str) -> None:
        """Deletes a bot with all its versions and its rating. The caller must delete the bot's trials first."""
        self._database.write(_remove, bot_id)
