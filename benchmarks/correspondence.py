"""Matches over days (correspondence matches): time of pages and of turns, with many waiting matches in the store.

    python benchmarks/correspondence.py [MATCHES [TURNS [URL]]]     by default 50000, 2000 and a SQLite file

The store is filled with waiting matches between random pairs of a thousand people. Each page is requested 20 times in
this process, without a network. Then the given number of turns is played within a minute. For each turn, a match is
read from the store, as if its player had opened the table, played, and closed it. The last lines tell how long this
took until the turn was stored and shown, what share of a core this process used, and its memory.
"""

from __future__ import annotations

import asyncio
import json
import resource
import statistics
import sys
import tempfile
import time
from random import Random
from time import perf_counter, process_time
from typing import Any

import httpx
from sqlalchemy import Connection

from lapilli.core.api import Game
from lapilli.games import load, names
from lapilli.site.app import create_app
from lapilli.site.live.table.audience import Watcher
from lapilli.site.live.table.plan import plan_of
from lapilli.site.live.tables import Tables
from lapilli.site.people.identity.names import folded
from lapilli.site.runtime.settings import Public
from lapilli.site.runtime.site import Site
from lapilli.store import DAY_S, Store
from lapilli.store.site.correspondence.tables import site_dues, site_turns
from lapilli.store.site.people.tables import site_users
from lapilli.store.site.play.tables import site_tables

ORIGIN, TOKEN = "http://example.org", "a token"
PEOPLE, TIMES, PORTION = 1_000, 20, 5_000
LASTS_S = 60.0


def fill(connection: Connection, game: Game, matches: int) -> None:
    """Adds a thousand accounts, and `matches` matches between them, in which it is the first player's turn."""
    lots, now = Random(1), time.time()
    people = [
        {"id": f"id{n}", "name": f"person-{n}", "folded": folded(f"person-{n}"), "password": "x", "role": "member"}
        for n in range(PEOPLE)
    ]
    connection.execute(site_users.insert(), [one | {"created": now, "seen": now} for one in people])
    for first in range(0, matches, PORTION):
        tables, turns, dues = [], [], []
        for number in range(first, min(matches, first + PORTION)):
            deadline = now + lots.uniform(3600, 3 * DAY_S)
            pair = lots.sample(range(PEOPLE), 2)
            table = {"id": f"m{number}", "game": game.name, "plan": json.dumps(plan(game, number, pair)), "slow": 1}
            tables.append(table | dict.fromkeys(("created", "changed", "seen"), now) | {"verdict": ""})
            for player, one in enumerate(pair):
                turn = {"table_id": f"m{number}", "player": player, "holder": f"@id{one}", "turn": 1, "since": now}
                turns.append(turn | {"asked": 1 - player, "deadline": None if player else deadline})
            dues.append({"table_id": f"m{number}", "due": deadline})
        connection.execute(site_tables.insert(), tables)
        connection.execute(site_turns.insert(), turns)
        connection.execute(site_dues.insert(), dues)


def plan(game: Game, number: int, pair: list[int]) -> dict[str, Any]:
    """Returns the plan of a match with three days for each turn.

    Args:
        game: the game.
        number: number of the match, which is also its seed.
        pair: numbers of the two people who play.
    """
    seats = [{"holder": f"@id{one}", "name": f"person-{one}"} for one in pair]
    made = plan_of({"game": game.name, "opponent1": "person", "time": "days-3"}, "x")
    return {
        "game": game.name,
        "setup": made.setup | {"seed": number},
        "seats": seats,
        "control": {"seconds": 3 * DAY_S},
    }


async def measure(site: Site, app: Any) -> None:
    """Requests the pages of one person from the site's web application `app`. Prints the median and maximum time of
    each.
    """
    assert site.accounts is not None
    site.store.site.people.start(site.accounts.key("session", TOKEN), "id0", "x", 1e6, 20)
    transport, cookies = httpx.ASGITransport(app=app), {"lapilli_session": TOKEN}
    async with httpx.AsyncClient(transport=transport, base_url=ORIGIN, cookies=cookies) as client:
        for path in ("/matches", "/matches/waiting", "/lobby/now", "/lobby", "/"):
            times = []
            for _ in range(TIMES + 1):
                began = perf_counter()
                answer = await client.get(path)
                times.append(1000 * (perf_counter() - began))
                assert answer.status_code == 200, answer.text
            print(f"{path:30} {statistics.median(times[1:]):8.1f} {max(times[1:]):8.1f}")


async def play(tables: Tables, matches: int, turns: int) -> list[float]:
    """Plays turns at a constant rate, all within a minute, and returns how long each took, in milliseconds.

    Args:
        tables: the tables of the site.
        matches: number of matches in the store.
        turns: number of turns to play, each in another match.
    """
    lots, times, tasks = Random(2), list[float](), set[asyncio.Task[None]]()

    async def turn(table_id: str) -> None:
        began = perf_counter()
        table = await tables.find(table_id)
        assert table is not None
        player = table.match.asked[0]
        watcher = Watcher(table.plan.seats[player].holder)
        await table.join(watcher)
        draft = table.match.draft(player)
        while not draft.complete:
            draft.pick(lots.choice(draft.choices()).action)
        async with table.lock:
            await table.give(player, reply=draft.reply())
        table.leave(watcher)
        times.append(1000 * (perf_counter() - began))

    began, chosen = perf_counter(), lots.sample(range(matches), turns)
    for number in range(turns):
        await asyncio.sleep(max(0.0, began + number * LASTS_S / turns - perf_counter()))
        task = asyncio.create_task(turn(f"m{chosen[number]}"))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    await asyncio.gather(*tasks)
    return times


async def run(store: Store, game: Game, matches: int, turns: int) -> None:
    app = create_app(store, Public(ORIGIN, b"x" * 32))
    site: Site = app.state.site
    site.compilation.start()
    await site.compilation.wait(game.name)
    await measure(site, app)
    sweeping = asyncio.create_task(site.tables.day_matches.run())
    began, used = perf_counter(), process_time()
    times = await play(site.tables, matches, turns)
    seconds = perf_counter() - began
    sweeping.cancel()
    times.sort()
    tail = "  ".join(f"{share} % {times[int(len(times) * share / 100) - 1]:.0f} ms" for share in (50, 95, 99))
    print(f"{len(times):,} turns in {seconds:.0f} s: {tail}")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    cores = (process_time() - used) / seconds
    print(f"{cores:.2f} cores, {memory:.0f} MiB, {len(site.tables.in_memory)} tables in memory", flush=True)
    site.tables.close()
    site.engines.close()
    site.compilation.close()


def main() -> None:
    matches, turns = map(int, [*sys.argv[1:3], *["50000", "2000"][len(sys.argv[1:3]) :]])
    game = next(one for one in map(load, names()) if len(one.new_initial_state(seed=1).asked()) == 1)
    with tempfile.TemporaryDirectory() as folder, Store.open((sys.argv[3:] or [f"{folder}/site.db"])[0]) as store:
        began = perf_counter()
        store._database.write(fill, game, matches)
        print(f"{matches:,} matches of {game.name} were stored in {perf_counter() - began:.0f} s")
        print(f"{'page':30} {'median':>8} {'slowest':>8}  ms")
        asyncio.run(run(store, game, matches, turns))


if __name__ == "__main__":
    main()
