"""The database tables of accounts, sessions and invitations."""

from __future__ import annotations

from sqlalchemy import Column, Double, ForeignKey, Index, RowMapping, Table, Text

from lapilli.store.site.people.facts import Account
from lapilli.store.tables import metadata

site_users = Table(
    "site_users",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("folded", Text, nullable=False, unique=True),  # computed from the name; equal for names that look alike
    Column("password", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("seen", Double, nullable=False),
    Column("suspended", Double, nullable=False, default=0, server_default="0"),  # end of the suspension; 0 for none
    Column("reason", Text, nullable=False, default="", server_default=""),  # reason for the suspension
)

site_sessions = Table(
    "site_sessions",
    metadata,
    Column("key", Text, primary_key=True),
    Column("user_id", Text, ForeignKey("site_users.id"), nullable=False),
    Column("created", Double, nullable=False),
    Column("seen", Double, nullable=False),
    Column("expires", Double, nullable=False),
    Index("site_sessions_by_user", "user_id"),
)

site_invitations = Table(
    "site_invitations",
    metadata,
    Column("key", Text, primary_key=True),
    Column("role", Text, nullable=False),
    Column("user_id", Text, nullable=False, default=""),  # account that gets a new password; "" for a new account
    Column("made_by", Text, nullable=False, default=""),
    Column("expires", Double, nullable=False),
    Column("used_by", Text, nullable=False, default=""),
)


def account_of(columns: RowMapping, prefix: str = "") -> Account:
    """Returns the account in a row of a query. `prefix`: text before the names of the account's columns."""
    fields = ("id", "name", "password", "role", "created", "seen", "suspended", "reason")
    return Account(**{field: columns[prefix + field] for field in fields})
