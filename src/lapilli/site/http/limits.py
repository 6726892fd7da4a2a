"""How often somebody may ask for what costs something: a bucket for each, which empties with use and fills with time.

The buckets are this process's own. A site of several processes lets through as many times more, which is enough
for what they are for: that nobody keeps the others from playing.
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

from lapilli.site.accounts.people import person_of
from lapilli.site.site import site_of

_MOST = 20_000
"""Buckets that are kept. The one that was used longest ago goes first."""


@dataclass(frozen=True)
class Rate:
    """How much is let through.

    Attributes:
        what: names what is counted; one bucket a name for everybody who asks.
        burst: how many at once, after a rest. a_minute: how many a minute in the long run.
    """

    what: str
    burst: float
    a_minute: float


TABLES = Rate("tables", 60, 20)
"""New tables: each is a row in the store, and engines that think."""
FILMS = Rate("films", 400, 400)
"""The films of the first page, which has several. They are kept once they are made; a school has one address."""
MATCHES = Rate("matches", 60, 60)
"""Pages of matches, which are computed each time."""
STUDIES = Rate("studies", 60, 40)
"""What engines think about: positions, mistakes of matches, answers to puzzles."""
POSITIONS = Rate("positions", 300, 300)
"""Positions that are worked out: one for each step on the analysis board."""
TRIALS = Rate("trials", 40, 20)
"""What bots are asked to show; of what waits in the queue an account has so much anyway."""
TEXTS = Rate("texts", 60, 30)
"""Versions of bots that are kept, and new bots."""
PROGRAMS = Rate("programs", 60, 1200)
"""What a program asks for that bears a token."""
STRANGERS = Rate("strangers", 20, 60)
"""The same, of an address, without a valid token."""
SIGN_UPS = Rate("sign-ups", 5, 0.2)
"""New accounts, without an invitation."""


class TooMany(HTTPException):
    """Somebody asks for too much (429).

    Args:
        seconds: after how long it may be tried again.
    """

    def __init__(self, seconds: float) -> None:
        wait = max(1, math.ceil(seconds))
        told = f"{wait} s" if wait < 120 else f"{math.ceil(wait / 60)} minutes"
        super().__init__(429, f"That was too often. Try again in {told}.", {"Retry-After": str(wait)})


class Buckets:
    """A bucket for everybody who asks for something.

    Args:
        most: how many are kept. clock: seconds, for tests.
    """

    def __init__(self, most: int = _MOST, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = most, clock
        self._kept: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()

    def wait(self, rate: Rate, who: str, cost: float = 1) -> float:
        """Takes that much of somebody's bucket; 0. Where there is less in it nothing is taken: for how many seconds to
        wait."""
        now = self._clock()
        left, filled = self._kept.pop((rate.what, who), (rate.burst, now))
        left = min(rate.burst, left + (now - filled) * rate.a_minute / 60)
        lacking = max(0.0, cost - left)
        self._kept[rate.what, who] = (left if lacking else left - cost), now
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return lacking * 60 / rate.a_minute

    def spend(self, rate: Rate, who: str, cost: float = 1) -> None:
        """The same. Raises TooMany."""
        seconds = self.wait(rate, who, cost)
        if seconds:
            raise TooMany(seconds)


def address_of(request: HTTPConnection) -> str:
    """From where somebody asks. Of an address of IPv6 the first half: one line has the other half to itself. All who
    come from what is no address are counted as one."""
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
    """For whom is counted what costs something: the account, and of guests the address; "" on a site of one's own,
    where nothing is counted."""
    return "" if site_of(request).public is None else person_of(request).id or address_of(request)


def limited(rate: Rate) -> Callable[[HTTPConnection], Coroutine[Any, Any, None]]:
    """What a route depends on that is not asked for more often: `dependencies=[Depends(limited(TABLES))]`."""

    async def spend(request: HTTPConnection) -> None:
        if payer := payer_of(request):
            site_of(request).buckets.spend(rate, payer)

    return spend
