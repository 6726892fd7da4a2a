"""People who play at the tables of several processes of one site, and go on at another process when theirs is killed.

`benchmarks/outages.py` prints what they have noticed.
"""

from __future__ import annotations

import asyncio
import json
import random
import signal
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Origin

from lapilli.games import load, names
from process_use import ProcessUse
from web.client import Site, unpacked

FIRST_S, LONGEST_S = 0.1, 3.0
"""Delays of `connection.js` before a page connects again, in seconds. Up to as much again is added by chance."""
OPEN_S = 30.0
MOST_PICKED = 4
"""Number of random choices in one turn; after it, the first one is chosen, which ends what may go on for long."""


class Process(Site):
    """One of the site's processes.

    Attributes:
        is_up: whether a proxy would pass pages on to it.
        killed_at: when it was last ended.
        pages: number of pages that are connected to it.
        cpu_s, waited_s: processor time, and time for which its main thread waited for a processor, of all that it was
            until it was last ended, in seconds.
    """

    is_up, killed_at, pages = False, 0.0, 0
    cpu_s, waited_s = 0.0, 0.0
    errors = ""

    def run(self) -> None:
        self.start()
        self.is_up = True

    def kill(self, sent: signal.Signals) -> None:
        if self.process is not None:
            use = ProcessUse(self.process.pid)
            self.cpu_s, self.waited_s = self.cpu_s + use.cpu_s(), self.waited_s + use.waited_s()
        self.is_up, self.killed_at = False, time.monotonic()
        self.errors += self.stop(sent)[1]


@dataclass
class Cluster:
    """All processes of a site."""

    processes: Sequence[Process]

    def free(self, but: Process | None = None) -> Process | None:
        """The living process with the fewest pages, if there is one; not `but`, if there is another."""
        alive = [process for process in self.processes if process.is_up]
        return min(alive, key=lambda process: (process is but, process.pages), default=None)


@dataclass
class Sent:
    """A message of a page that chooses an action, or plays the turn.

    Attributes:
        turn: number of the turn.
        at: when it was sent.
        shown_at: when its effect was shown: the next choice, or the next turn.
        again: whether the person had to choose again.
        was_told: whether the page has shown a message meanwhile, or that the connection is lost.
    """

    turn: int
    at: float
    shown_at: float | None = None
    again: bool = False
    was_told: bool = False


@dataclass
class Play:
    """Everybody who plays.

    Attributes:
        cluster: the site.
        thinks: limits of the time that a person takes for a turn, in seconds.
        pages: all pages of players.
        reconnects: seconds from the loss of a connection until the page has the table again.
        texts: the messages that pages have shown. codes: the codes with which connections were closed.
        errors: what went wrong in this program.
    """

    cluster: Cluster
    thinks: tuple[float, float]
    pages: list[Seated] = field(default_factory=list)
    reconnects: list[float] = field(default_factory=list)
    texts: Counter[str] = field(default_factory=Counter)
    codes: Counter[int | str] = field(default_factory=Counter)
    errors: list[BaseException] = field(default_factory=list)

    async def matches(self, number: int) -> None:
        """Plays one match after the other, each of the next game, until cancelled."""
        games = [name for name in names() if min(load(name).players) == 2]
        chance = random.Random(number)
        await asyncio.sleep(chance.uniform(0, self.thinks[1]))
        while True:
            pages = await self._lay(games[number % len(games)], chance)
            if pages:
                number += 1
                self.pages += pages
                async with asyncio.TaskGroup() as group:
                    for page in pages:
                        group.create_task(page.follow())
            else:
                await asyncio.sleep(1)

    def standing_still(self, seconds: float) -> list[str]:
        """Tables whose match is not over, and at which no page has seen another turn for so long."""
        seen: dict[str, float] = {}
        for page in self.pages:
            seen[page.table] = max(seen.get(page.table, 0.0), page.is_over * 1e18, page.turn_at)
        return [table for table, at in seen.items() if time.monotonic() - at > seconds]

    async def _lay(self, game: str, chance: random.Random) -> list[Seated]:
        """Opens a table, and takes both seats; no pages if that failed, as it may while something is down."""
        form = {"game": game, "seat": "1", "opponent1": "person", "name": "Ada", "time": "10+5"}
        site = self.cluster.free()
        if site is None:
            return []
        with suppress(httpx.HTTPError, OSError, InvalidHandshake, ConnectionClosed, TimeoutError):
            async with httpx.AsyncClient(
                base_url=site.url, headers={"Origin": site.url}, timeout=OPEN_S, trust_env=False, verify=False
            ) as http:
                laid = await http.post("/play", data=form)
                if laid.status_code != 303:
                    return []
                first = Seated(self, laid.headers["location"], 0, _cookies(http), chance.random())
                async with asyncio.timeout(OPEN_S), first.connected(site) as socket:
                    key = await _key(socket)
                http.cookies.clear()
                sat = await http.post(f"{first.table}/seat/{key}", data={"name": "Grace"})
                if sat.status_code != 303:
                    return []
                return [first, Seated(self, first.table, 1, _cookies(http), chance.random())]
        return []


