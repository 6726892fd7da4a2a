"""Data of people with accounts on a site that the store returns, as plain structs."""

from __future__ import annotations

import msgspec


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """An account.

    Attributes:
        id: permanent id, by which other data refers to the account.
        name: name for people.
        password: hash of the password, in the form of the password library.
        role: "member" or "owner".
        created: time in seconds since 1970.
        seen: time of the last visit, in seconds since 1970.
    """

    id: str
    name: str
    password: str
    role: str
    created: float
    seen: float


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A browser in which a person is signed in.

    Attributes:
        key: hash of the session's secret.
        account: the person's account.
        created: time in seconds since 1970.
        seen: time of the last visit, in seconds since 1970.
        expires: time in seconds since 1970.
    """

    key: str
    account: Account
    created: float
    seen: float
    expires: float


class Invitation(msgspec.Struct, frozen=True, kw_only=True):
    """A link that works once: it creates an account, or changes the password of one.

    Attributes:
        key: hash of the link's secret.
        role: role of the new account.
        account_id: id of the account whose password may be changed with the link; "" for a new account.
        made_by: id of the account that created the invitation; "" for the site itself.
        expires: time in seconds since 1970.
    """

    key: str
    role: str
    account_id: str = ""
    made_by: str = ""
    expires: float = 0.0


class Delays(msgspec.Struct, frozen=True):
    """Waiting times after consecutive failures.

    Attributes:
        free: number of failures without a waiting time.
        first: waiting time after one more failure, in seconds. It doubles with each further failure.
        longest: longest waiting time, in seconds.
    """

    free: int
    first: float
    longest: float

    def after(self, failures: int) -> float:
        """Returns the waiting time after this number of failures, in seconds."""
        return (
            0.0 if failures <= self.free else min(self.longest, self.first * 2.0 ** min(60, failures - self.free - 1))
        )
