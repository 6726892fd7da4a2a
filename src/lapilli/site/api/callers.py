"""Identifies the programs that call the API, by their tokens."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from fastapi import Depends, Request, Security
from fastapi.security import HTTPBearer
from starlette.requests import HTTPConnection

from lapilli.site.api.problems import Refused
from lapilli.site.http.limits import PROGRAMS, STRANGERS, Rate, address_of
from lapilli.site.people.identity.people import Person, person_of_token
from lapilli.site.runtime.site import site_of
from lapilli.store import SiteToken, Store

BEGINS = "lapilli_"
"""Prefix of all tokens. Tools that search source code for secrets recognize tokens by this prefix."""
_LONGEST = 100
CALLER = "lapilli.caller"
"""Key of the `Caller` in the ASGI scope of a request."""


class Scope(StrEnum):
    """Rights of a token; a token can have several."""

    READ = "read"
    """Reading tables, matches, and the token's account."""
    PLAY = "play"
    """Creating and accepting challenges, and playing in matches."""
    BOTS = "bots"
    """Uploading bots and submitting them."""


@dataclass(frozen=True)
class Caller:
    """The program that makes a request.

    Attributes:
        person: the person for whom the program acts.
        token: the stored token that the program sent.
    """

    person: Person
    token: SiteToken


def new_token() -> str:
    """Returns a new random token of 256 bits."""
    return BEGINS + secrets.token_urlsafe(32)


_BEARER = HTTPBearer(auto_error=False, description="A token from /account/tokens")


async def bearer(request: HTTPConnection) -> Caller:
    """Returns the caller, identified by the token in the request's Authorization header.

    Raises:
        Refused: the header contains no valid token (401).
        TooMany: the program, or an address without a valid token, sends too many requests (429).
        StoreError: the token cannot be looked up.
    """
    site = site_of(request)
    kind, _, text = request.headers.get("authorization", "").partition(" ")
    found = None
    if kind.lower() == "bearer" and text.startswith(BEGINS) and len(text) <= _LONGEST:
        found = await asyncio.to_thread(_look_up, site.store, text, site.public is not None)
    if found is None:
        site.buckets.spend(STRANGERS, address_of(request))
        raise Refused(401, "send a valid token; make one on /account/tokens", {"WWW-Authenticate": "Bearer"})
    site.buckets.spend(PROGRAMS, found.token.id)
    return found


def caller(scope: Scope) -> Callable[..., Awaitable[Caller]]:
    """Returns a FastAPI dependency that passes the caller to a route.

    The dependency raises Refused (403) if the caller's token does not have the scope, or if the caller's account is
    suspended and the request does more than read.
    """

    needed = Security(_BEARER, scopes=[scope])

    # `borne` is not used: it makes OpenAPI show that the route needs a token, and with which scope.
    async def find(request: Request, borne: Any = needed) -> Caller:
        found: Caller = request.scope[CALLER]
        if scope not in found.token.scopes:
            raise Refused(403, f"the token lacks the scope {scope!r}")
        if found.person.suspension and request.method != "GET":
            raise Refused(403, found.person.suspension)
        return found

    return find


def spend(request: Request, asker: Caller, rate: Rate) -> None:
    """Counts a request towards a rate limit of the caller's account. All programs of an account share its limits.

    A private site has no such limits.

    Raises:
        TooMany: the account has reached the limit.
    """
    if site_of(request).public is not None:
        site_of(request).buckets.spend(rate, asker.person.id)


def _look_up(store: Store, text: str, has_accounts: bool) -> Caller | None:
    token = store.site.tokens.find(text)
    person = person_of_token(token, store, has_accounts) if token else None
    return Caller(person, token) if token and person else None


Reader = Annotated[Caller, Depends(caller(Scope.READ))]
Playing = Annotated[Caller, Depends(caller(Scope.PLAY))]
