"""Stores the sessions of people who are signed in. `People` calls these functions in a transaction."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, delete, select, update

from lapilli.store.site.people.facts import Session
from lapilli.store.site.people.tables import account_of, site_sessions, site_users
from lapilli.store.statements import now

_ACCOUNT = [column.label(f"account_{column.name}") for column in site_users.c]
_SESSIONS = select(site_sessions, *_ACCOUNT).join(site_users, site_users.c.id == site_sessions.c.user_id)


def start(connection: Connection, key: str, account_id: str, password: str, lasts: float, most: int) -> bool:
    """Starts a session of an account, unless its password was changed. Implements `People.start`.

    Args:
        connection: the connection.
        key: hash of the session's secret.
        account_id: id of the account.
        password: the password hash that was stored when the password was checked.
        lasts: time after the last visit for which the session is valid, in seconds.
        most: largest number of sessions of the account. If there are more, the least recently used sessions end.

    Returns:
        Whether the session was started.
    """
    time, table = now(connection), site_sessions
    conditions = site_users.c.id == account_id, site_users.c.password == password
    if connection.execute(select(site_users.c.id).where(*conditions).with_for_update()).first() is None:
        return False
    connection.execute(delete(table).where(table.c.expires <= time))
    older = select(table.c.key).where(table.c.user_id == account_id).order_by(table.c.seen.desc()).offset(most - 1)
    surplus = list(connection.execute(older).scalars())
    connection.execute(delete(table).where(table.c.key.in_(surplus)))
    row = {"key": key, "user_id": account_id, "created": time, "seen": time, "expires": time + lasts}
    connection.execute(table.insert().values(row))
    connection.execute(update(site_users).where(site_users.c.id == account_id).values(seen=time))
    return True


def by_key(connection: Connection, key: str, time: float) -> Session | None:
    """Returns the session with this key; None if no such session is valid at `time`, in seconds since 1970."""
    row = connection.execute(_SESSIONS.where(site_sessions.c.key == key, site_sessions.c.expires > time)).one_or_none()
    return None if row is None else _session_of(row)


def of_account(connection: Connection, account_id: str) -> list[Session]:
    """Returns the valid sessions of an account, the most recently used session first."""
    conditions = site_sessions.c.user_id == account_id, site_sessions.c.expires > now(connection)
    return [
        _session_of(row)
        for row in connection.execute(_SESSIONS.where(*conditions).order_by(site_sessions.c.seen.desc()))
    ]


def note_use(connection: Connection, session: Session, lasts: float) -> None:
    """Stores that a session was used now; it then ends `lasts` seconds from now."""
    time = now(connection)
    connection.execute(
        update(site_sessions).where(site_sessions.c.key == session.key).values(seen=time, expires=time + lasts)
    )
    connection.execute(update(site_users).where(site_users.c.id == session.account.id).values(seen=time))


def end(connection: Connection, key: str) -> None:
    """Ends the session with this key."""
    connection.execute(delete(site_sessions).where(site_sessions.c.key == key))


def end_all(connection: Connection, account_id: str) -> list[str]:
    """Ends all sessions of an account, and returns their keys."""
    condition = site_sessions.c.user_id == account_id
    keys = list(connection.execute(select(site_sessions.c.key).where(condition)).scalars())
    connection.execute(delete(site_sessions).where(condition))
    return keys


def _session_of(row: Row[Any]) -> Session:
    columns = row._mapping
    times = {field: columns[field] for field in ("key", "created", "seen", "expires")}
    return Session(account=account_of(columns, "account_"), **times)
