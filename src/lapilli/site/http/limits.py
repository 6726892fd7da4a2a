"""Rate limits for costly requests, by the token bucket algorithm.

Each caller has one bucket for each limit. A request takes a unit from the bucket, and the bucket is refilled at a
constant rate. Each process of the site has its own buckets, so several processes together allow several times the rate.
The limits are strict enough nevertheless: they only have to prevent one caller from taking all of the site's computing
time.
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

from lapilli.site.people.identity.people import person_of
from lapilli.site.runtime.site import site_of

_MOST = 20_000
"""Largest number of buckets. If there are more, the least recently used bucket is dropped."""


@dataclass(frozen=True)
class Rate:
    """A rate limit.

    Attributes:
        what: name of the limit; each caller has a bucket for each limit.
        burst: number of requests allowed at once after a pause: the size of a bucket.
        a_minute: number of requests per minute allowed in the long run.
    """

    what: str
    burst: float
    a_minute: float


TABLES = Rate("tables", 60, 20)
"""Limit for new tables, rematches included. Each new table is stored, and makes engines search."""
LINES = Rate("lines", 40, 60)
"""Limit for chat lines and reports of chat lines. The store limits the lines of one person, too; but guests can make up
any number of visitor cookies, and count there as many people.
"""
FILMS = Rate("films", 400, 400)
"""Limit for films on the first page, which shows several films. The limit is high because films are cached, and because
all pupils of a school may share one client address.
"""
MATCHES = Rate("matches", 60, 60)
"""Limit for pages of matches, which are computed for each request."""
SEARCHES = Rate("searches", 60, 40)
"""Limit for requests that make an engine search: analyses of positions, mistakes in matches, and answers to puzzles."""
POSITIONS = Rate("positions", 300, 300)
"""Limit for positions that the site computes for the analysis board: one position for each step on the board."""
SAVES = Rate("saves", 60, 120)
"""Limit for saving studies. A page saves a study after each change, and reports where its owner is."""
TRIALS = Rate("trials", 40, 20)
"""Limit for trials of bots, such as test matches. The store limits the number of waiting trials of an account."""
TEXTS = Rate("texts", 60, 30)
"""Limit for new bots and new versions of bots."""
EXPORTS = Rate("exports", 3, 0.1)
"""Limit for downloads of all data of an account, which read all its matches."""
PROGRAMS = Rate("programs", 60, 1200)
"""Limit for API requests with a valid token, counted for each token."""
STRANGERS = Rate("strangers", 20, 60)
"""Limit for API requests without a valid token, counted for each client address."""
SIGN_UPS = Rate("sign-ups", 5, 0.2)
"""Limit for new accounts without an invitation, counted for each client address."""
MAILS = Rate("mails", 3, 0.05)
"""Limit for mails that confirm an address, counted for each account, each client address, and each mail address."""


class TooMany(HTTPException):
    """Error response (429): the caller exceeded a rate limit.

    Args:
        seconds: time until the next attempt is allowed, in seconds.
    """

    def __init__(self, seconds: float) -> None:
        wait = max(1, math.ceil(seconds))
        duration = f"{wait} s" if wait < 120 else f"{math.ceil(wait / 60)} minutes"
        super().__init__(429, f"Too many requests. Try again in {duration}.", {"Retry-After": str(wait)})


class Buckets:
    """The token buckets of all callers.

    Args:
        most: largest number of buckets.
        clock: function that returns the time in seconds; tests pass their own.
    """

    def __init__(self, most: int = _MOST, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = most, clock
        self._buckets: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()

    def wait(self, rate: Rate, who: str, cost: float = 1) -> float:
        """Takes units from a caller's bucket, and returns 0.

        If the bucket holds too few units, takes none, and returns the time until it will hold enough, in seconds.

        Args:
            rate: the limit.
            who: the caller, such as an account's id or a client address.
            cost: number of units to take.
        """
        now = self._clock()
        left, filled = self._buckets.pop((rate.what, who), (rate.burst, now))
        left = min(rate.burst, left + (now - filled) * rate.a_minute / 60)
        lacking = max(0.0, cost - left)
        self._buckets[rate.what, who] = (left if lacking else left - cost), now
        while len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return lacking * 60 / rate.a_minute

    def spend(self, rate: Rate, who: str, cost: float = 1) -> None:
        """Counts a request of a caller towards a rate limit. Raises TooMany if the caller has exceeded the limit.

        Args:
            rate: the limit.
            who: the caller, such as an account's id or a client address.
            cost: number of units that the request takes from the caller's bucket.
        """
        seconds = self.wait(rate, who, cost)
        if seconds:
            raise TooMany(seconds)


def address_of(request: HTTPConnection) -> str:
    """Returns the client address under which requests are counted.

    For IPv6, it is the client's /64 network, because a single client usually has all addresses of such a network.
    Clients without a valid IP address are counted together, as "nowhere".
    """
    host = request.client.host if request.client else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "nowhere"
    if isinstance(address, ipaddress.IPv4Address):
        return host
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((int(address) >> 64 << 64, 64)))


def payer_of(request: HTTPConnection) -> str:
    """Returns the caller whose rate limits apply to a request: the account's id, or a guest's client address.

    Returns "" on a private site, which counts no requests.
    """
    return "" if site_of(request).public is None else person_of(request).id or address_of(request)


def limited(rate: Rate) -> Callable[[HTTPConnection], Coroutine[Any, Any, None]]:
    """Returns a FastAPI dependency that limits the rate of a route: `dependencies=[Depends(limited(TABLES))]`."""

    async def spend(request: HTTPConnection) -> None:
        if payer := payer_of(request):
            site_of(request).buckets.spend(rate, payer)

    return spend
