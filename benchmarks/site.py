"""Many people at once: the time until others see a move, and the memory that a watcher costs.

    python benchmarks/site.py                       # 500 watching one match; 50 matches of two; both together
    python benchmarks/site.py --seconds 60 --store postgresql://HOST/DATABASE
    python benchmarks/site.py --together --watchers 4000 --watched 10 --matches 500 --think 15 45

The benchmark starts a site of its own on this machine, and connects to nothing else. Client and server share two cores.
People think for one to three seconds about every turn, or as long as `--think` says. The measured time begins with the
message that completes a turn, and ends when the pictures of the turn arrive at a watcher, or at a player of the match.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import gzip
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from lapilli.games import load, names

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from process_use import ProcessUse

CORES = 2
MOST_WATCHERS, MOST_MATCHES = 5000, 500
GOAL_MS, GOAL_KB = 200, 200
THINKS = (1.0, 3.0)
"""Default limits of the time that a person takes for a turn, in seconds. The times are uniformly distributed."""
_STEP = '"type":"step"'


class Match:
    """A table of two people: the times at which turns were completed, and at which pictures arrived at each person."""

    def __init__(self, url: str, game: str, seed: int, thinks: tuple[float, float]) -> None:
        self.url, self.game, self.chance, self.thinks = url, game, random.Random(seed), thinks
        self.path = ""
        self.sent: list[float] = []
        self.last_sent = 0.0
        self.heard: list[list[float]] = []
        self.cookies = ["", ""]

    async def lay(self, http: httpx.AsyncClient) -> None:
        form = {"game": self.game, "seat": "1", "opponent1": "person", "name": "Ada"}
        answer = await http.post("/play", data=form, headers={"Origin": self.url})
        assert answer.status_code == 303, answer.text
        self.path, self.cookies[0] = answer.headers["location"], answer.headers["set-cookie"].split(";")[0]
        async with self.live(0) as socket:
            key = (await told(socket, "now"))["links"]["1"]
        http.cookies.clear()
        seat = f"{self.path}/seat/{key}"
        answer = await http.post(seat, data={"name": "Grace"}, headers={"Origin": self.url})
        self.cookies[1] = answer.headers["set-cookie"].split(";")[0]

    @asynccontextmanager
    async def live(self, who: int | None = None) -> AsyncIterator[ClientConnection]:
        headers = {} if who is None else {"Cookie": self.cookies[who]}
        url = f"{self.url.replace('http', 'ws')}{self.path}/live"
        async with connect(
            url, additional_headers=headers, origin=Origin(self.url), max_size=2**24, proxy=None, open_timeout=60
        ) as socket:
            yield socket

    async def play(self, player: int, socket: ClientConnection) -> None:
        """Plays random turns until cancelled or the match is over."""
        arrivals: list[float] = []
        self.heard.append(arrivals)
        turn = 0
        async for text in socket:
            for message in messages_of(text):
                if message["type"] == "step":
                    arrivals.append(time.perf_counter())
                    if len(arrivals) > len(self.sent):
                        self.sent.append(self.last_sent)
                if message["type"] != "now" or "draft" not in message:
                    continue
                if message["turn"] != turn:
                    # The first turns are spread evenly: not all matches of a site begin at the same moment.
                    limits = self.thinks if turn else (0.0, self.thinks[1])
                    turn = message["turn"]
                    await asyncio.sleep(self.chance.uniform(*limits))
                choices = message["draft"]["choices"]
                what = {"do": "pick", "action": min(choices)[0]} if choices else {"do": "commit"}
                self.last_sent = time.perf_counter()
                await socket.send(json.dumps(what | {"turn": turn}))

    async def watch(self, socket: ClientConnection) -> None:
        arrivals: list[float] = []
        self.heard.append(arrivals)
        try:
            async for text in socket:
                if isinstance(text, bytes):  # the first message to a page
                    continue
                arrivals += [time.perf_counter()] * text.count(_STEP)  # also turns that nobody plays
        except ConnectionClosed as error:
            sys.exit(f"a watcher was let go: {error}")

    def delays_ms(self) -> list[float]:
        """Returns the time from each turn's completion until each person has its pictures, in milliseconds."""
        return [1000 * (came - sent) for one in self.heard for came, sent in zip(one, self.sent, strict=False)]


def messages_of(text: str | bytes) -> list[dict[str, Any]]:
    found = json.loads(text if isinstance(text, str) else gzip.decompress(text))
    return found if isinstance(found, list) else [found]


async def told(socket: ClientConnection, kind: str) -> dict[str, Any]:
    while True:
        for message in messages_of(await socket.recv()):
            if message["type"] == kind:
                return message


