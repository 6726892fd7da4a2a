"""The person who makes a request, and what they may do.

On a site without accounts, everybody who reaches it is its owner; browsers are distinguished by the visitor cookie
alone.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import IntEnum

from fastapi import HTTPException
from starlette.requests import HTTPConnection

from lapilli.site.identity.names import marked, name_of
from lapilli.site.identity.visitors import new_visitor, visitor_of
from lapilli.site.site import site_of
from lapilli.store import ACCOUNT, PROGRAM, SiteToken, Store

OWNER_ID = "owner"
"""Account id of everybody on a site without accounts."""
PERSON = "lapilli.person"
"""Key of the person in a request's ASGI scope, on a site with accounts."""


class Role(IntEnum):
    """Roles; each may do everything that the ones before it may."""

    GUEST = 0
    MEMBER = 1
    OWNER = 2


@dataclass(frozen=True)
class Person:
    """The person who makes a request.

    Attributes:
        visitor: secret of the browser, which identifies its seats; "" if it has none yet.
        id: id of the account; "" for a guest.
        name: name shown to others; "" if it is not known.
        role: what the person may do.
        seat: identifies the seats of a program, which are separate from those of its account; "" for people.
    """

    visitor: str
    id: str = ""
    name: str = ""
    role: Role = Role.GUEST
    seat: str = ""

    @property
    def holder(self) -> str:
        """What identifies this person as the holder of a seat: the account, in any browser, or a guest's browser. It is
        "" for a guest whose browser has no secret yet.
        """
        if self.seat:
            return self.seat
        return holder_of(self.id) if self.id and self.id != OWNER_ID else self.visitor

    def called(self, text: str) -> str:
        """Returns the name shown at a seat that this person takes, if `text` is the name they typed."""
        if self.name:
            return self.name
        return name_of(text) if self.id else marked(name_of(text))


asking: ContextVar[Person | None] = ContextVar("asking", default=None)
"""The person for whom a page is being rendered; None on a site without accounts."""


def holder_of(account_id: str) -> str:
    """Returns what identifies an account as the holder of a seat."""
    return f"{ACCOUNT}{account_id}"


def holder_of_token(token_id: str) -> str:
    """Returns what identifies a program, by its token's id, as the holder of a seat."""
    return f"{PROGRAM}{token_id}"


def person_of(request: HTTPConnection) -> Person:
    """Returns the person who makes a request. On a site with accounts, it is a guest if no session was looked up."""
    if site_of(request).public is None:
        return Person(visitor_of(request), OWNER_ID, "", Role.OWNER)
    person: Person | None = request.scope.get(PERSON)
    return person or Person(visitor_of(request))


def seated(request: HTTPConnection) -> Person:
    """Returns the person who makes a request, able to hold a seat: a browser without a secret gets a new one, which the
    response must set as a cookie (`remember`).
    """
    person = person_of(request)
    return person if person.holder else replace(person, visitor=new_visitor())


def person_of_token(token: SiteToken, store: Store, has_accounts: bool) -> Person | None:
    """Returns the person that a program acts for; None on a site with accounts if the account does not exist (any
    more).

    Whatever the account's role is, its programs may do only what a member may, never what requires an owner. Their
    seats are their own, not those of any browser. This reads the store, and blocks.
    """
    if has_accounts and store.site.people.get(token.owner) is None:
        return None
    return Person("", token.owner, token.name, Role.MEMBER, holder_of_token(token.id))


def needed(request: HTTPConnection, role: Role) -> Person:
    """Returns the person who makes a request, if they have at least this role. Raises HTTPException if not: 401 for a
    guest, 403 for others.
    """
    person = person_of(request)
    if person.role >= role:
        return person
    if person.role is Role.GUEST:
        raise HTTPException(401, "Sign in first.")
    raise HTTPException(403, "That is the site's owner's to do.")
