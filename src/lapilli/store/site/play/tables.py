"""The database table of the site's tables: their plans, and the records of finished matches."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Double,
    Index,
    Integer,
    LargeBinary,
    Row,
    Table,
    Text,
    and_,
    case,
    delete,
    func,
    or_,
    select,
    text,
    update,
)

from lapilli.core.errors import LapilliError
from lapilli.store.results import ascii_json
from lapilli.store.site.correspondence.facts import CORRESPONDENCE, kind_of
from lapilli.store.site.correspondence.tables import look_at
from lapilli.store.site.facts import ACCOUNT, GUEST, PROGRAM, SiteTable
from lapilli.store.site.shared.installed import is_installed
from lapilli.store.statements import insert_into, now
from lapilli.store.tables import metadata

site_tables = Table(
    "site_tables",
    metadata,
    Column("id", Text, primary_key=True),
    Column("game", Text, nullable=False),
    Column("plan", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("changed", Double, nullable=False),  # time of the last change, such as an answer
    Column("record", LargeBinary),  # None until the match is over
    Column("verdict", Text, nullable=False, default=""),
    Column("laid_by", Text, nullable=False, default="", server_default=""),  # account, or hash of a guest's address
    Column("guests", Integer, nullable=False, default=0, server_default="0"),  # 1: no account ever had a seat
    Column("seen", Double, nullable=False, default=0, server_default="0"),  # time when somebody last had the table open
    Column("slow", Integer, nullable=False, default=0, server_default="0"),  # 1: a correspondence match that has begun
    Index("site_tables_by_change", "changed"),
    Index("site_tables_of_guests", "guests", "laid_by"),
)
_IS_LISTED = and_(site_tables.c.record.is_(None), site_tables.c.slow == text("0"))
Index("site_tables_live", site_tables.c.changed, sqlite_where=_IS_LISTED, postgresql_where=_IS_LISTED)

NO_TABLE = "there is no such table in the store"
_CONSIDERED = 2000
"""Number of the most recently changed tables from which `Matches.listed` selects the tables of its list."""
_DROPPED = 200
"""Largest number of the site's tables that one transaction deletes, so that other writers do not wait for long."""
_OF_A_TABLE = (
    ("site_answers", "table_id"),
    ("site_drivers", "table_id"),
    ("site_analyses", "match"),
    ("site_chat", "table_id"),
    ("site_turns", "table_id"),
    ("site_dues", "table_id"),
    ("site_planned", "table_id"),
    ("site_results", "table_id"),  # a bot of an account has results against guests
    ("site_tables", "id"),
)
"""The database tables that contain data about a table of the site, each with the column that contains the id of the
site's table. The data is deleted in this order.
"""


def add_table(connection: Connection, table_id: str, game: str, plan: Mapping[str, Any]) -> None:
    """Adds a table of the site with this plan. Does nothing if a table with this id exists.

    If it is a correspondence match and all seats are taken, the site checks it at once, to start the clocks.
    """
    time = now(connection)
    row = {"id": table_id, "game": game, "plan": ascii_json(plan), "created": time, "changed": time, "seen": time}
    owned = {"laid_by": plan.get("laid_by", ""), "guests": int(_is_guests(plan)), "verdict": ""}
    begins = int(kind_of(plan) == CORRESPONDENCE and _is_ready(plan))
    added = insert_into(connection, site_tables).values(row | owned | {"slow": begins}).on_conflict_do_nothing()
    if connection.execute(added.returning(site_tables.c.id)).scalar() is not None and begins:
        look_at(connection, table_id, time)


def _is_ready(plan: Mapping[str, Any]) -> bool:
    """Returns whether all seats in a table's plan are taken."""
    return all(seat.get("holder") or seat.get("engine") or seat.get("bot") for seat in plan["seats"])


def _is_guests(plan: Mapping[str, Any]) -> bool:
    """Returns whether a table belongs to guests alone, according to its plan.

    This is so if a guest created the table, and no account has a seat there or an invitation to a seat.
    """
    holders = [seat.get(key, "") for seat in plan["seats"] for key in ("holder", "member")]
    return plan.get("laid_by", "").startswith(GUEST) and not any(
        holder.startswith((ACCOUNT, PROGRAM)) for holder in holders
    )


def _locked_plan(connection: Connection, table_id: str) -> dict[str, Any]:
    """Returns a table's plan, which nobody else can change until the end of the transaction.

    Raises LapilliError if there is no such table.
    """
    query = select(site_tables.c.plan).where(site_tables.c.id == table_id).with_for_update()
    plan_json = connection.execute(query).scalar_one_or_none()
    if plan_json is None:
        raise LapilliError(NO_TABLE)
    plan: dict[str, Any] = json.loads(plan_json)
    return plan


