"""Stores the tokens with which users' programs identify themselves to the site.

Only the hash of a token is stored, so that nobody can learn a token from the store.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from sqlalchemy import Column, Connection, Double, Index, Row, Table, Text, delete, select, update

from lapilli.core.errors import LapilliError
from lapilli.store.database import Database
from lapilli.store.site.facts import PROGRAM, SiteToken
from lapilli.store.site.rating.tables import site_ratings
from lapilli.store.statements import now
from lapilli.store.tables import metadata

site_tokens = Table(
    "site_tokens",
    metadata,
    Column("hash", Text, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("owner", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("scopes", Text, nullable=False),  # names separated by blanks
    Column("created", Double, nullable=False),
    Column("revoked", Double),
    Index("site_tokens_by_owner", "owner"),
)

MOST = 20
"""Largest number of valid tokens of one account."""


def _add(connection: Connection, token: str, token_id: str, owner: str, name: str, scopes: Sequence[str]) -> None:
    valid = select(site_tokens.c.owner).where(site_tokens.c.revoked.is_(None))
    if connection.execute(valid.where(site_tokens.c.name == name)).first() is not None:
        raise LapilliError(f"there is a token named {name!r}: choose another name")
    if len(connection.execute(valid.where(site_tokens.c.owner == owner)).all()) >= MOST:
        raise LapilliError(f"you have {MOST} tokens, the maximum: revoke one first")
    row = {"hash": _hash(token), "id": token_id, "owner": owner, "name": name, "scopes": " ".join(scopes)}
    connection.execute(site_tokens.insert().values(row | {"created": now(connection)}))


def _find(connection: Connection, token: str) -> SiteToken | None:
    query = select(site_tokens).where(site_tokens.c.hash == _hash(token), site_tokens.c.revoked.is_(None))
    row = connection.execute(query).one_or_none()
    return None if row is None else _token_of(row)


def _listed(connection: Connection, owner: str) -> list[SiteToken]:
    query = select(site_tokens).where(site_tokens.c.owner == owner, site_tokens.c.revoked.is_(None))
    return [_token_of(row) for row in connection.execute(query.order_by(site_tokens.c.created))]


def _named(connection: Connection, name: str) -> SiteToken | None:
    query = select(site_tokens).where(site_tokens.c.name == name, site_tokens.c.revoked.is_(None))
    row = connection.execute(query).first()
    return None if row is None else _token_of(row)


def _revoke(connection: Connection, owner: str, token_id: str) -> bool:
    conditions = site_tokens.c.owner == owner, site_tokens.c.id == token_id, site_tokens.c.revoked.is_(None)
    if connection.execute(update(site_tokens).where(*conditions).values(revoked=now(connection))).rowcount != 1:
        return False
    connection.execute(delete(site_ratings).where(site_ratings.c.subject == PROGRAM + token_id))
    return True


def _revoke_all(connection: Connection, owner: str) -> list[str]:
    of_owner = site_tokens.c.owner == owner
    connection.execute(
        update(site_tokens).where(of_owner, site_tokens.c.revoked.is_(None)).values(revoked=now(connection))
    )
    return list(connection.execute(select(site_tokens.c.id).where(of_owner)).scalars())


def _forget(connection: Connection, owner: str) -> None:
    connection.execute(delete(site_tokens).where(site_tokens.c.owner == owner))


def _hash(token: str) -> str:
    """Returns the hash of a token. A token has 256 random bits, so a slow hash would not make it safer."""
    return sha256(token.encode()).hexdigest()


def _token_of(row: Row[tuple[object, ...]]) -> SiteToken:
    columns = row._mapping
    scopes = frozenset(columns["scopes"].split())
    return SiteToken(
        id=columns["id"], owner=columns["owner"], name=columns["name"], scopes=scopes, created=columns["created"]
    )


class Tokens:
    """The tokens of users' programs, in a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, token: str, token_id: str, owner: str, name: str, scopes: Sequence[str]) -> None:
        """Stores a new token: its hash and its data.

        Args:
            token: the secret token.
            token_id: public id of the token.
            owner: id of the account.
            name: display name of the program.
            scopes: names of the program's permissions.

        Raises:
            LapilliError: a valid token has this name, or the owner has too many tokens.
        """
        self._database.write(_add, token, token_id, owner, name, scopes)

    def find(self, token: str) -> SiteToken | None:
        """Returns the data of a secret token; None if there is no such token, or it was revoked."""
        return self._database.read(_find, token)

    def named(self, name: str) -> SiteToken | None:
        """Returns the valid token with this name; None if there is no such token."""
        return self._database.read(_named, name)

    def listed(self, owner: str) -> list[SiteToken]:
        """Returns the valid tokens of the account with the id `owner`, oldest first."""
        return self._database.read(_listed, owner)

    def revoke(self, owner: str, token_id: str) -> bool:
        """Revokes a token of the account with the id `owner`, and deletes the ratings of the token's program.

        Returns False, and changes nothing, if the account has no valid token with this id.
        """
        return self._database.write(_revoke, owner, token_id)

    def revoke_all(self, owner: str) -> list[str]:
        """Revokes all tokens of the account with the id `owner`.

        Returns the ids of all tokens of the account, including tokens that were revoked earlier.
        """
        return self._database.write(_revoke_all, owner)

    def forget(self, owner: str) -> None:
        """Deletes all tokens of the account with the id `owner`."""
        self._database.write(_forget, owner)
