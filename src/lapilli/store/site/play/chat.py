"""Stores what people write in the chats of tables. Lines are deleted after a month, reported ones after half a year."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Double,
    Index,
    Integer,
    Row,
    Table,
    Text,
    delete,
    func,
    select,
    update,
)

from lapilli.core.errors import LapilliError
from lapilli.store.database import Database
from lapilli.store.site.correspondence.facts import DAY_S
from lapilli.store.site.facts import MAX_LINES, ChatLine, ReportedLine
from lapilli.store.site.play.tables import site_tables
from lapilli.store.site.shared.notices import Notices
from lapilli.store.statements import now
from lapilli.store.tables import metadata

site_chat = Table(
    "site_chat",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("table_id", Text, nullable=False),
    Column("room", Text, nullable=False),
    Column("holder", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("at", Double, nullable=False),
    Column("reporter", Text, nullable=False, default=""),
    Index("site_chat_by_table", "table_id", "id"),
    Index("site_chat_by_holder", "holder", "at"),
    Index("site_chat_by_time", "at"),
    Index("site_chat_by_reporter", "reporter", "id"),
)

KEPT_DAYS, REPORTED_DAYS = 30, 180
"""Time after which a line is deleted, and time after which a reported line is deleted, in days."""
_AT_ONCE, _PERIOD_S = 5, 10.0
"""One person may write at most `_AT_ONCE` lines in `_PERIOD_S` seconds, counted over all tables."""
_DELETED = "-"
"""Value of the column `reporter` if the reporter's account was deleted. So the line stays reported."""
_BEFORE = 8
"""Number of lines before a reported line that are shown with it."""


def _add(connection: Connection, table_id: str, room: str, holder: str, name: str, text: str) -> None:
    time = now(connection)
    if connection.execute(select(site_tables.c.id).where(site_tables.c.id == table_id)).first() is None:
        raise LapilliError("there is no such table in the store")
    _delete_old(connection, time)
    recent = select(func.count()).select_from(site_chat).where(site_chat.c.holder == holder)
    if connection.execute(recent.where(site_chat.c.at > time - _PERIOD_S)).scalar_one() >= _AT_ONCE:
        raise LapilliError("you write too fast: wait a few seconds")
    row = {"table_id": table_id, "room": room, "holder": holder, "name": name, "text": text, "at": time}
    if connection.dialect.name == "sqlite":  # SQLite would use the id of the last line again if that line was deleted
        row["id"] = _next_id(connection, time)
    connection.execute(site_chat.insert().values(row | {"reporter": ""}))


def _next_id(connection: Connection, time: float) -> int:
    """Returns an id for a line stored at this time. It is larger than the ids of all earlier lines, even deleted ones.

    Pages have read all lines up to an id, and ask for lines with larger ids.
    """
    largest = connection.execute(select(func.max(site_chat.c.id))).scalar() or 0
    return max(int(largest) + 1, int(1000 * time))


def _delete_old(connection: Connection, time: float) -> None:
    is_old = (site_chat.c.at < time - KEPT_DAYS * DAY_S) & (site_chat.c.reporter == "")
    connection.execute(delete(site_chat).where(is_old | (site_chat.c.at < time - REPORTED_DAYS * DAY_S)))


def lines_of(connection: Connection, table_id: str, after: int) -> list[ChatLine]:
    """Returns the latest lines of a table with ids above `after`, the oldest first."""
    query = select(site_chat).where(site_chat.c.table_id == table_id, site_chat.c.id > after)
    rows = connection.execute(query.order_by(site_chat.c.id.desc()).limit(MAX_LINES)).all()
    return [_line_of(row) for row in reversed(rows)]


def _line_of(row: Row[Any]) -> ChatLine:
    return ChatLine(**{field: getattr(row, field) for field in ChatLine.__struct_fields__})