def amend_plan(connection: Connection, table_id: str, change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """Changes a table's plan with the function `change`, and returns the new plan. Implements `Matches.amend`."""
    plan = _locked_plan(connection, table_id)
    change(plan)
    change_table(connection, table_id, plan=ascii_json(plan))
    if not _is_guests(plan):  # the column stays 0 even if the account leaves its seat later
        connection.execute(update(site_tables).where(site_tables.c.id == table_id).values(guests=0))
    return plan


def table_with(connection: Connection, table_id: str) -> SiteTable | None:
    """Returns the table with this id; None if there is no such table."""
    row = connection.execute(select(site_tables).where(site_tables.c.id == table_id)).one_or_none()
    return None if row is None else table_of(row)


def listed_tables(connection: Connection, over: bool, most: int) -> list[SiteTable]:
    """Returns up to `most` tables of the site without their records. Implements `Matches.listed`.

    If `over` is true, the matches of these tables are finished, otherwise unfinished.
    """
    is_over = site_tables.c.record.is_not(None) if over else _IS_LISTED
    latest = select(site_tables.c.id, site_tables.c.changed, site_tables.c.laid_by)
    latest = (
        latest.where(is_over, is_installed(site_tables.c.game))
        .order_by(site_tables.c.changed.desc())
        .limit(max(_CONSIDERED, most))
    )
    candidates = latest.subquery()
    place = (
        func.row_number().over(partition_by=candidates.c.laid_by, order_by=candidates.c.changed.desc()).label("place")
    )
    ranked = select(candidates.c.id, place).subquery()
    columns = [column for column in site_tables.c if column.name != "record"]
    query = select(*columns).join(ranked, ranked.c.id == site_tables.c.id)
    query = query.order_by(ranked.c.place, site_tables.c.changed.desc()).limit(most)
    return [table_of(row) for row in connection.execute(query)]


def count_missing_games(connection: Connection) -> dict[str, int]:
    """Returns the number of tables of each game that is not installed. Implements `Matches.of_missing_games`."""
    query = select(site_tables.c.game, func.count()).where(~is_installed(site_tables.c.game))
    return {row[0]: row[1] for row in connection.execute(query.group_by(site_tables.c.game))}


def see_tables(connection: Connection, table_ids: Sequence[str]) -> None:
    """Stores the current time as the time of the last visit to these tables."""
    connection.execute(update(site_tables).where(site_tables.c.id.in_(table_ids)).values(seen=now(connection)))


def drop_guests(
    connection: Connection, idle_since: float, over_since: float, away_since: float, most: int
) -> list[str]:
    """Deletes guests' tables that have not been used for some time. Implements `Matches.drop_guests`.

    Times are in seconds since 1970 by the store's clock.

    Args:
        connection: the connection.
        idle_since: tables with unfinished matches are deleted if they were last used before this time.
        over_since: tables with finished matches are deleted if they were last used before this time.
        away_since: surplus tables of one client address are deleted if they were last used before this time.
        most: number of tables of one client address above which tables are surplus.

    Returns:
        The ids of the deleted tables, at most 200.
    """
    table = site_tables
    last_use = case((table.c.seen > table.c.changed, table.c.seen), else_=table.c.changed)
    old = or_(last_use < over_since, and_(table.c.record.is_(None), last_use < idle_since))
    place = func.row_number().over(partition_by=table.c.laid_by, order_by=last_use.desc()).label("place")
    ranked = select(table.c.id, place).where(table.c.guests == 1).subquery()
    beyond = select(ranked.c.id).where(ranked.c.place > most)
    surplus = and_(table.c.id.in_(beyond), last_use < away_since)
    query = select(table.c.id).where(table.c.guests == 1, or_(old, surplus)).order_by(table.c.id).limit(_DROPPED)
    ids = list(connection.execute(query.with_for_update(skip_locked=True)).scalars())
    _delete(connection, ids)
    return ids


def _delete(connection: Connection, ids: Sequence[str]) -> None:
    """Deletes tables with these ids, and all data about them."""
    for name, column in _OF_A_TABLE:
        database_table = metadata.tables[name]
        connection.execute(delete(database_table).where(database_table.c[column].in_(ids)))


def remove_table(connection: Connection, table_id: str, check: Callable[[dict[str, Any]], object]) -> None:
    """Deletes a table if `check` does not raise. Implements `Matches.remove`."""
    check(_locked_plan(connection, table_id))
    _delete(connection, [table_id])


def change_table(connection: Connection, table_id: str, **values: Any) -> None:
    """Sets columns of a table, and the time of its last change. Raises LapilliError if there is no such table.

    `values`: the new values, by column.
    """
    statement = update(site_tables).where(site_tables.c.id == table_id).values(changed=now(connection), **values)
    if connection.execute(statement.returning(site_tables.c.id)).first() is None:
        raise LapilliError(NO_TABLE)


def table_of(row: Row[Any]) -> SiteTable:
    """Returns the table in a database row. The column `record` may be missing."""
    columns = row._mapping
    return SiteTable(
        id=columns["id"],
        game=columns["game"],
        plan=json.loads(columns["plan"]),
        created=columns["created"],
        changed=columns["changed"],
        record=columns.get("record"),
        verdict=columns["verdict"],
        seen=columns["seen"],
    )
