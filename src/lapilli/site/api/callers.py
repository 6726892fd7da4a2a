"""Who asks: a program that bears a token."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.security import HTTPBearer
from starlette.requests import HTTPConnection

from lapilli.site.accounts.people import Person, person_of_token
from lapilli.site.api.problems import Refused
from lapilli.site.http.limits import PROGRAMS, STRANGERS, Rate, address_of
from lapilli.site.site import site_of
from lapilli.store import SiteToken, Store

BEGINS = "lapilli_"
"""How a token begins, so that tools that look for secrets in sources find it."""
_LONGEST = 100
CALLER = "lapilli.caller"
"""Where a request's scope has the program that asks."""


class Scope(StrEnum):
    """What a token is for."""

    READ = "read"
    """Looking at what is played, and at one's account."""
    PLAY = "play"
    """Challenges and matches."""
    BOTS = "bots"
    """Uploading bots and submitting them."""


@dataclass(frozen=True)
class Caller:
    """A program that asks, and whom it stands for."""

    person: Person
    token: SiteToken


def new_token() -> str:
    """A token, which nobody guesses."""
    return BEGINS + secrets.token_urlsafe(32)


_BEARER = HTTPBearer(auto_error=False, description="A token from /account/tokens")


async def bearer(request: HTTPConnection) -> Caller:
    """Who asks, by the head of the request. Raises Refused (401) without a valid token, TooMany (429) for somebody who
    asks too often, StoreError."""
    site = site_of(request)
    kind, _, text = request.headers.get("authorization", "").partition(" ")
    found = None
    if kind.lower() == "bearer" and text.startswith(BEGINS) and len(text) <= _LONGEST:
        found = await asyncio.to_thread(_look_up, site.store, text, site.public is not None)
    if found is None:
        site.buckets.spend(STRANGERS, address_of(request))
        raise Refused(401, "bear a valid token, from /account/tokens", {"WWW-Authenticate": "Bearer"})
    site.buckets.spend(PROGRAMS, found.token.id)
    return found


def caller(scope: Scope) -> Callable[..., Awaitable[Caller]]:
    """What tells a route who asks for something that wants a scope; the gate has found that out. It raises Refused
    (403) for a token without the scope."""

    async def find(request: Request, borne: Annotated[Any, Depends(_BEARER)] = None) -> Caller:  # for the documents
        found: Caller = request.scope[CALLER]
        if scope not in found.token.scopes:
            raise Refused(403, f"the token is not for this: it lacks the scope {scope!r}")
        return found

    return find


def spend(request: Request, asker: Caller, rate: Rate) -> None:
    """Counts what costs something, for the account, whatever of its it is that asks. Raises TooMany."""
    if site_of(request).public is not None:
        site_of(request).buckets.spend(rate, asker.person.id)


def _look_up(store: Store, text: str, has_accounts: bool) -> Caller | None:
    token = store.site.tokens.find(text)
    person = person_of_token(token, store, has_accounts) if token else None
    return Caller(person, token) if token and person else None


Reader = Annotated[Caller, Depends(caller(Scope.READ))]
Playing = Annotated[Caller, Depends(caller(Scope.PLAY))]
