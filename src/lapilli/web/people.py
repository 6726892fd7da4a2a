"""Who asks: a person, and what they may do here.

On a site without accounts whoever reaches it is its owner; browsers are told apart by the visitor's cookie alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from fastapi import HTTPException
from starlette.requests import HTTPConnection

from lapilli.web.visitors import visitor_of

OWNER_ID = "owner"
"""The account of a site that has no others."""


class Role(IntEnum):
    """What somebody may do; each may what those before may."""

    GUEST = 0
    MEMBER = 1
    OWNER = 2


@dataclass(frozen=True)
class Person:
    """Who asks for something.

    Attributes:
        visitor: the secret of the browser, by which seats are held; "" for one that has none yet.
        id: of the account; "" for a guest. name: what people call them; "" where they have not said.
        role: what they may do.
    """

    visitor: str
    id: str = ""
    name: str = ""
    role: Role = Role.GUEST

    @property
    def holder(self) -> str:
        """By what the seats that they take are known to be theirs; "" for somebody who can have none yet."""
        return self.visitor


def person_of(request: HTTPConnection) -> Person:
    """Who asks."""
    return Person(visitor_of(request), OWNER_ID, "", Role.OWNER)


def needed(request: HTTPConnection, role: Role) -> Person:
    """Who asks, who must have that role. Raises HTTPException: 401 for a guest, 403 for others."""
    person = person_of(request)
    if person.role >= role:
        return person
    if person.role is Role.GUEST:
        raise HTTPException(401, "Sign in first.")
    raise HTTPException(403, "That is the site's owner's to do.")
