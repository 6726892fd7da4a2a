"""Many members of a public site who play a tournament at once, each with the requests and sockets of their own browser.

`benchmarks/tournament.py` prints what they have seen; `test_tournament_load.py` asserts that nothing went wrong.
"""

from __future__ import annotations

import asyncio
import json
import random
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Origin

from lapilli.site.people.accounts.accounts import key
from lapilli.site.people.identity.names import folded
from lapilli.site.runtime.settings import Public
from lapilli.store import SiteTournament, Store, TournamentChange, TournamentNews
from web.client import PublicSite, unpacked

POLL_S = 2.0
"""Time between two looks at a tournament's page, in seconds, as its script does it."""
_MONTH_S = 30 * 86_400.0
_OPEN_S = 30.0
"""Longest time that a request or the opening of a socket may take, in seconds."""


@dataclass
class Plan:
    """What is played.

    Attributes:
        kind: "swiss" or "arena".
        game, clock: names of game and time control.
        players: number of members.
        rounds: number of rounds; in an arena, least number of matches of each player.
        joining_s: time within which all join, in seconds.
        think_s: shortest and longest time that a player thinks about a turn, in seconds.
    """

    kind: str
    game: str
    clock: str = "3+2"
    players: int = 200
    rounds: int = 3
    joining_s: float = 5.0
    think_s: tuple[float, float] = (0.0, 0.0)


@dataclass
class Measured:
    """What all players have seen.

    Attributes:
        requests: number of requests that were answered.
        failed: requests and messages that were refused, in words.
        disconnects: sockets that the site closed before the match was over, in words.
        reconnects: requests that met a connection which the site had just closed because it was idle.
        matches: matches whose end a player has seen, for each player.
        turns: seconds from a player's choice until the opponent has the picture.
        joins, looks, arrivals: seconds of each request to join; of each look at the tournament; and from opening a
            table until it is shown.
    """

    requests: int = 0
    failed: list[str] = field(default_factory=list)
    disconnects: list[str] = field(default_factory=list)
    reconnects: int = 0
    matches: dict[int, int] = field(default_factory=dict)
    turns: list[float] = field(default_factory=list)
    joins: list[float] = field(default_factory=list)
    looks: list[float] = field(default_factory=list)
    arrivals: list[float] = field(default_factory=list)


class Member:
    """A member with the tournament's page open, and then the table's.

    Args:
        site: the site.
        plan: what is played.
        number: a number from 0; every member has an address of their own, too.
        cookie: the cookie of the member's session.
        measured: takes what this member sees.
        sent: for each table, who has played last there, and when.
    """

    def __init__(
        self,
        site: PublicSite,
        plan: Plan,
        number: int,
        cookie: str,
        measured: Measured,
        sent: dict[str, tuple[int, float]],
    ) -> None:
        self.site, self.plan, self.number, self.cookie = site, plan, number, cookie
        self.measured, self.sent = measured, sent
        self.address = f"127.0.{7 + number // 200}.{1 + number % 200}"
        self.chance = random.Random(number)
        transport = httpx.AsyncHTTPTransport(local_address=self.address, verify=False)
        headers = {"Origin": site.url, "Cookie": cookie, "Sec-Fetch-Site": "same-origin"}  # so answers are compressed
        self.http = httpx.AsyncClient(base_url=site.url, headers=headers, transport=transport, timeout=_OPEN_S)

    async def ask(self, method: str, path: str, times: list[float] | None = None) -> httpx.Response | None:
        """Sends a request, again if the connection was idle and closed at that moment, as browsers do; None if it
        failed."""
        begun = time.monotonic()
        for _ in range(3):
            try:
                answer = await self.http.request(method, path)
            except (httpx.RemoteProtocolError, httpx.ReadError):
                self.measured.reconnects += 1
                continue
            except httpx.HTTPError as error:
                self.measured.failed.append(f"{method} {path}: {type(error).__name__} {error}")
                return None
            self.measured.requests += 1
            if times is not None:
                times.append(time.monotonic() - begun)
            if answer.status_code >= 400:
                self.measured.failed.append(f"{method} {path}: {answer.status_code} {answer.text[:100]}")
                return None
            return answer
        self.measured.failed.append(f"{method} {path}: three connections were closed")
        return None

    async def play(self, tournament: str) -> None:
        """Joins a tournament, and plays until it is over."""
        async with self.http:
            await asyncio.sleep(self.plan.joining_s * self.chance.random())
            await self.ask("GET", tournament)
            while await self.ask("POST", f"{tournament}/join", self.measured.joins) is None:
                await asyncio.sleep(POLL_S)
            seen, last = -1, ""
            while True:
                answer = await self.ask("GET", f"{tournament}/now?seen={seen}&number=0", self.measured.looks)
                shown: dict[str, Any] = answer.json() if answer is not None else {"table": ""}
                seen = shown.get("version", seen)
                if shown.get("state") == "over":
                    return
                if shown["table"] and shown["table"] != last:
                    last = shown["table"]
                    await self.match(last)
                    seen = -1  # the page is loaded anew
                    await self.ask("GET", tournament)
                else:
                    await asyncio.sleep(POLL_S)

    async def match(self, table: str) -> None:
        """Plays a match to its end. Connects again if the connection is lost, as the page does."""
        begun = time.monotonic()
        await self.ask("GET", f"/t/{table}")
        url = f"{self.site.url.replace('http', 'ws')}/t/{table}/live"
        while True:
            try:
                async with connect(
                    url,
                    additional_headers={"Cookie": self.cookie},
                    origin=Origin(self.site.url),
                    max_size=2**24,
                    open_timeout=_OPEN_S,
                    local_addr=(self.address, 0),
                    proxy=None,
                ) as socket:
                    await self._at_table(table, socket, begun)
                    break
            except (ConnectionClosed, InvalidHandshake, OSError) as error:
                self.measured.disconnects.append(f"{type(error).__name__} {error}")
                await asyncio.sleep(POLL_S)
        self.measured.matches[self.number] = self.measured.matches.get(self.number, 0) + 1

    async def _at_table(self, table: str, socket: ClientConnection, begun: float) -> None:
        """Plays random turns until the match is over."""
        chosen = (0, -1)
        while True:
            heard = json.loads(unpacked(await socket.recv()))
            for message in heard if isinstance(heard, list) else [heard]:
                match message["type"]:
                    case "hello":
                        self.measured.arrivals.append(time.monotonic() - begun)
                    case "step":
                        self._saw(table)
                    case "refused" | "problem":
                        self.measured.failed.append(f"at a table: {message['text']}")
                    case "now" if message["outcome"]:
                        return
                    case "now" if "draft" in message:
                        labels = message["turn"], len(message["draft"]["labels"])
                        if labels != chosen:
                            chosen = labels
                            await self._choose(table, socket, message)

    async def _choose(self, table: str, socket: ClientConnection, message: dict[str, Any]) -> None:
        choices = message["draft"]["choices"]
        what = {"do": "pick", "action": self.chance.choice(choices)[0]} if choices else {"do": "commit"}
        await asyncio.sleep(self.chance.uniform(*self.plan.think_s))
        self.sent[table] = self.number, time.monotonic()
        await socket.send(json.dumps(what | {"turn": message["turn"]}))

    def _saw(self, table: str) -> None:
        """A picture of a new turn came: if the opponent has sent the turn, measures how long that took."""
        player, at = self.sent.get(table, (self.number, 0.0))
        if player != self.number:
            self.measured.turns.append(time.monotonic() - at)


