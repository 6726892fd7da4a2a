"""The class `People`, and the functions with which it stores accounts: names, password hashes and roles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, delete, func, or_, select, update
from sqlalchemy.exc import IntegrityError

from lapilli.store.database import Database
from lapilli.store.results import ascii_json
from lapilli.store.site.facts import SiteTable
from lapilli.store.site.people import invitations, sessions
from lapilli.store.site.people.facts import Account, Invitation, Session
from lapilli.store.site.people.tables import account_of, site_invitations, site_sessions, site_users
from lapilli.store.site.play.tables import site_tables, table_of
from lapilli.store.statements import insert_into, now

OWNER = "owner"
_SEEN_S = 600.0
"""Shortest time between two updates of the stored time of a person's last visit, in seconds."""


def _add(connection: Connection, account_id: str, name: str, folded: str, password: str, role: str) -> bool:
    time = now(connection)
    row = {"id": account_id, "name": name, "folded": folded, "password": password, "role": role}
    inserted = insert_into(connection, site_users).values(row | {"created": time, "seen": time})
    added = inserted.on_conflict_do_nothing().returning(site_users.c.id)
    return connection.execute(added).first() is not None


def _join(connection: Connection, key: str, account_id: str, name: str, folded: str, password: str) -> str:
    """Creates an account for an invited person. Implements `People.join`.

    Args:
        connection: the connection.
        key: hash of the secret in the invitation's link.
        account_id: id of the new account.
        name: display name.
        folded: a form of the name that is equal for names that look alike.
        password: hash of the password.

    Returns:
        "" on success; "taken" if the name is taken; "gone" if the invitation is not valid.
    """
    invitation = invitations.by_key(connection, key)
    if invitation is None or invitation.account_id:
        return "gone"
    if not invitations.use_up(connection, key, account_id):  # another process was faster
        return "gone"
    if not _add(connection, account_id, name, folded, password, invitation.role):
        invitations.give_back(connection, key)
        return "taken"
    return ""


def _account_by(connection: Connection, column: str, value: str) -> Account | None:
    row = connection.execute(select(site_users).where(site_users.c[column] == value)).one_or_none()
    return None if row is None else account_of(row._mapping)


def _listed(connection: Connection, folded: str, most: int) -> list[Account]:
    query = select(site_users).order_by(site_users.c.folded).limit(most)
    if folded:
        query = query.where(site_users.c.folded.startswith(folded, autoescape=True))
    return [account_of(row._mapping) for row in connection.execute(query)]


def _count(connection: Connection, role: str) -> int:
    query = select(func.count()).select_from(site_users)
    return int(connection.execute(query.where(site_users.c.role == role) if role else query).scalar_one())


def _rename(connection: Connection, account_id: str, name: str, folded: str) -> bool:
    try:
        with connection.begin_nested():  # somebody else may choose the same name at the same moment
            connection.execute(update(site_users).where(site_users.c.id == account_id).values(name=name, folded=folded))
    except IntegrityError:
        return False
    return True


def _set_password(connection: Connection, account_id: str, password: str, invitation: str) -> list[str] | None:
    if invitation and not invitations.use_up(connection, invitation, account_id):
        return None
    connection.execute(update(site_users).where(site_users.c.id == account_id).values(password=password))
    return sessions.end_all(connection, account_id)


def _rehash(connection: Connection, account_id: str, before: str, password: str) -> None:
    conditions = site_users.c.id == account_id, site_users.c.password == before
    connection.execute(update(site_users).where(*conditions).values(password=password))


def _is_last_owner(connection: Connection, account_id: str) -> bool:
    """Returns whether this account is the only owner's. Locks all owners' accounts until the transaction ends."""
    owners = select(site_users.c.id).where(site_users.c.role == OWNER).order_by(site_users.c.id).with_for_update()
    return list(connection.execute(owners).scalars()) == [account_id]


def _appoint(connection: Connection, account_id: str, role: str) -> bool:
    if role != OWNER and _is_last_owner(connection, account_id):
        return False
    values: dict[str, Any] = {"role": role}
    if role == OWNER:
        values |= {"suspended": 0.0, "reason": ""}
    connection.execute(update(site_users).where(site_users.c.id == account_id).values(values))
    return True


def _suspend(connection: Connection, account_id: str, until: float, reason: str) -> bool:
    is_member = site_users.c.id == account_id, site_users.c.role != OWNER
    values = {"suspended": until, "reason": reason}
    return connection.execute(update(site_users).where(*is_member).values(values)).rowcount > 0