class Server:
    """A site in a process of its own."""

    def __init__(self, store: str) -> None:
        command = [sys.executable, "-m", "lapilli", "site", "--no-browser", "--port", "0", "--store", store]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+", self.process.stdout.readline())
        assert found is not None
        self.url = found[0]
        self.use = ProcessUse(self.process.pid)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=60)


class Load(NamedTuple):
    """A load: numbers of people and matches at the same time.

    Attributes:
        watchers: number of people who watch.
        watched: number of matches among which the watchers are distributed.
        matches: number of matches that are played.
        thinks: limits of the time that a person takes for a turn, in seconds.
    """

    watchers: int
    watched: int
    matches: int
    thinks: tuple[float, float]


async def load_of(server: Server, people: Load, seconds: float) -> bool:
    """Lets people play and watch on the site for `seconds` seconds, and prints the figures.

    Returns whether the figures meet the goals.

    Args:
        server: the site.
        people: numbers of people and matches.
        seconds: duration, in seconds.
    """
    games = [name for name in names() if min(load(name).players) == 2]
    watchers, loads, own = people.watchers, [os.getloadavg()[0]], ProcessUse("self")
    played = max(people.matches, min(watchers, people.watched))
    tables = [Match(server.url, games[number % len(games)], number, people.thinks) for number in range(played)]
    async with httpx.AsyncClient(base_url=server.url, timeout=60, trust_env=False) as http, AsyncExitStack() as open_:
        for table in tables:
            await table.lay(http)
            http.cookies.clear()
        before = server.use.memory_kb()
        tasks = []
        for number in range(watchers):
            watched = tables[number % people.watched]
            socket = await open_.enter_async_context(watched.live())
            tasks.append(asyncio.create_task(watched.watch(socket)))
        await asyncio.sleep(1)
        grown = server.use.memory_kb() - before
        players = [(table, who, await open_.enter_async_context(table.live(who))) for table in tables for who in (0, 1)]
        gc.collect()
        gc.disable()  # the pauses of this process are not the site's
        tasks += [asyncio.create_task(table.play(who, socket)) for table, who, socket in players]
        cpu, waited = server.use.cpu_s(), server.use.waited_s() + own.waited_s()
        await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
        cpu, waited = server.use.cpu_s() - cpu, server.use.waited_s() + own.waited_s() - waited
        after = server.use.memory_kb() - before
        for task in tasks:
            if task.done() and (error := task.exception()) is not None:
                raise error
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        gc.enable()
    delays = sorted(delay for table in tables for delay in table.delays_ms())
    p50, p95, p99 = (delays[int(len(delays) * share)] for share in (0.5, 0.95, 0.99))
    turns = sum(len(table.sent) for table in tables)
    loads.append(os.getloadavg()[0])
    each = max(grown, after) / watchers if watchers else 0.0
    print(
        f"{watchers} watching {people.watched}, {len(tables)} matches of two: {turns} turns, {len(delays)} arrivals; "
        f"p50 {p50:.1f} ms, p95 {p95:.1f} ms, p99 {p99:.1f} ms; {after} kB more"
        + (
            f", {grown / watchers:.0f} kB a watcher at first, {each:.0f} kB with all that was played"
            if watchers
            else ""
        )
        + f"; server {100 * cpu / seconds:.0f} % of a core, {1000 * cpu / turns:.1f} ms a turn"
        f"; both {100 * waited / seconds:.0f} % waiting for one; load {loads[0]:.1f}, {loads[1]:.1f}",
        flush=True,
    )
    return p95 <= GOAL_MS and each <= GOAL_KB


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--watchers", type=int, default=500)
    parser.add_argument("--watched", type=int, default=1, help="how many matches the watchers share")
    parser.add_argument("--matches", type=int, default=50)
    parser.add_argument("--think", type=float, nargs=2, default=THINKS, help="limits of the time for a turn, in s")
    parser.add_argument("--together", action="store_true", help="measure only watchers and matches together")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--store", help="a store of its own otherwise, in a folder that is removed")
    given = parser.parse_args()
    is_possible = 0 < given.watched <= given.matches <= MOST_MATCHES and 0 < given.watchers <= MOST_WATCHERS
    if not (is_possible and 0 < given.seconds <= 600):
        parser.error(f"at most {MOST_WATCHERS} watchers, {MOST_MATCHES} matches and 600 seconds")
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-CORES:])
    good = True
    low, high = given.think
    loads = ((given.watchers, 0), (0, given.matches), (given.watchers, given.matches))[2 * given.together :]
    with tempfile.TemporaryDirectory() as folder:
        for number, (watchers, matches) in enumerate(loads):
            server = Server(given.store or f"{folder}/site-{number}.db")
            try:
                good &= asyncio.run(load_of(server, Load(watchers, given.watched, matches, (low, high)), given.seconds))
            finally:
                server.stop()
    print(f"the goals ({GOAL_MS} ms, {GOAL_KB} kB) are {'met' if good else 'missed'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
