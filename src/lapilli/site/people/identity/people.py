"""The person who makes a request, and their role.

A site without accounts treats everybody as its owner, and distinguishes browsers by the visitor cookie alone.
"""

from __future__ import annotations

import time
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import IntEnum

from fastapi import HTTPException
from starlette.requests import HTTPConnection

from lapilli.site.people.identity.names import marked, name_of
from lapilli.site.people.identity.visitors import new_visitor, visitor_of
from lapilli.site.runtime.site import site_of
from lapilli.store import ACCOUNT, PROGRAM, Account, SiteToken, Store

OWNER_ID = "owner"
"""Account id that everybody has on a site without accounts."""
PERSON = "lapilli.person"
"""Key under which a site with accounts stores the person in a request's ASGI scope."""


class Role(IntEnum):
    """Roles of persons, in ascending order: each role includes all rights of the roles before it."""

    GUEST = 0
    MEMBER = 1
    OWNER = 2


@dataclass(frozen=True)
class Person:
    """The person, or program of a person, that makes a request.

    Attributes:
        visitor: secret of the browser, from the visitor cookie; "" if the browser has no such cookie yet.
        id: id of the account; "" for a guest.
        name: name shown to others; "" for a guest and on a site without accounts, where people type a name.
        role: rights of the person.
        seat: for a program, the string that identifies it as the holder of a seat, see `holder_of_token`; "" for
            people.
        suspension: sentence that says until when and why the account is suspended; "" if it is not.
    """

    visitor: str
    id: str = ""
    name: str = ""
    role: Role = Role.GUEST
    seat: str = ""
    suspension: str = ""

    @property
    def holder(self) -> str:
        """String that identifies this person as the holder of a seat.

        A program and an account have a string of their own. For everybody else, the string is the browser's secret; it
        is "" if the browser has no visitor cookie yet.
        """
        if self.seat:
            return self.seat
        return holder_of(self.id) if self.id and self.id != OWNER_ID else self.visitor

    def called(self, text: str) -> str:
        """Returns the name shown at this person's seats: `name` or, if that is "", the name `text` that they typed."""
        if self.name:
            return self.name
        return name_of(text) if self.id else marked(name_of(text))


asking: ContextVar[Person | None] = ContextVar("asking", default=None)
"""The person for whom a page is rendered; None on a site without accounts."""


def suspension_of(account: Account) -> str:
    """Returns the sentence that says until when and why an account is suspended; "" if it is not."""
    if account.suspended <= time.time():
        return ""
    until = time.strftime("%d %B %Y", time.gmtime(account.suspended)).lstrip("0")
    return f"Your account is suspended until {until}: {account.reason}"


def holder_of(account_id: str) -> str:
    """Returns the string that identifies an account as the holder of a seat."""
    return f"{ACCOUNT}{account_id}"


def shown_name(name: str, holder: str) -> str:
    """Returns the name of a seat's player as pages show it: a program's name is marked.

    Without the mark, a program could pass for the member with the same name, as a guest could (see `marked`). `holder`:
    string that identifies the player, see `Person.holder`.
    """
    return f"{name} (program)" if name and holder.startswith(PROGRAM) else name


def holder_of_token(token_id: str) -> str:
    """Returns the string that identifies the program with this token as the holder of a seat."""
    return f"{PROGRAM}{token_id}"


def person_of(request: HTTPConnection) -> Person:
    """Returns the person who makes a request.

    On a site without accounts, everybody is the owner. On other sites, a person who is not signed in is a guest.
    """
    if site_of(request).public is None:
        return Person(visitor_of(request), OWNER_ID, "", Role.OWNER)
    person: Person | None = request.scope.get(PERSON)
    return person or Person(visitor_of(request))


def future_holder(request: HTTPConnection) -> Person:
    """Returns the person who makes a request. Routes that may give this person a seat call it instead of `person_of`.

    Unlike the person that `person_of` returns, this person always has a `holder`, a string that identifies the holder
    of a seat. If the browser has no visitor cookie yet, the person gets a new secret in `visitor`. The caller must pass
    this secret to `remember`, which sets it as the cookie.
    """
    person = person_of(request)
    return person if person.holder else replace(person, visitor=new_visitor())


def person_of_token(token: SiteToken, store: Store, has_accounts: bool) -> Person | None:
    """Returns the person for whom the program with this token acts.

    If the site has accounts (`has_accounts`), returns None if the token's account no longer exists.

    Every program has the role MEMBER, even if its account is an owner's. A program's seats are not seats of its
    account. This function reads the store, and blocks.
    """
    account = store.site.people.get(token.owner) if has_accounts else None
    if has_accounts and account is None:
        return None
    suspension = suspension_of(account) if account else ""
    return Person("", token.owner, token.name, Role.MEMBER, holder_of_token(token.id), suspension)


def require(request: HTTPConnection, role: Role) -> Person:
    """Returns the person who makes a request, if they have the rights of `role`.

    Raises:
        HTTPException: the person's role is lower than `role`. The status is 401 for a guest, 403 for a member.
    """
    person = person_of(request)
    if person.role >= role:
        return person
    if person.role is Role.GUEST:
        raise HTTPException(401, "Sign in first.")
    raise HTTPException(403, "Only an owner of the site may do that.")