def _remove(connection: Connection, account_id: str) -> bool:
    if _is_last_owner(connection, account_id):
        return False
    connection.execute(delete(site_sessions).where(site_sessions.c.user_id == account_id))
    columns = site_invitations.c
    conditions = (columns.made_by == account_id) | (columns.user_id == account_id)
    connection.execute(delete(site_invitations).where(conditions))
    connection.execute(delete(site_users).where(site_users.c.id == account_id))
    return True


# -- data about people in other tables


def _tables_of(connection: Connection, holder: str, after: str, most: int) -> list[SiteTable]:
    fragments = [ascii_json({key: holder})[1:-1] for key in ("holder", "member", "bot")]
    names_holder = or_(*(site_tables.c.plan.contains(fragment, autoescape=True) for fragment in fragments))
    query = select(site_tables).where(names_holder, site_tables.c.id > after).order_by(site_tables.c.id).limit(most)
    return [table_of(row) for row in connection.execute(query)]


def _rewrite(connection: Connection, table_id: str, plan: Mapping[str, Any], record: bytes | None) -> None:
    values: dict[str, Any] = {"plan": ascii_json(plan)} | ({} if record is None else {"record": record})
    connection.execute(update(site_tables).where(site_tables.c.id == table_id).values(values))


class People:
    """The accounts in a store, with their sessions and invitations.

    Many methods take keys and folded names, which the caller computes. A key is the hash of a secret. A folded name is
    a form of a name that is equal for names that look alike.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, account_id: str, name: str, folded: str, password: str, role: str) -> bool:
        """Creates an account.

        Args:
            account_id: id of the new account.
            name: display name.
            folded: a form of the name that is equal for names that look alike.
            password: hash of the password.
            role: "member" or "owner".

        Returns:
            Whether the account was created: False, and nothing is changed, if the name is taken.
        """
        return self._database.write(_add, account_id, name, folded, password, role)

    def join(self, invitation: str, account_id: str, name: str, folded: str, password: str) -> str:
        """Creates an account for an invited person.

        Args:
            invitation: hash of the secret in the invitation's link.
            account_id: id of the new account.
            name: display name.
            folded: a form of the name that is equal for names that look alike.
            password: hash of the password.

        Returns:
            "" on success; "taken" if the name is taken; "gone" if the invitation is not valid.
        """
        return self._database.write(_join, invitation, account_id, name, folded, password)

    def get(self, account_id: str) -> Account | None:
        """Returns the account with this id; None if there is no such account."""
        return self._database.read(_account_by, "id", account_id)

    def named(self, folded: str) -> Account | None:
        """Returns the account whose name looks like a given name; None if there is no such account.

        `folded`: a form of the given name that is equal for names that look alike.
        """
        return self._database.read(_account_by, "folded", folded)

    def listed(self, folded: str = "", most: int = 100) -> list[Account]:
        """Returns up to `most` accounts whose folded names begin with `folded`, sorted by these names.

        A folded name is a form of a name that is equal for names that look alike.
        """
        return self._database.read(_listed, folded, most)

    def count(self, role: str = "") -> int:
        """Returns the number of accounts with this role, "member" or "owner"; of all accounts if `role` is ""."""
        return self._database.read(_count, role)

    def rename(self, account_id: str, name: str, folded: str) -> bool:
        """Renames an account. Returns False, and changes nothing, if the name is taken.

        `name`: the new name. `folded`: a form of this name that is equal for names that look alike.
        """
        return self._database.write(_rename, account_id, name, folded)

    def suspend(self, account_id: str, until: float, reason: str) -> bool:
        """Suspends an account.

        Args:
            account_id: id of the account.
            until: time at which the suspension ends, in seconds since 1970; 0 to end it now.
            reason: reason for the suspension, for the person.

        Returns:
            Whether the account was changed: False if it does not exist or is an owner's.
        """
        return self._database.write(_suspend, account_id, until, reason)

    def rehash(self, account_id: str, before: str, password: str) -> None:
        """Replaces an account's password hash by a hash of the same password with newer parameters.

        Args:
            account_id: id of the account.
            before: the old hash. If the stored hash is no longer this one, nothing is changed.
            password: the new hash.
        """
        self._database.write(_rehash, account_id, before, password)

    def set_password(self, account_id: str, password: str, invitation: str = "") -> list[str] | None:
        """Sets an account's password, and ends all its sessions.

        Args:
            account_id: id of the account.
            password: hash of the new password.
            invitation: hash of the secret in the link of the invitation that allows the change. The link cannot be used
                again. "" for none.

        Returns:
            The keys of the ended sessions. None, and nothing is changed, if the invitation was used or deleted.
        """
        return self._database.write(_set_password, account_id, password, invitation)

    def appoint(self, account_id: str, role: str) -> bool:
        """Sets an account's role, "member" or "owner". An account that becomes an owner's is no longer suspended.

        Returns False, and changes nothing, if the site would have no owner left.
        """
        return self._database.write(_appoint, account_id, role)

    def remove(self, account_id: str) -> bool:
        """Deletes an account with its sessions and invitations.

        Returns False, and changes nothing, if the site would have no owner left.
        """
        return self._database.write(_remove, account_id)

    def start(self, key: str, account_id: str, password: str, lasts: float, most: int) -> bool:
        """Starts a session of an account.

        Args:
            key: hash of the session's secret.
            account_id: id of the account.
            password: the password hash that was stored when the password was checked.
            lasts: time after the last visit for which the session is valid, in seconds.
            most: largest number of sessions of the account. If there are more, the least recently used sessions end.

        Returns:
            Whether the session was started. False, and nothing is changed, if the account's password was changed after
                it was checked: its stored hash is no longer `password`.
        """
        return self._database.write(sessions.start, key, account_id, password, lasts, most)

    def session(self, key: str, time: float) -> Session | None:
        """Returns the session with this key; None if no such session is valid at `time`, in seconds since 1970.

        `key`: hash of the session's secret.
        """
        return self._database.read(sessions.by_key, key, time)

    def seen(self, session: Session, time: float, lasts: float) -> None:
        """Stores that a session was used now: it then ends `lasts` seconds from now, unless it is used again before.

        Does nothing if the stored last visit is less than ten minutes before `time`, in seconds since 1970.
        """
        if time - session.seen > _SEEN_S:
            self._database.write(sessions.note_use, session, lasts)

    def sessions(self, account_id: str) -> list[Session]:
        """Returns the valid sessions of an account, the most recently used session first."""
        return self._database.read(sessions.of_account, account_id)

    def end(self, key: str) -> None:
        """Ends the session with this key, the hash of its secret."""
        self._database.write(sessions.end, key)

    def end_all(self, account_id: str) -> list[str]:
        """Ends all sessions of an account, and returns their keys."""
        return self._database.write(sessions.end_all, account_id)

    def invite(self, key: str, role: str, lasts: float, *, account_id: str = "", made_by: str = "") -> None:
        """Creates an invitation.

        A new invitation by the site itself deletes earlier unused invitations by the site. A new invitation to change
        an account's password deletes earlier unused invitations for this account by the same person.

        Args:
            key: hash of the link's secret.
            role: role of the new account.
            lasts: time for which the invitation is valid, in seconds.
            account_id: id of the account whose password can be changed; "" if the invitation is for a new account.
            made_by: id of the account that invites; "" for the site itself.
        """
        self._database.write(invitations.invite, key, role, account_id, made_by, lasts)

    def invitation(self, key: str) -> Invitation | None:
        """Returns the invitation with this key; None if there is no such invitation, it was used, or it has expired.

        `key`: hash of the secret in the invitation's link.
        """
        return self._database.read(invitations.by_key, key)

    def open_invitations(self) -> int:
        """Returns the number of valid invitations for new accounts."""
        return self._database.read(invitations.number_open)

    def withdraw(self) -> None:
        """Deletes all unused invitations, for new accounts and for passwords."""
        self._database.write(invitations.withdraw)

    def tables_of(self, holder: str, after: str = "", most: int = 50) -> list[SiteTable]:
        """Returns the tables at which a person or bot has a seat, or at which a seat is reserved for the person.

        Args:
            holder: text that identifies the person in plans, see `ACCOUNT`; or the bot's id.
            after: only tables with ids above this one are returned. Tables are sorted by id.
            most: largest number of tables.
        """
        return self._database.read(_tables_of, holder, after, most)

    def rewrite(self, table_id: str, plan: Mapping[str, Any], record: bytes | None) -> None:
        """Replaces a table's plan and, unless `record` is None, its record.

        The stored time of the table's last change stays the same.
        """
        self._database.write(_rewrite, table_id, plan, record)