def _cookies(http: httpx.AsyncClient) -> str:
    return "; ".join(f"{name}={value}" for name, value in http.cookies.items())


def _messages(text: str | bytes) -> list[dict[str, Any]]:
    heard = json.loads(unpacked(text))
    return heard if isinstance(heard, list) else [heard]


async def _key(socket: ClientConnection) -> str:
    """The key of the open seat."""
    while True:
        for message in _messages(await socket.recv()):
            if message["type"] == "now":
                return str(message["links"]["1"])


class Seated:
    """A player's page at a table.

    Attributes:
        table, player: address of the table; number of the player.
        lines: all lines of the list of turns that the page has shown.
        sent: all that the person has chosen.
        unanswered: number of choices whose effect was not shown when the connection was lost.
        again: number of turns that had to be chosen again.
        turn_at: when the page saw another turn last.
        is_over: whether the match is over.
    """

    def __init__(self, play: Play, table: str, player: int, cookie: str, seed: float) -> None:
        self.table, self.player = table, player
        self.lines: set[tuple[int, int, str]] = set()
        self.sent: list[Sent] = []
        self.unanswered = self.again = 0
        self._play, self._cookie, self._chance = play, cookie, random.Random(seed)
        self.is_over, self.turn_at = False, time.monotonic()
        self._lost_at: float | None = None
        self._stand = (0, 0)
        self._chosen = (0, -1)
        self._acting: asyncio.Task[None] | None = None
        self._waiting: Sent | None = None
        self._last: dict[str, Any] | None = None

    def connected(self, site: Process) -> connect:
        return connect(
            f"{site.url.replace('http', 'ws')}{self.table}/live",
            additional_headers={"Cookie": self._cookie},
            origin=Origin(site.url),
            max_size=2**24,
            open_timeout=OPEN_S,
            proxy=None,
        )

    async def follow(self) -> None:
        """Plays until the match is over. Connects again like the page's script."""
        delay, site = FIRST_S, None
        try:
            while not self.is_over:
                site = self._play.cluster.free(site)
                if site is not None and await self._visit(site):
                    delay = FIRST_S
                if not self.is_over:
                    await asyncio.sleep(delay * (1 + self._chance.random()))
                    delay = min(LONGEST_S, 2 * delay)
        finally:
            self._stop_acting()

    async def _visit(self, site: Process) -> bool:
        """Follows the table at a process until the connection ends; whether a message came."""
        has_heard = False
        site.pages += 1
        try:
            async with self.connected(site) as socket:
                async for text in socket:
                    has_heard = True
                    for message in _messages(text):
                        self._hear(message, socket)
                    if self.is_over:
                        return True
            self._lose(site, socket.close_code or 0)
        except ConnectionClosed as error:
            self._lose(site, error.rcvd.code if error.rcvd else "cut")
        except (InvalidHandshake, OSError, TimeoutError) as error:
            self._lose(site, type(error).__name__)
        finally:
            site.pages -= 1
        return has_heard

    def _lose(self, site: Process, code: int | str) -> None:
        """The page shows that the connection is lost."""
        self._stop_acting()
        self._play.codes[code] += 1
        if self._lost_at is not None:
            return
        self._lost_at = time.monotonic() if site.is_up else site.killed_at
        if self._waiting is not None:
            self.unanswered += 1
            self._waiting.was_told = True

    def _stop_acting(self) -> None:
        if self._acting is not None:
            self._acting.cancel()
            self._acting = None

    def _hear(self, message: dict[str, Any], socket: ClientConnection) -> None:
        match message["type"]:
            case "hello":
                self.lines.update((turn, player, text) for turn, player, text in message["log"])
            case "step":
                self.lines.update((turn, player, text) for turn, player, text in message["log"])
            case "refused" | "problem":
                self._play.texts[message["text"]] += 1
                if self._waiting is not None:
                    self._waiting.was_told = True
                if message["type"] == "refused":
                    self._refused(socket)
            case "now":
                self._now(message, socket)

    def _now(self, message: dict[str, Any], socket: ClientConnection) -> None:
        now = time.monotonic()
        self.is_over = bool(message["outcome"])
        draft = message.get("draft")
        stand = message["turn"], len(draft["labels"]) if draft else 0
        if self._waiting is not None and (stand[0] != self._waiting.turn or not draft or stand > self._stand):
            self._waiting.shown_at, self._waiting = now, None
        if self._lost_at is not None:
            self._play.reconnects.append(now - self._lost_at)
            self._lost_at = None
            if draft and (self._waiting is not None or (self._stand[0] == stand[0] and self._stand > stand)):
                self.again += 1
                self._choose_again()
            self._chosen = (0, -1)
        self.turn_at = now if stand[0] != self._stand[0] else self.turn_at
        self._stand, self._last = stand, message if draft else None
        if draft and stand != self._chosen:
            is_new = stand[0] != self._chosen[0]
            self._chosen = stand
            self._stop_acting()
            self._act(message, socket, is_new)

    def _choose_again(self) -> None:
        if self._waiting is not None:
            self._waiting.again = True

    def _refused(self, socket: ClientConnection) -> None:
        """The person chooses again some time after the message."""
        if self._waiting is not None and self._last is not None and self._last["turn"] == self._waiting.turn:
            self._choose_again()
            self._stop_acting()
            self._act(self._last, socket, True)

    def _act(self, message: dict[str, Any], socket: ClientConnection, thinks: bool) -> None:
        def ended(task: asyncio.Task[None]) -> None:
            if not task.cancelled() and (error := task.exception()) is not None:
                self._play.errors.append(error)

        self._acting = asyncio.create_task(self._choose(message, socket, thinks))
        self._acting.add_done_callback(ended)

    async def _choose(self, message: dict[str, Any], socket: ClientConnection, thinks: bool) -> None:
        if thinks:
            await asyncio.sleep(self._chance.uniform(*self._play.thinks))
        choices, chosen = message["draft"]["choices"], len(message["draft"]["labels"])
        what: dict[str, Any] = {"do": "commit"}
        if choices:
            picked = self._chance.choice(choices) if chosen < MOST_PICKED else min(choices)
            what = {"do": "pick", "action": picked[0]}
        sent = Sent(message["turn"], time.monotonic())
        if self._waiting is not None:
            self._waiting.again = True
            sent = self._waiting
        else:
            self.sent.append(sent)
            self._waiting = sent
        with suppress(ConnectionClosed):  # `follow` notices it, too
            await socket.send(json.dumps(what | {"turn": message["turn"]}))
