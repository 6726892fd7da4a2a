"""The database tables of the arena, and the upgrades of a store from older versions.

`docs/store.md` describes the columns. Times are seconds since 1970. Columns described there as JSON have type Text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    inspect,
    text,
)

VERSION = 17
"""Version of the database tables in this file and in `store/site/`. Whoever changes the tables must increase the
version, and add a function to STEPS.
"""

metadata = MetaData()
_Number = BigInteger().with_variant(Integer, "sqlite")  # SQLite generates ids only for a column of type INTEGER
_FAULTY = text("fault <> ''")

versions = Table(
    "lapilli_store",
    metadata,
    Column("version", Integer, nullable=False),
    Column("last_event", BigInteger, nullable=False, default=0),  # largest id of a deleted event: it is not used again
)

events = Table(
    "events",
    metadata,
    Column("id", _Number, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("game", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("round", Integer, nullable=False),  # number of earlier events with the same key
    Column("settings", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("finished", Double),
    Column("verdict", Text, nullable=False, default=""),
    Column("played", BigInteger, nullable=False, default=0),
    Column("abandoned", BigInteger, nullable=False, default=0),
    Column("changed", Double, nullable=False),  # time when a match was last stored
    Column("next_number", BigInteger, nullable=False, default=0),  # all lower numbers were claimed or played
    Column("counted", BigInteger),  # number of pairs that the verdict of a comparison counts
    Column("note", Text, nullable=False, default=""),
    Column("plan", Text, nullable=False, default="{}"),  # JSON: when the event is to end, such as the test
    Column("checkpoint", Text),  # JSON: state of a comparison's counts after some match
    UniqueConstraint("key", "round"),
    Index("events_by_name", "kind", "name"),
)

contestants = Table(
    "contestants",
    metadata,
    Column("event_id", ForeignKey(events.c.id), primary_key=True),
    Column("contestant", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("hash", Text, nullable=False),
    Column("player", Text, nullable=False),
)


def _whose() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["event_id", "contestant"], [contestants.c.event_id, contestants.c.contestant])


matches = Table(
    "matches",
    metadata,
    Column("id", _Number, primary_key=True),
    Column("event_id", ForeignKey(events.c.id), nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("pair", BigInteger, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("position", Text),
    Column("termination", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("moves", Text, nullable=False),
    Column("turns", Integer, nullable=False),
    Column("started", Double, nullable=False),
    Column("seconds", Double, nullable=False),
    Column("stored", Double, nullable=False),
    Column("kept", Boolean, nullable=False),
    UniqueConstraint("event_id", "number"),
    Index("matches_by_event", "event_id", "id"),
    Index("matches_by_seed", "event_id", "seed", "id"),
    Index("matches_by_time", "event_id", "stored", "id"),
)

seats = Table(
    "seats",
    metadata,
    Column("match_id", ForeignKey(matches.c.id), primary_key=True, autoincrement=False),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("event_id", _Number, nullable=False),  # copied from the match: one index finds a contestant's matches
    Column("contestant", Integer, nullable=False),
    Column("score", BigInteger, nullable=False),
    Column("rank", Integer, nullable=False),
    Column("standing", Text, nullable=False),
    Column("fault", Text, nullable=False),
    Column("answers", BigInteger, nullable=False),
    Column("cpu_ms", Double, nullable=False),
    Column("waited_ms", Double, nullable=False),
    Column("times", Text, nullable=False),
    Column("mu", Double),
    Column("sigma", Double),
    _whose(),
    Index("seats_by_contestant", "event_id", "contestant", "match_id"),
    Index("seats_by_standing", "event_id", "contestant", "standing", "match_id"),
    Index("seats_by_fault", "event_id", "match_id", "fault", sqlite_where=_FAULTY, postgresql_where=_FAULTY),
    Index(
        "seats_by_whose_fault",
        "event_id",
        "contestant",
        "match_id",
        "fault",
        sqlite_where=_FAULTY,
        postgresql_where=_FAULTY,
    ),
    sqlite_with_rowid=False,
)

records = Table(
    "records",
    metadata,
    Column("match_id", ForeignKey(matches.c.id), primary_key=True, autoincrement=False),
    Column("data", LargeBinary, nullable=False),
)

bot_data = Table(
    "bot_data",
    metadata,
    Column("match_id", ForeignKey(matches.c.id), primary_key=True, autoincrement=False),
    Column("seat", Integer, primary_key=True, autoincrement=False),  # -1: data about the match
    Column("name", Text, primary_key=True),
    Column("event_id", _Number, nullable=False),
    Column("contestant", Integer, nullable=False),  # -1: data about the match
    Column("number", Double),
    Column("words", Text, nullable=False),
    Index("bot_data_by_name", "event_id", "name", "contestant", "match_id"),
    sqlite_with_rowid=False,
)

abandoned = Table(
    "abandoned",
    metadata,
    Column("id", _Number, primary_key=True),
    Column("event_id", ForeignKey(events.c.id), nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("started", Double, nullable=False),
    Column("stored", Double, nullable=False),
    Column("termination", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("result", Text, nullable=False),
    UniqueConstraint("event_id", "number", "started"),
)

claims = Table(
    "claims",
    metadata,
    Column("event_id", ForeignKey(events.c.id), primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("worker", Text, nullable=False),
    Column("expires", Double, nullable=False),
    Index("claims_by_time", "event_id", "expires"),
)

tallies = Table(
    "tallies",
    metadata,
    Column("event_id", _Number, primary_key=True, autoincrement=False),
    Column("contestant", Integer, primary_key=True, autoincrement=False),
    Column("matches", BigInteger, nullable=False),
    Column("won", BigInteger, nullable=False),
    Column("drawn", BigInteger, nullable=False),
    Column("lost", BigInteger, nullable=False),
    Column("score", BigInteger, nullable=False),
    Column("answers", BigInteger, nullable=False),
    Column("cpu_ms", Double, nullable=False),
    Column("waited_ms", Double, nullable=False),
    _whose(),
)

fault_counts = Table(
    "fault_counts",
    metadata,
    Column("event_id", _Number, primary_key=True, autoincrement=False),
    Column("contestant", Integer, primary_key=True, autoincrement=False),
    Column("fault", Text, primary_key=True),
    Column("number", BigInteger, nullable=False),
    _whose(),
)

time_counts = Table(
    "time_counts",
    metadata,
    Column("event_id", _Number, primary_key=True, autoincrement=False),
    Column("contestant", Integer, primary_key=True, autoincrement=False),
    Column("bucket", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, nullable=False),
    _whose(),
)

meetings = Table(
    "meetings",
    metadata,
    Column("event_id", _Number, primary_key=True, autoincrement=False),
    Column("contestant", Integer, primary_key=True, autoincrement=False),
    Column("opponent", Integer, primary_key=True, autoincrement=False),
    Column("won", BigInteger, nullable=False),
    Column("drawn", BigInteger, nullable=False),
    Column("lost", BigInteger, nullable=False),
    Column("margin", BigInteger, nullable=False),
    _whose(),
)

entries = Table(
    "entries",
    metadata,
    Column("event_id", _Number, primary_key=True, autoincrement=False),
    Column("contestant", Integer, primary_key=True, autoincrement=False),
    Column("folder", Text, nullable=False),
    Column("division", Integer, nullable=False),
    Column("boss", Boolean, nullable=False),
    Column("entered", Double, nullable=False),
    Column("withdrawn", Double),
    Column("mu", Double, nullable=False),
    Column("sigma", Double, nullable=False),
    _whose(),
)

promotions = Table(
    "promotions",
    metadata,
    Column("id", _Number, primary_key=True),
    Column("event_id", _Number, nullable=False),
    Column("contestant", Integer, nullable=False),
    Column("before", Integer, nullable=False),
    Column("after", Integer, nullable=False),
    Column("at", Double, nullable=False),
    Column("reason", Text, nullable=False),
    _whose(),
    Index("promotions_by_event", "event_id", "id"),
)


def _add_missing(connection: Connection) -> None:
    """Creates the tables that do not exist yet. If a new version of the store only adds tables, this is the whole
    upgrade.
    """
    metadata.create_all(connection)


def _extend_site_tables(connection: Connection) -> None:
    """Creates missing tables, and adds the missing columns and indexes of the table `site_tables`."""
    _add_missing(connection)
    table = metadata.tables["site_tables"]
    kinds = {"laid_by": "TEXT NOT NULL DEFAULT ''", "guests": "INTEGER NOT NULL DEFAULT 0"}
    kinds |= {"seen": "DOUBLE PRECISION NOT NULL DEFAULT 0", "slow": "INTEGER NOT NULL DEFAULT 0"}
    _add_columns(connection, table, kinds)
    for index in table.indexes:
        index.create(connection, checkfirst=True)


def _extend_events(connection: Connection) -> None:
    """Adds the column `counted` to the table `events`: number of pairs on which a comparison's verdict is based."""
    _add_columns(connection, events, {"counted": "BIGINT"})


