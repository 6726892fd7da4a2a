"""Stores people's mail addresses, and finds the people who should get a mail because a turn waits for them."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Double,
    ForeignKey,
    Integer,
    Table,
    Text,
    delete,
    literal,
    or_,
    select,
    update,
)

from lapilli.store.database import Database
from lapilli.store.site.correspondence.facts import DAY_S
from lapilli.store.site.correspondence.tables import site_turns, site_vacations
from lapilli.store.site.facts import ACCOUNT
from lapilli.store.site.people.facts import DueMail, MailAddress
from lapilli.store.site.people.tables import site_users
from lapilli.store.site.play.seeks import site_online
from lapilli.store.site.play.tables import site_tables
from lapilli.store.site.shared.installed import is_installed
from lapilli.store.statements import insert_into, now
from lapilli.store.tables import metadata

EVERY_S = 3600.0
"""Shortest time between two mails to the same person, in seconds."""
SOON_S = 300.0
"""A mail about a turn is sent only after the turn has waited for the person for this time, in seconds."""

site_mails = Table(
    "site_mails",
    metadata,
    Column("account", Text, ForeignKey("site_users.id"), primary_key=True),
    Column("address", Text, nullable=False),
    Column("confirmed", Integer, nullable=False),
    Column("key", Text, nullable=False),  # hash of the secret in the link that confirms the address
    Column("asked", Double, nullable=False),  # time when that link was sent
    Column("mailed", Double, nullable=False),  # time of the last mail about matches; 0 for none
)


def _ask(connection: Connection, account: str, address: str, key: str) -> None:
    values = {"address": address, "confirmed": 0, "key": key, "asked": now(connection)}
    upsert = insert_into(connection, site_mails).values(values | {"account": account, "mailed": 0.0})
    connection.execute(upsert.on_conflict_do_update(index_elements=["account"], set_=values))


def _confirm(connection: Connection, key: str, lasts: float) -> bool:
    conditions = site_mails.c.key == key, site_mails.c.confirmed == 0, site_mails.c.asked > now(connection) - lasts
    return connection.execute(update(site_mails).where(*conditions).values(confirmed=1)).rowcount > 0


def _of(connection: Connection, account: str) -> MailAddress | None:
    row = connection.execute(select(site_mails).where(site_mails.c.account == account)).one_or_none()
    return None if row is None else MailAddress(row.address, bool(row.confirmed))


def _remove(connection: Connection, account: str) -> None:
    connection.execute(delete(site_mails).where(site_mails.c.account == account))


def _due(connection: Connection, most: int) -> list[DueMail]:
    time, holder = now(connection), literal(ACCOUNT) + site_mails.c.account
    is_new = site_turns.c.since > site_mails.c.mailed
    is_short = (site_turns.c.deadline < time + DAY_S) & (site_turns.c.deadline - DAY_S > site_mails.c.mailed)
    has_waited = site_turns.c.since < time - SOON_S
    waits = site_turns.c.holder == holder, site_turns.c.asked == 1, has_waited, or_(is_new, is_short)
    of_turn = site_tables.c.id == site_turns.c.table_id, is_installed(site_tables.c.game)
    conditions: tuple[ColumnElement[bool], ...] = (
        site_mails.c.confirmed == 1,
        site_mails.c.mailed < time - EVERY_S,
        select(site_turns.c.player).where(*waits, *of_turn).exists(),
        ~select(site_online.c.account)
        .where(site_online.c.account == site_mails.c.account, site_online.c.expires >= time)
        .exists(),
        ~select(site_vacations.c.holder)
        .where(site_vacations.c.holder == holder, site_vacations.c.until > time)
        .exists(),
    )
    query = select(site_mails, site_users.c.name).join(site_users, site_users.c.id == site_mails.c.account)
    rows = connection.execute(query.where(*conditions).order_by(site_mails.c.mailed).limit(most))
    return [DueMail(row.account, row.name, row.address, row.mailed) for row in rows]


def _claim(connection: Connection, due: DueMail) -> bool:
    is_unchanged = site_mails.c.account == due.account, site_mails.c.mailed == due.mailed
    return connection.execute(update(site_mails).where(*is_unchanged).values(mailed=now(connection))).rowcount > 0


def _release(connection: Connection, due: DueMail) -> None:
    connection.execute(update(site_mails).where(site_mails.c.account == due.account).values(mailed=due.mailed))


class Mails:
    """The mail addresses in a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def ask(self, account: str, address: str, key: str) -> None:
        """Stores a new address for an account, in place of the old one. It must be confirmed before it is used.

        Args:
            account: id of the account.
            address: the address.
            key: hash of the secret in the link that confirms it.
        """
        self._database.write(_ask, account, address, key)

    def confirm(self, key: str, lasts: float) -> bool:
        """Confirms an address, if the link that confirms it was sent at most `lasts` seconds ago.

        `key`: hash of the secret in this link. Returns False if there is no such address, or if it is confirmed
        already.
        """
        return self._database.write(_confirm, key, lasts)

    def of(self, account: str) -> MailAddress | None:
        """Returns the address of an account; None if there is none."""
        return self._database.read(_of, account)

    def remove(self, account: str) -> None:
        """Deletes the address of an account."""
        self._database.write(_remove, account)

    def due(self, most: int = 50) -> list[DueMail]:
        """Returns up to `most` people who should get a mail now. A person whose last mail is the oldest comes first.

        A person gets a mail when a turn has waited for some minutes, and a second mail when less than a day is left for
        the turn. People who are online or on vacation, or who got a mail in the last hour, are left out.
        """
        return self._database.read(_due, most)

    def claim(self, due: DueMail) -> bool:
        """Reserves a mail for the caller, who then sends it. Returns False if another process is sending it already.

        `due`: the mail, one of those that the method `due` returned.
        """
        return self._database.write(_claim, due)

    def release(self, due: DueMail) -> None:
        """Takes back a call of `claim`, because the mail could not be sent. The method `due` then lists it again."""
        self._database.write(_release, due)
