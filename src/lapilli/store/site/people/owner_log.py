"""Stores the actions of the site's owners, so that the other owners can read them. Entries are deleted after a year."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Connection, Double, Index, Integer, Table, Text, delete, select, update

from lapilli.store.database import Database
from lapilli.store.site.correspondence.facts import DAY_S
from lapilli.store.site.people.facts import OwnerAction
from lapilli.store.statements import now
from lapilli.store.tables import metadata

KEPT_DAYS = 365
"""Time for which an entry is stored, in days."""
_LISTED = 200
"""Largest number of entries in a list."""

site_owner_log = Table(
    "site_owner_log",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("at", Double, nullable=False),
    Column("owner", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("about", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Index("site_owner_log_by_time", "at"),
)


def _add(connection: Connection, owner: str, action: str, about: str, detail: str) -> None:
    time = now(connection)
    connection.execute(delete(site_owner_log).where(site_owner_log.c.at < time - KEPT_DAYS * DAY_S))
    row = {"at": time, "owner": owner, "action": action, "about": about, "detail": detail}
    connection.execute(site_owner_log.insert().values(row))


def _listed(connection: Connection) -> list[OwnerAction]:
    rows = connection.execute(select(site_owner_log).order_by(site_owner_log.c.id.desc()).limit(_LISTED))
    return [OwnerAction(**row._mapping) for row in rows]


def _forget(connection: Connection, name: str, instead: str) -> None:
    for column in ("owner", "about"):
        of_name = site_owner_log.c[column] == name
        connection.execute(update(site_owner_log).where(of_name).values({column: instead}))


class OwnerLog:
    """The log of the owners' actions, in a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, owner: str, action: str, about: str = "", detail: str = "") -> None:
        """Stores that an owner of the site did something.

        Args:
            owner: name of the owner.
            action: what the owner did, in words, such as "suspended".
            about: name of the account that the action concerned; "" for none.
            detail: further words, such as the reason of a suspension.
        """
        self._database.write(_add, owner, action, about, detail)

    def listed(self) -> list[OwnerAction]:
        """Returns the latest entries of the log (200 at most), the latest first. An entry is an action of an owner."""
        return self._database.read(_listed)

    def forget(self, name: str, instead: str) -> None:
        """Replaces the name of a deleted account in all entries by the text `instead`."""
        self._database.write(_forget, name, instead)