def _extend_for_editing(connection: Connection) -> None:
    """Adds the columns for an event's note and plan, and for the largest id of a deleted event."""
    _add_columns(connection, events, {"note": "TEXT NOT NULL DEFAULT ''", "plan": "TEXT NOT NULL DEFAULT '{}'"})
    _add_columns(connection, versions, {"last_event": "BIGINT NOT NULL DEFAULT 0"})


def _extend_for_checkpoints(connection: Connection) -> None:
    """Adds the column `checkpoint` to the table `events`: what a run of an event has counted so far."""
    _add_columns(connection, events, {"checkpoint": "TEXT"})


def _add_site_results(connection: Connection) -> None:
    """Adds the tables of results and ratings, and the results of the site's earlier matches."""
    from lapilli.store.site.rating.matches import add_earlier_results  # that module needs this one

    _extend_site_tables(connection)
    add_earlier_results(connection)


def _add_correspondence(connection: Connection) -> None:
    """Adds the tables of correspondence matches, and a column with the kind of match to results, ratings and seeks.

    All existing rows get the kind "live". The table of ratings is created again, because the kind is part of its
    primary key.
    """
    ratings, results = metadata.tables["site_ratings"], metadata.tables["site_results"]
    columns = ", ".join(sorted(column["name"] for column in inspect(connection).get_columns(ratings.name)))
    is_older = "kind" not in columns
    if is_older:
        for name in ("site_tables_going", "site_results_rated", "site_ratings_by_account", "site_ratings_leaders"):
            connection.execute(text(f"DROP INDEX IF EXISTS {name}"))
        connection.execute(text("ALTER TABLE site_ratings RENAME TO site_ratings_before"))
    _extend_site_tables(connection)
    for table in (results, metadata.tables["site_seeks"]):
        _add_columns(connection, table, {"kind": "TEXT NOT NULL DEFAULT 'live'"})
    for index in results.indexes:
        index.create(connection, checkfirst=True)
    if is_older:
        before = f"SELECT {columns}, 'live' FROM site_ratings_before"
        connection.execute(text(f"INSERT INTO site_ratings ({columns}, kind) {before}"))
        connection.execute(text("DROP TABLE site_ratings_before"))