def _report(connection: Connection, table_id: str, line: int, reporter: str) -> bool:
    is_line = (site_chat.c.id == line) & (site_chat.c.table_id == table_id) & (site_chat.c.holder != reporter)
    first = update(site_chat).where(is_line, site_chat.c.reporter == "").values(reporter=reporter)
    if connection.execute(first).rowcount:
        return True
    return connection.execute(select(site_chat.c.id).where(is_line)).first() is not None


def _reported(connection: Connection) -> list[ReportedLine]:
    query = select(site_chat).where(site_chat.c.reporter != "").order_by(site_chat.c.id.desc()).limit(MAX_LINES)
    found = []
    for row in connection.execute(query).all():
        near = select(site_chat).where(
            site_chat.c.table_id == row.table_id, site_chat.c.room == row.room, site_chat.c.id < row.id
        )
        before = connection.execute(near.order_by(site_chat.c.id.desc()).limit(_BEFORE)).all()
        lines = [_line_of(one) for one in reversed(before)]
        found.append(ReportedLine(line=_line_of(row), table_id=row.table_id, before=lines))
    return found


def _settle(connection: Connection, line: int, remove: bool) -> ChatLine | None:
    is_line = (site_chat.c.id == line) & (site_chat.c.reporter != "")
    row = connection.execute(select(site_chat).where(is_line).with_for_update()).one_or_none()
    change = delete(site_chat).where(is_line) if remove else update(site_chat).where(is_line).values(reporter="")
    connection.execute(change)
    return None if row is None else _line_of(row)


def _forget(connection: Connection, holder: str) -> None:
    connection.execute(delete(site_chat).where(site_chat.c.holder == holder))
    connection.execute(update(site_chat).where(site_chat.c.reporter == holder).values(reporter=_DELETED))


def _rename(connection: Connection, holder: str, name: str) -> None:
    connection.execute(update(site_chat).where(site_chat.c.holder == holder).values(name=name))


class Chat:
    """What people have written at the tables of a store."""

    def __init__(self, database: Database, notices: Notices) -> None:
        self._database, self._notices = database, notices

    def add(self, table_id: str, room: str, holder: str, name: str, text: str) -> None:
        """Stores a new line, and notifies other processes of it. Deletes lines that are too old.

        Args:
            table_id: id of the table.
            room: "players" or "watchers", the people who read the line, see `ChatLine`.
            holder: text that identifies the writer, as in `Seat.holder`.
            name: the writer's name.
            text: the line.

        Raises:
            LapilliError: there is no such table, or the writer has written too many lines in the last seconds.
        """

        def add(connection: Connection) -> None:
            _add(connection, table_id, room, holder, name, text)
            self._notices.send(connection, [table_id])

        self._database.write(add)

    def listed(self, table_id: str, after: int = 0) -> list[ChatLine]:
        """Returns the latest lines of a table (200 at most), the oldest first; only lines whose id is above `after`."""
        return self._database.read(lines_of, table_id, after)

    def report(self, table_id: str, line: int, reporter: str) -> bool:
        """Marks a line as reported, so that the site's owners see it.

        Args:
            table_id: id of the table.
            line: id of the line.
            reporter: text that identifies the reporter, as in `Seat.holder`.

        Returns:
            False if the table has no such line, or if the reporter wrote the line.
        """
        return self._database.write(_report, table_id, line, reporter)

    def reported(self) -> list[ReportedLine]:
        """Returns the latest reported lines (200 at most), the latest first, each with some lines before it."""
        return self._database.read(_reported)

    def settle(self, line: int, *, remove: bool) -> ChatLine | None:
        """Closes the report of a line, so that it no longer appears in the list of reported lines.

        `line`: id of the line. `remove`: whether to delete the line, too.

        Returns the line; None if no line with this id is reported.
        """
        return self._database.write(_settle, line, remove)

    def rename(self, holder: str, name: str) -> None:
        """Replaces the name of the writer `holder` in all lines by `name`."""
        self._database.write(_rename, holder, name)

    def forget(self, holder: str) -> None:
        """Deletes all lines of the writer `holder`.

        The lines that this person has reported stay reported, but the person's name is deleted from the reports.
        """
        self._database.write(_forget, holder)
