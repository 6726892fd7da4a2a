"""What a store tells of the people who have accounts on a site: plain data."""

from __future__ import annotations

import msgspec


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who has an account.

    Attributes:
        id: what is kept of them elsewhere refers to it; it never changes.
        name: what people call them. password: its hash, as the library for passwords writes it.
        role: "member" or "owner".
        created, seen: when it was made and when they were last there, in seconds since 1970.
    """

    id: str
    name: str
    password: str
    role: str
    created: float
    seen: float


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A browser in which somebody is signed in.

    Attributes:
        key: what is kept of its secret. account: who.
        created, seen, expires: in seconds since 1970.
    """

    key: str
    account: Account
    created: float
    seen: float
    expires: float


class Invitation(msgspec.Struct, frozen=True, kw_only=True):
    """A link that works once.

    Attributes:
        key: what is kept of its secret. role: what whoever takes it up becomes.
        account_id: whose password it sets anew; "" for a new account.
        made_by: the account that made it; "" for the site. expires: in seconds since 1970.
    """

    key: str
    role: str
    account_id: str = ""
    made_by: str = ""
    expires: float = 0.0


class Delays(msgspec.Struct, frozen=True):
    """How long one waits after failures in a row.

    Attributes:
        free: so many cost nothing. first: seconds after one more; twice as many after each further one.
        longest: seconds, at most.
    """

    free: int
    first: float
    longest: float

    def after(self, failures: int) -> float:
        """Seconds."""
        return (
            0.0 if failures <= self.free else min(self.longest, self.first * 2.0 ** min(60, failures - self.free - 1))
        )
