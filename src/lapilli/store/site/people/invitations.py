"""Stores invitations: links with which people create accounts or set passwords. `People` calls these functions in a
transaction.
"""

from __future__ import annotations

from sqlalchemy import Connection, delete, func, select, update

from lapilli.store.site.people.facts import Invitation
from lapilli.store.site.people.tables import site_invitations
from lapilli.store.statements import now


def invite(connection: Connection, key: str, role: str, account_id: str, made_by: str, lasts: float) -> None:
    """Creates an invitation, and deletes expired ones. Implements `People.invite`.

    Args:
        connection: the connection.
        key: hash of the secret in the invitation's link.
        role: role of the new account.
        account_id: id of the account whose password can be changed; "" if the invitation is for a new account.
        made_by: id of the account that invites; "" for the site itself.
        lasts: time for which the invitation is valid, in seconds.
    """
    time, table = now(connection), site_invitations
    connection.execute(delete(table).where(table.c.expires <= time))
    if account_id or not made_by:  # deletes an earlier invitation for the same purpose
        conditions = table.c.user_id == account_id, table.c.made_by == made_by, table.c.used_by == ""
        connection.execute(delete(table).where(*conditions))
    row = {"key": key, "role": role, "user_id": account_id, "made_by": made_by, "expires": time + lasts, "used_by": ""}
    connection.execute(table.insert().values(row))


def by_key(connection: Connection, key: str) -> Invitation | None:
    """Returns the invitation with this key; None if there is no such invitation, it was used, or it has expired.

    `key`: hash of the secret in the invitation's link.
    """
    table = site_invitations
    conditions = table.c.key == key, table.c.used_by == "", table.c.expires > now(connection)
    row = connection.execute(select(table).where(*conditions)).one_or_none()
    if row is None:
        return None
    return Invitation(key=row.key, role=row.role, account_id=row.user_id, made_by=row.made_by, expires=row.expires)


def number_open(connection: Connection) -> int:
    """Returns the number of valid invitations for new accounts."""
    table = site_invitations
    conditions = table.c.used_by == "", table.c.user_id == "", table.c.expires > now(connection)
    return int(connection.execute(select(func.count()).select_from(table).where(*conditions)).scalar_one())


def withdraw(connection: Connection) -> None:
    """Deletes all unused invitations."""
    connection.execute(delete(site_invitations).where(site_invitations.c.used_by == ""))


def use_up(connection: Connection, key: str, account_id: str) -> bool:
    """Marks an invitation as used by an account. `key`: hash of the secret in the invitation's link.

    Returns False, and changes nothing, if the invitation was used before or is deleted.
    """
    conditions = site_invitations.c.key == key, site_invitations.c.used_by == ""
    return connection.execute(update(site_invitations).where(*conditions).values(used_by=account_id)).rowcount == 1


def give_back(connection: Connection, key: str) -> None:
    """Marks an invitation as unused, so that it can be used again. `key`: hash of the secret in its link."""
    connection.execute(update(site_invitations).where(site_invitations.c.key == key).values(used_by=""))
