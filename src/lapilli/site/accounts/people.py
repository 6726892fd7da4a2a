"""Who asks: a person, and what they may do here.

On a site without accounts whoever reaches it is its owner; browsers are told apart by the visitor's cookie alone.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import IntEnum

from fastapi import HTTPException
from starlette.requests import HTTPConnection

from lapilli.site.accounts.names import marked, name_of
from lapilli.site.accounts.visitors import new_visitor, visitor_of
from lapilli.site.site import site_of
from lapilli.store import ACCOUNT, PROGRAM, SiteToken, Store

OWNER_ID = "owner"
"""The account of a site that has no others."""
PERSON = "lapilli.person"
"""Where a request's scope has who asks, on a site with accounts."""


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
        seat: by what their seats are known, where they have seats of their own, as a program has.
    """

    visitor: str
    id: str = ""
    name: str = ""
    role: Role = Role.GUEST
    seat: str = ""

    @property
    def holder(self) -> str:
        """By what the seats that they take are known to be theirs: the account, in whatever browser, or a guest's
        browser; "" for somebody who can have none yet."""
        if self.seat:
            return self.seat
        return holder_of(self.id) if self.id and self.id != OWNER_ID else self.visitor

    def called(self, text: str) -> str:
        """The name of a seat that they take, where they say `text`."""
        if self.name:
            return self.name
        return name_of(text) if self.id else marked(name_of(text))


asking: ContextVar[Person | None] = ContextVar("asking", default=None)
"""Who asks for the page that is being made; None on a site without accounts."""


def holder_of(account_id: str) -> str:
    """By what an account's seats are known to be its own."""
    return f"{ACCOUNT}{account_id}"


def holder_of_token(token_id: str) -> str:
    """By what a program's seats are known to be its own."""
    return f"{PROGRAM}{token_id}"


def person_of(request: HTTPConnection) -> Person:
    """Who asks. On a site with accounts whoever was not looked up is a guest."""
    if site_of(request).public is None:
        return Person(visitor_of(request), OWNER_ID, "", Role.OWNER)
    person: Person | None = request.scope.get(PERSON)
    return person or Person(visitor_of(request))


def seated(request: HTTPConnection) -> Person:
    """Who asks, and can hold a seat: a browser without a secret gets one, which is to be remembered (`remember`)."""
    person = person_of(request)
    return person if person.holder else replace(person, visitor=new_visitor())


def person_of_token(token: SiteToken, store: Store, has_accounts: bool) -> Person | None:
    """Whom a program stands for; None on a site with accounts that has no such account (any more). Whatever role the
    account has now, its programs may do what a member may, never what an owner alone may; and their seats are their
    own, not those of any browser. It reads the store, and blocks."""
    if has_accounts and store.site.people.get(token.owner) is None:
        return None
    return Person("", token.owner, token.name, Role.MEMBER, holder_of_token(token.id))


def needed(request: HTTPConnection, role: Role) -> Person:
    """Who asks, who must have that role. Raises HTTPException: 401 for a guest, 403 for others."""
    person = person_of(request)
    if person.role >= role:
        return person
    if person.role is Role.GUEST:
        raise HTTPException(401, "Sign in first.")
    raise HTTPException(403, "That is the site's owner's to do.")
