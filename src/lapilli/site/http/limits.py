"""Rate limits for costly requests: each caller has buckets, which empty with use and fill with time.

Each process of the site has its own buckets, so several processes together allow several times the rate. That is enough
for the purpose: nobody can keep the others from playing.
"""

from __future__ import annotations

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from fastapi import HTTPException
from starlette.requests import HTTPConnection

from lapilli.site.identity.people import person_of
from lapilli.site.site import site_of

_MOST = 20_000
"""Number of buckets that are kept. Beyond that, the least recently used one is dropped."""


@dataclass(frozen=True)
class Rate:
    """A rate limit.

    Attributes:
        what: name of what is counted; each caller has one bucket for each name.
        burst: how many requests are allowed at once after a pause.
        a_minute: how many requests a minute are allowed in the long run.
    """

    what: str
    burst: float
    a_minute: float


TABLES = Rate("tables", 60, 20)
"""New tables: each adds a row to the store and makes engines search."""
FILMS = Rate("films", 400, 400)
"""Films on the first page, which shows several. The limit is high because films are cached and all pupils of a school
can share one address.
"""
MATCHES = Rate("matches", 60, 60)
"""Pages of matches, which are computed for each request."""
STUDIES = Rate("studies", 60, 40)
"""Work for the engines: analysing positions, the mistakes of matches, and answers to puzzles."""
POSITIONS = Rate("positions", 300, 300)
"""Positions that are computed: one for each step on the analysis board."""
TRIALS = Rate("trials", 40, 20)
"""Trials of bots, such as test matches. (The number of trials that an account may have waiting is limited anyway.)"""
TEXTS = Rate("texts", 60, 30)
"""Saved versions of bots, and new bots."""
PROGRAMS = Rate("programs", 60, 1200)
"""API requests with a valid token, counted for each token."""
STRANGERS = Rate("strangers", 20, 60)
"""API requests without a valid token, counted for each client address."""
SIGN_UPS = Rate("sign-ups", 5, 0.2)
"""New accounts without an invitation."""


class TooMany(HTTPException):
    """A caller exceeded a rate limit (429).

    Args:
        seconds: time until the next attempt is allowed.
    """

    def __init__(self, seconds: float) -> None:
        wait = max(1, math.ceil(seconds))
        told = f"{wait} s" if wait < 120 else f"{math.ceil(wait / 60)} minutes"
        super().__init__(429, f"That was too often. Try again in {told}.", {"Retry-After": str(wait)})


class Buckets:
    """The buckets of all callers.

    Args:
        most: number of buckets that are kept.
        clock: returns the time in seconds; replaced in tests.
    """

    def __init__(self, most: int = _MOST, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = most, clock
        self._kept: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()

    def wait(self, rate: Rate, who: str, cost: float = 1) -> float:
        """Takes `cost` from a caller's bucket and returns 0. If the bucket holds less, takes nothing and returns how
        many seconds to wait.
        """
        now = self._clock()
        left, filled = self._kept.pop((rate.what, who), (rate.burst, now))
        left = min(rate.burst, left + (now - filled) * rate.a_minute / 60)
        lacking = max(0.0, cost - left)
        self._kept[rate.what, who] = (left if lacking else left - cost), now
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return lacking * 60 / rate.a_minute

    def spend(self, rate: Rate, who: str, cost: float = 1) -> None:
        """Takes `cost` from a caller's bucket. Raises TooMany if it holds less."""
        seconds = self.wait(rate, who, cost)
        if seconds:
            raise TooMany(seconds)


def address_of(request: HTTPConnection) -> str:
    """Returns the client address by which requests are counted.

    For IPv6 it is the /64 network, because one connection has a whole such network to itself. All clients without a
    valid IP address are counted together, as "nowhere".
    """
    said = request.client.host if request.client else ""
    try:
        address = ipaddress.ip_address(said)
    except ValueError:
        return "nowhere"
    if isinstance(address, ipaddress.IPv4Address):
        return said
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((int(address) >> 64 << 64, 64)))


def payer_of(request: HTTPConnection) -> str:
    """Returns whose limits a request counts against: the account, or a guest's client address. Returns "" on a private
    site (without accounts), where nothing is counted.
    """
    return "" if site_of(request).public is None else person_of(request).id or address_of(request)


def limited(rate: Rate) -> Callable[[HTTPConnection], Coroutine[Any, Any, None]]:
    """Returns a dependency that limits the rate of a route: `dependencies=[Depends(limited(TABLES))]`."""

    async def spend(request: HTTPConnection) -> None:
        if payer := payer_of(request):
            site_of(request).buckets.spend(rate, payer)

    return spend
