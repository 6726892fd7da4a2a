"""Tables of the site: who sits where, what was answered, and the record of a match that is over."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import (
    Column,
    Connection,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Row,
    Table,
    Text,
    delete,
    select,
    update,
)

from lapilli.arena.results import ascii_json, storable
from lapilli.arena.store.adding import insert_into
from lapilli.arena.store.database import Database
from lapilli.arena.store.events import now
from lapilli.arena.store.site_facts import SiteAnswer, SiteTable
from lapilli.arena.store.tables import metadata
from lapilli.games.errors import StoreError

site_tables = Table(
    "site_tables",
    metadata,
    Column("id", Text, primary_key=True),
    Column("game", Text, nullable=False),
    Column("plan", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("changed", Double, nullable=False),  # when an answer was last stored
    Column("record", LargeBinary),  # of a match that is over
    Column("verdict", Text, nullable=False, default=""),
    Index("site_tables_by_change", "changed"),
)

site_answers = Table(
    "site_answers",
    metadata,
    Column("table_id", Text, ForeignKey("site_tables.id"), primary_key=True),
    Column("turn", Integer, primary_key=True, autoincrement=False),
    Column("player", Integer, primary_key=True, autoincrement=False),
    Column("answer", Text, nullable=False),
)

_ANSWER = msgspec.json.Decoder(SiteAnswer)


def _add(connection: Connection, table_id: str, game: str, plan: Mapping[str, Any]) -> None:
    """A new table. Nothing happens where it is there."""
    time = now(connection)
    row = {"id": table_id, "game": game, "plan": ascii_json(plan), "created": time, "changed": time, "verdict": ""}
    connection.execute(insert_into(connection, site_tables).values(row).on_conflict_do_nothing())


def _replan(connection: Connection, table_id: str, plan: Mapping[str, Any]) -> None:
    """Changes who sits where."""
    _change(connection, table_id, plan=ascii_json(plan))


def _get(connection: Connection, table_id: str) -> SiteTable | None:
    """The table of that id, if there is one."""
    row = connection.execute(select(site_tables).where(site_tables.c.id == table_id)).one_or_none()
    return None if row is None else _table_of(row)


def _listed(connection: Connection, over: bool, most: int) -> list[SiteTable]:
    """Tables whose match is over, or is not, the one that changed last first; without records."""
    columns = [column for column in site_tables.c if column.name != "record"]
    is_over = site_tables.c.record.is_not(None) if over else site_tables.c.record.is_(None)
    query = select(*columns).where(is_over).order_by(site_tables.c.changed.desc()).limit(most)
    return [_table_of(row) for row in connection.execute(query)]


def _answers(connection: Connection, table_id: str) -> list[SiteAnswer]:
    """All answers at a table, turn by turn."""
    query = select(site_answers.c.answer).where(site_answers.c.table_id == table_id)
    rows = connection.execute(query.order_by(site_answers.c.turn, site_answers.c.player)).scalars()
    return [_ANSWER.decode(row) for row in rows]


def _add_answers(connection: Connection, table_id: str, given: Sequence[SiteAnswer]) -> None:
    """Adds answers. One that is there stays: who does not know whether it was stored stores it again."""
    rows = [
        {
            "table_id": table_id,
            "turn": answer.turn,
            "player": answer.player,
            "answer": ascii_json(msgspec.to_builtins(answer)),
        }
        for answer in given
    ]
    if rows:
        _change(connection, table_id)
        connection.execute(insert_into(connection, site_answers).on_conflict_do_nothing(), rows)


def _drop_answers(connection: Connection, table_id: str, first_turn: int) -> None:
    """Takes back all answers from a turn on."""
    _change(connection, table_id)
    those = site_answers.c.table_id == table_id, site_answers.c.turn >= first_turn
    connection.execute(delete(site_answers).where(*those))


def _finish(connection: Connection, table_id: str, record: bytes, verdict: str) -> None:
    """Keeps the record of a match that is over."""
    _change(connection, table_id, record=record, verdict=storable(verdict))


def _change(connection: Connection, table_id: str, **values: Any) -> None:
    """Raises StoreError where there is no such table."""
    changing = update(site_tables).where(site_tables.c.id == table_id).values(changed=now(connection), **values)
    if connection.execute(changing).rowcount != 1:
        raise StoreError("there is no such table in the store")


def _table_of(row: Row[Any]) -> SiteTable:
    held = row._mapping
    return SiteTable(
        id=held["id"],
        game=held["game"],
        plan=json.loads(held["plan"]),
        created=held["created"],
        changed=held["changed"],
        record=held.get("record"),
        verdict=held["verdict"],
    )


class Matches:
    """The site's tables in a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, table_id: str, game: str, plan: Mapping[str, Any]) -> None:
        """Adds a table of the site; nothing happens where it is there."""
        self._database.write(_add, table_id, game, plan)

    def replan(self, table_id: str, plan: Mapping[str, Any]) -> None:
        """Changes who sits where. Raises StoreError where there is no such table."""
        self._database.write(_replan, table_id, plan)

    def get(self, table_id: str) -> SiteTable | None:
        """The table of that id, if there is one."""
        return self._database.read(_get, table_id)

    def listed(self, *, over: bool, most: int = 20) -> list[SiteTable]:
        """Tables whose match is over, or is not, the one that changed last first; without their records."""
        return self._database.read(_listed, over, most)

    def answers(self, table_id: str) -> list[SiteAnswer]:
        """All answers that were given at a table, turn by turn."""
        return self._database.read(_answers, table_id)

    def add_answers(self, table_id: str, answers: Sequence[SiteAnswer]) -> None:
        """Stores answers, all or none; one that is there stays as it is. Raises StoreError where there is no such
        table."""
        self._database.write(_add_answers, table_id, answers)

    def drop_answers(self, table_id: str, first_turn: int) -> None:
        """Takes back all answers from that referee turn on. Raises StoreError where there is no such table."""
        self._database.write(_drop_answers, table_id, first_turn)

    def finish(self, table_id: str, record: bytes, verdict: str) -> None:
        """Keeps the record, packed by `pack_record`, of a match that is over. Raises StoreError where there is no such
        table."""
        self._database.write(_finish, table_id, record, verdict)
