"""The database tables of correspondence matches, and functions that change them in the transaction of the caller.

Each match has a time at which a process of the site checks it next: whether a clock has run out, or a bot must answer.
"""

from __future__ import annotations

from sqlalchemy import Column, Connection, Double, ForeignKey, Index, Integer, Table, Text, delete, update

from lapilli.store.statements import insert_into
from lapilli.store.tables import metadata

SOON_S = 10.0
"""Time from the storage of an answer to the next check of the match, in seconds. The check is needed only if a process
was killed after it had stored the answer, but before it had stored the next turn.
"""

site_turns = Table(
    "site_turns",
    metadata,
    Column("table_id", Text, ForeignKey("site_tables.id"), primary_key=True),
    Column("player", Integer, primary_key=True, autoincrement=False),
    Column("holder", Text, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("asked", Integer, nullable=False),  # 1: it is the player's turn
    Column("deadline", Double),  # None if it is not the player's turn
    Column("since", Double, nullable=False),
    Index("site_turns_by_holder", "holder", "asked", "deadline"),
)

site_dues = Table(
    "site_dues",
    metadata,
    Column("table_id", Text, ForeignKey("site_tables.id"), primary_key=True),
    Column("due", Double, nullable=False),  # time at which the site checks the match next
    Index("site_dues_by_time", "due"),
)

site_vacations = Table(
    "site_vacations",
    metadata,
    Column("holder", Text, primary_key=True),
    Column("year", Integer, nullable=False),
    Column("used", Double, nullable=False),  # vacation in this year, in seconds; a vacation that has begun counts fully
    Column("until", Double, nullable=False),
)

site_planned = Table(
    "site_planned",
    metadata,
    Column("table_id", Text, ForeignKey("site_tables.id"), primary_key=True),
    Column("player", Integer, primary_key=True, autoincrement=False),
    Column("reply", Text, primary_key=True),
    Column("turn", Integer, nullable=False),
    Column("then", Text, nullable=False),
    Column("words", Text, nullable=False),
)

site_sweeps = Table(
    "site_sweeps",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("at", Double, nullable=False),  # time when a process last looked for matches to check
)


def look_at(connection: Connection, table_id: str, time: float) -> None:
    """Sets the time at which a process of the site checks a correspondence match next, in seconds since 1970."""
    row = insert_into(connection, site_dues).values(table_id=table_id, due=time)
    connection.execute(row.on_conflict_do_update(index_elements=["table_id"], set_={"due": time}))


def note_answer(connection: Connection, table_id: str, player: int, time: float) -> None:
    """Stops the clock of a player who has answered in a correspondence match. Does nothing if the match is over.

    `time` is the current time, in seconds since 1970. A process of the site checks the match `SOON_S` seconds later.
    """
    of_player = site_turns.c.table_id == table_id, site_turns.c.player == player
    connection.execute(update(site_turns).where(*of_player).values(asked=0, deadline=None, since=time))
    connection.execute(update(site_dues).where(site_dues.c.table_id == table_id).values(due=time + SOON_S))


def end_turns(connection: Connection, table_id: str) -> None:
    """Deletes the deadlines and planned turns of a correspondence match, because it is over."""
    for table in (site_turns, site_dues, site_planned):
        connection.execute(delete(table).where(table.c.table_id == table_id))