def _add_moderation(connection: Connection) -> None:
    """Adds the tables of mail addresses and of owners' actions, and the columns of suspensions."""
    _add_missing(connection)
    kinds = {"suspended": "DOUBLE PRECISION NOT NULL DEFAULT 0", "reason": "TEXT NOT NULL DEFAULT ''"}
    _add_columns(connection, metadata.tables["site_users"], kinds)


def _add_bots_of_tournaments(connection: Connection) -> None:
    """Adds the columns for bots that were written on the site to the players and matches of tournaments."""
    _add_missing(connection)
    players, matches = metadata.tables["site_tournament_players"], metadata.tables["site_tournament_matches"]
    _add_columns(connection, players, {"version": "INTEGER NOT NULL DEFAULT 0"})
    _add_columns(connection, matches, {"problem": "TEXT NOT NULL DEFAULT ''"})


def _add_columns(connection: Connection, table: Table, kinds: Mapping[str, str]) -> None:
    """Adds columns to a table, except columns that the table has already.

    Args:
        connection: the connection.
        table: the table.
        kinds: the SQL type of each column, by the column's name.
    """
    existing = {column["name"] for column in inspect(connection).get_columns(table.name)}
    for name, kind in kinds.items():
        if name not in existing:
            connection.execute(text(f"ALTER TABLE {table.name} ADD COLUMN {name} {kind}"))


STEPS: Mapping[int, Callable[[Connection], None]] = {
    1: _add_missing,
    2: _add_missing,
    3: _extend_site_tables,
    4: _extend_events,
    5: _extend_for_editing,
    6: _add_missing,
    7: _extend_for_checkpoints,
    8: _add_site_results,
    9: _add_missing,
    10: _add_missing,
    11: _add_missing,
    12: _add_correspondence,
    13: _add_moderation,
    14: _add_missing,
    15: _add_bots_of_tournaments,
    16: _add_missing,
}
"""For each older version, the function that upgrades the tables from this version to the next. All upgrades run in one
transaction, which also sets the new version number.
"""
