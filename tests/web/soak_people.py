"""People of a soak: each has an address, cookies, requests and table pages of their own, and counts what goes wrong.

`benchmarks/soak.py` runs the soak; `soak_activities.py` contains what these people do.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Self

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from lapilli.site.http.errors import NO_ANSWER
from web.client import PASSWORD, unpacked

OPEN_S, SILENT_S = 300.0, 600.0
"""Longest time that a request may take, and for which a table's page may wait for a message. Both in seconds. They are
long because other programs may take the processors for minutes.
"""
_PICKS = 4
"""Number of random actions in one turn; the further ones are the least possible ones, which end every turn."""
_EXPECTED = ("that turn is over", "the match is over", "it is not your turn")
"""Refusals that a player meets who acts while another player ends the match."""
_numbers = itertools.count()


class Unexpected(Exception):
    """An answer that a correct site would not have sent."""


class Tally:
    """What all people have done and seen.

    Attributes:
        requests, messages: number of answered requests; number of messages of sockets.
        done: number of finished activities, by name.
        failed: unexpected events with their numbers.
        slow: number of messages that the store does not answer. The site sends them when a call takes over three
            seconds, as it may while other programs take the processors.
    """

    def __init__(self) -> None:
        self.requests = self.messages = self.slow = 0
        self.done, self.failed = Counter[str](), Counter[str]()


class Person:
    """A guest, or somebody who has signed up.

    Args:
        url: address of the site.
        tally: counts requests.
        name: name of the account; "" for a guest.
        address: local address of the connections; by default another one for each person, as rate limits count them.
        token: token of a program; "" for a browser.
    """

    def __init__(self, url: str, tally: Tally, name: str = "", address: str = "", token: str = "") -> None:
        number = next(_numbers)
        self.url, self.tally, self.name = url, tally, name
        self.address = address or f"127.{2 + number // 60_000 % 200}.{number // 250 % 240}.{1 + number % 250}"
        headers = {"Authorization": f"Bearer {token}"} if token else {"Origin": url, "Sec-Fetch-Site": "same-origin"}
        # The site closes idle connections after five seconds. Closed in time, none is used at that moment.
        limits = httpx.Limits(keepalive_expiry=2.0)
        transport = httpx.AsyncHTTPTransport(local_address=self.address, verify=False, limits=limits)
        self.http = httpx.AsyncClient(base_url=url, headers=headers, transport=transport, timeout=OPEN_S)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.http.aclose()

    @property
    def cookie(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())

    async def ask(self, method: str, path: str, *statuses: int, **more: Any) -> httpx.Response:
        """Sends a request. Raises Unexpected if the answer has none of these statuses; by default 200 and 303."""
        try:
            answer = await self.http.request(method, path, **more)
        except httpx.HTTPError as error:
            raise Unexpected(f"{method} {path}: {type(error).__name__} {error}") from None
        self.tally.requests += 1
        if answer.status_code not in (statuses or (200, 303)):
            raise Unexpected(f"{method} {path}: {answer.status_code} {_words(answer)}")
        return answer

    async def get(self, path: str, *statuses: int, **more: Any) -> httpx.Response:
        return await self.ask("GET", path, *statuses, **more)

    async def post(self, path: str, *statuses: int, **more: Any) -> httpx.Response:
        return await self.ask("POST", path, *statuses, **more)

    async def sign_up(self, invitation: str = "") -> None:
        """Creates the account, and signs in to it."""
        form = {"name": self.name, "password": PASSWORD, "invitation": invitation}
        await self.post("/sign-up", 303, data=form)

    async def lay(self, game: str, **form: str) -> str:
        """Opens a table, with this person in the first seat; its path."""
        given = {"game": game, "seat": "1", "name": self.name or "Guest", "opponent1": "person"} | form
        answer = await self.post("/play", 303, data=given)
        return str(answer.headers["location"])

    @asynccontextmanager
    async def at(self, table: str) -> AsyncIterator[TablePage]:
        """Opens a table's page and its socket."""
        await self.get(table)
        async with self.socket(f"{table}/live") as socket:
            page = TablePage(socket, self.tally)
            await page.until(lambda: page.now)
            yield page

    def socket(self, path: str) -> connect:
        """A socket to this path, as the person's browser opens it."""
        return connect(
            self.url.replace("http", "ws") + path,
            additional_headers={"Cookie": self.cookie},
            origin=Origin(self.url),
            max_size=2**24,
            open_timeout=OPEN_S,
            local_addr=(self.address, 0),
            proxy=None,
        )


def _words(answer: httpx.Response) -> str:
    """The beginning of an answer's text, without tags; of a page, its main part."""
    return " ".join(re.sub(r"<[^>]*>", " ", re.sub(r"(?s)^.*<h1>", "<h1>", answer.text)).split())[:200]


class TablePage:
    """A table's page with its socket.

    Attributes:
        socket: the connection.
        hello, now, chat: the last message of these types; chat has all lines.
        refused: refusals so far.
    """

    def __init__(self, socket: ClientConnection, tally: Tally) -> None:
        self.socket, self._tally = socket, tally
        self.hello: dict[str, Any] = {}
        self.now: dict[str, Any] = {}
        self.chat: list[dict[str, Any]] = []
        self.refused: list[str] = []

    async def hear(self) -> set[str]:
        """Waits for messages; their types. Raises Unexpected after a long silence."""
        try:
            async with asyncio.timeout(SILENT_S):
                came = json.loads(unpacked(await self.socket.recv()))
        except TimeoutError:
            raise Unexpected(f"a table is silent: {str(self.now)[:300]}") from None
        messages = came if isinstance(came, list) else [came]
        self._tally.messages += len(messages)
        for message in messages:
            match message["type"]:
                case "hello":
                    self.hello = message
                case "now":
                    self.now = message
                case "chat":
                    self.chat = (not message["whole"]) * self.chat + message["lines"]
                case "problem" if message["text"] == NO_ANSWER:
                    self._tally.slow += 1
                case "problem":
                    raise Unexpected(f"at a table: {message['text']}")
                case "refused":
                    self.refused.append(message["text"])
        return {message["type"] for message in messages}

    async def until(self, holds: Callable[[], object]) -> None:
        """Takes messages until a condition holds."""
        while not holds():
            await self.hear()

    async def say(self, what: str, **more: Any) -> None:
        await self.socket.send(json.dumps({"do": what} | more))

    def check(self) -> None:
        """Raises Unexpected if the site refused something that it should not have refused."""
        for text in self.refused:
            if not any(expected in text for expected in _EXPECTED):
                raise Unexpected(f"at a table: {text}")

    async def play(self, chance: random.Random, think_s: float, turns: int = 1000) -> None:
        """Plays random turns until the match is over, or so many turns are played. Raises Unexpected as `check`."""
        turn, begun, picked, chosen = -1, 0, 0, None
        while not self.now["outcome"]:
            is_asked = "draft" in self.now
            if begun == turns and not (is_asked and self.now["turn"] == turn):
                return
            stand = self.now["turn"], self.now["draft"]["labels"] if is_asked else None
            if not is_asked or stand == chosen:
                await self.hear()
                self.check()
                continue
            if self.now["turn"] != turn:
                turn, begun, picked = self.now["turn"], begun + 1, 0
                await asyncio.sleep(think_s * chance.random() * 2)
            chosen = stand
            choices = self.now["draft"]["choices"]
            if choices:
                action = (chance.choice(choices) if picked < _PICKS else min(choices))[0]
                picked += 1
                await self.say("pick", turn=turn, action=action)
            else:
                await self.say("commit", turn=turn)
