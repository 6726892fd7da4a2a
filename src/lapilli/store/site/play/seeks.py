"""Stores seeks (offers to play), and the names of the members who are online."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Column, Connection, Double, Index, Integer, Row, Table, Text, delete, func, or_, select, update

from lapilli.core.errors import LapilliError
from lapilli.store.database import Database
from lapilli.store.site.correspondence.facts import LIVE
from lapilli.store.site.facts import MAX_SEEKS, Seek
from lapilli.store.site.people.tables import site_users
from lapilli.store.site.play.tables import add_table
from lapilli.store.site.shared.installed import is_installed
from lapilli.store.site.shared.notices import Notices
from lapilli.store.statements import insert_into, now
from lapilli.store.tables import metadata

site_seeks = Table(
    "site_seeks",
    metadata,
    Column("id", Text, primary_key=True),
    Column("holder", Text, nullable=False),
    Column("account", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("game", Text, nullable=False),
    Column("clock", Text, nullable=False),
    Column("rated", Integer, nullable=False),
    Column("rating", Double, nullable=False),
    Column("low", Integer, nullable=False),
    Column("high", Integer, nullable=False),
    Column("quick", Integer, nullable=False),
    Column("created", Double, nullable=False),
    Column("expires", Double, nullable=False),
    Column("table_id", Text, nullable=False, default=""),
    Column("kind", Text, nullable=False, default=LIVE, server_default=LIVE),
    Index("site_seeks_by_account", "account"),
)

site_online = Table(
    "site_online",
    metadata,
    Column("account", Text, primary_key=True),
    Column("expires", Double, nullable=False),
)

_LISTED = 200
"""Largest number of seeks and of members in a list."""
_LONGEST_S = 8 * 86_400.0
"""Longest possible time until a seek expires, in seconds. If more time is left, the clock was set back meanwhile."""
_KEPT_S = 30.0
"""Time for which an accepted seek stays stored, in seconds. In this time, its holder's page can read the table's id."""


def _add(connection: Connection, seek: Seek, lasts: float) -> None:
    time = now(connection)
    connection.execute(select(site_users.c.id).where(site_users.c.id == seek.account).with_for_update())
    # If a seek expires too late, the clock was set back after the seek was stored.
    is_past, is_too_late = site_seeks.c.expires < time, site_seeks.c.expires > time + _LONGEST_S
    is_matched = (site_seeks.c.holder == seek.holder) & (site_seeks.c.table_id != "")
    connection.execute(delete(site_seeks).where(or_(is_past, is_too_late, is_matched)))
    if seek.quick:
        connection.execute(delete(site_seeks).where(site_seeks.c.holder == seek.holder, site_seeks.c.quick == 1))
    waiting = select(func.count()).select_from(site_seeks)
    waiting = waiting.where(site_seeks.c.account == seek.account, site_seeks.c.table_id == "")
    if connection.execute(waiting).scalar_one() >= MAX_SEEKS:
        raise LapilliError(f"you wait for {MAX_SEEKS} matches already, the maximum: withdraw one first")
    row = {field: getattr(seek, field) for field in seek.__struct_fields__}
    times = {"created": time, "expires": time + lasts, "rated": int(seek.rated), "quick": int(seek.quick)}
    connection.execute(site_seeks.insert().values(row | times))


def _listed(connection: Connection) -> list[Seek]:
    conditions = site_seeks.c.table_id == "", is_installed(site_seeks.c.game)
    query = select(site_seeks).where(*conditions, site_seeks.c.expires >= now(connection))
    return [_seek_of(row) for row in connection.execute(query.order_by(site_seeks.c.created).limit(_LISTED))]


def _of(connection: Connection, holder: str, account: str) -> list[Seek]:
    conditions = site_seeks.c.account == account, site_seeks.c.holder == holder, is_installed(site_seeks.c.game)
    query = select(site_seeks).where(*conditions, site_seeks.c.expires >= now(connection))
    return [_seek_of(row) for row in connection.execute(query.order_by(site_seeks.c.created))]


def _accept(
    connection: Connection, seek_id: str, holder: str, table_id: str, plan: Mapping[str, Any], own_id: str
) -> bool:
    time, wanted = now(connection), [seek_id, own_id] if own_id else [seek_id]
    query = select(site_seeks).where(site_seeks.c.id.in_(wanted), site_seeks.c.table_id == "")
    query = query.order_by(site_seeks.c.id).with_for_update()  # the order prevents deadlocks
    found = {row.id: row for row in connection.execute(query) if row.expires >= time}
    if len(found) < len(wanted):
        return False
    seek = found[seek_id]
    add_table(connection, table_id, seek.game, plan)
    connection.execute(
        update(site_seeks).where(site_seeks.c.id == seek_id).values(table_id=table_id, expires=time + _KEPT_S)
    )
    others = site_seeks.c.holder.in_([holder, seek.holder]) & (site_seeks.c.kind == LIVE)
    gone = (site_seeks.c.id == own_id) | others if seek.kind == LIVE else site_seeks.c.id == own_id
    connection.execute(delete(site_seeks).where(site_seeks.c.table_id == "", gone))
    return True


def _withdraw(connection: Connection, holder: str, seek_id: str) -> bool:
    conditions = [site_seeks.c.holder == holder]
    if seek_id:
        conditions.append(site_seeks.c.id == seek_id)
    return connection.execute(delete(site_seeks).where(*conditions)).rowcount > 0


def _report(connection: Connection, accounts: Collection[str], holders: Collection[str], lasts: float) -> None:
    time = now(connection)
    connection.execute(delete(site_online).where(site_online.c.expires < time))
    for account in sorted(accounts):
        upsert = insert_into(connection, site_online).values(account=account, expires=time + lasts)
        connection.execute(upsert.on_conflict_do_update(index_elements=["account"], set_={"expires": time + lasts}))
    waiting = site_seeks.c.holder.in_(list(holders)), site_seeks.c.table_id == "", site_seeks.c.expires >= time
    connection.execute(update(site_seeks).where(*waiting, site_seeks.c.kind == LIVE).values(expires=time + lasts))


def _online(connection: Connection) -> list[str]:
    query = select(site_users.c.name).join(site_online, site_online.c.account == site_users.c.id)
    by_name = site_users.c.folded.concat("")  # not the column itself: SQLite would read all members in its order
    query = query.where(site_online.c.expires >= now(connection)).order_by(by_name).limit(_LISTED)
    return list(connection.execute(query).scalars())


def _forget(connection: Connection, account: str) -> None:
    for table in (site_seeks, site_online):
        connection.execute(delete(table).where(table.c.account == account))


def _seek_of(row: Row[Any]) -> Seek:
    columns = dict(row._mapping)
    del columns["expires"]
    return Seek(**columns | {"rated": bool(row.rated), "quick": bool(row.quick)})


class Seeks:
    """The seeks (open offers to play) in a store, and the members who are online."""

    def __init__(self, database: Database, notices: Notices) -> None:
        self._database, self._notices = database, notices

    def add(self, seek: Seek, lasts: float) -> None:
        """Stores a new seek (an offer to play), which expires after `lasts` seconds.

        A quick seek (`Seek.quick`) replaces an earlier quick seek of the same person or program.

        Raises:
            LapilliError: the account has MAX_SEEKS open seeks.
        """
        self._database.write(_add, seek, lasts)

    def listed(self) -> list[Seek]:
        """Returns up to 200 open seeks (offers to play that nobody has accepted yet), the oldest first."""
        return self._database.read(_listed)

    def of(self, holder: str, account: str) -> list[Seek]:
        """Returns the seeks (offers to play) of a person or program, the oldest first.

        A seek that somebody has accepted is returned for 30 more seconds.

        Args:
            holder: text that identifies the person or program, see `ACCOUNT`.
            account: id of the account to which the person or program belongs.
        """
        return self._database.read(_of, holder, account)

    def accept(self, seek_id: str, holder: str, table_id: str, plan: Mapping[str, Any], own_id: str = "") -> bool:
        """Accepts a seek (an offer to play): opens a table for its match, in one transaction.

        If it is a live match, all other open seeks of live matches of both players are withdrawn.

        Args:
            seek_id: id of the seek.
            holder: the person or program that accepts the seek.
            table_id: id of the new table.
            plan: plan of the new table.
            own_id: id of a seek of the holder that must still be open, too; "" for none.

        Returns:
            Whether the table was opened. False, and nothing is changed, if one of the two seeks is no longer open.
        """
        return self._database.write(self._accept, seek_id, holder, table_id, plan, own_id)

    def withdraw(self, holder: str, seek_id: str = "") -> bool:
        """Deletes a seek (an offer to play) of the person or program `holder`; all its seeks if `seek_id` is "".

        Returns False if there is no such seek.
        """
        return self._database.write(_withdraw, holder, seek_id)

    def report(self, accounts: Collection[str], holders: Collection[str], lasts: float) -> None:
        """Reports that accounts are online, and that people and programs still wait for an opponent.

        Args:
            accounts: ids of the accounts.
            holders: texts that identify the people and programs who wait, see `ACCOUNT`.
            lasts: time for which the report is valid, in seconds. After this time the accounts count as offline, and
                the holders' open seeks of live matches expire, unless there is a new report.
        """
        self._database.write(_report, accounts, holders, lasts)

    def online(self) -> list[str]:
        """Returns the names of up to 200 members who are online, sorted."""
        return self._database.read(_online)

    def forget(self, account: str) -> None:
        """Deletes an account's seeks (offers to play), and the report that the account is online."""
        self._database.write(_forget, account)

    def _accept(
        self, connection: Connection, seek_id: str, holder: str, table_id: str, plan: Mapping[str, Any], own_id: str
    ) -> bool:
        """Opens a table for a seek (an offer to play), and notifies other processes of the table.

        Implements `accept`, with the same arguments and the same result.
        """
        is_accepted = _accept(connection, seek_id, holder, table_id, plan, own_id)
        if is_accepted:
            self._notices.send(connection, [table_id])
        return is_accepted