def sign_up(site: PublicSite, players: int) -> list[str]:
    """Adds members with a session each to the site's store; their cookies."""
    public = Public(site.url, site.environment()["LAPILLI_SECRET"].encode())
    cookies = []
    with Store.open(site.store) as store:
        for number in range(players):
            account, secret = f"load{number}", secrets.token_urlsafe(32)
            assert store.site.people.add(account, f"Player {number}", folded(f"Player {number}"), "hash", "member")
            assert store.site.people.start(key(public, "session", secret), account, "hash", _MONTH_S, 20)
            cookies.append(f"{public.cookie('lapilli_session')}={secret}")
    return cookies


def played(site: PublicSite, plan: Plan) -> tuple[TournamentNews, Measured]:
    """Plays a tournament on a running site; how the store has it in the end, and what the players have seen."""
    cookies = sign_up(site, plan.players)
    return asyncio.run(_played(site, plan, cookies))


async def _played(site: PublicSite, plan: Plan, cookies: Sequence[str]) -> tuple[TournamentNews, Measured]:
    measured, sent = Measured(), dict[str, tuple[int, float]]()
    async with httpx.AsyncClient(
        base_url=site.url, headers={"Origin": site.url, "Cookie": cookies[0]}, timeout=_OPEN_S, trust_env=False
    ) as organiser:
        form = {"game": plan.game, "kind": plan.kind, "time": plan.clock, "most": str(plan.players)}
        form |= {"length": str(plan.rounds)} if plan.kind != "arena" else {}
        made = await organiser.post("/tournaments", data=form)
        assert made.status_code == 201, made.text
        path = made.json()["address"]
        members = [
            Member(site, plan, number, cookie, measured, sent).play(path) for number, cookie in enumerate(cookies)
        ]
        everybody = asyncio.gather(*members)
        while len(measured.joins) < plan.players:
            await _pause(everybody)
        started = await organiser.post(f"{path}/start")
        assert started.status_code == 200, started.text
    tournament = path.rpartition("/")[2]
    if plan.kind == "arena":
        while len(measured.matches) < plan.players or min(measured.matches.values()) < plan.rounds:
            await _pause(everybody)
        await asyncio.to_thread(_end, site, tournament)
    await everybody
    with Store.open(site.store) as store:
        news = store.site.tournaments.since(tournament, -1)
    assert news is not None
    return news, measured


async def _pause(everybody: asyncio.Future[Any]) -> None:
    """Waits for a moment; raises what went wrong meanwhile."""
    if everybody.done():
        everybody.result()
        raise AssertionError("the tournament is over already")
    await asyncio.sleep(0.2)


def _end(site: PublicSite, tournament: str) -> None:
    """Ends an arena now: it lasts ten minutes at least, but matches of random turns are short."""

    def now(stored: SiteTournament, players: object) -> TournamentChange:
        return TournamentChange(fields={"ends": time.time()})

    with Store.open(site.store) as store:
        store.site.tournaments.amend(tournament, now)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of all values does not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else float("nan")
