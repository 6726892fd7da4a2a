"""Times of the pages about people: leaderboards, profiles and lists of matches.

    python benchmarks/people.py [PEOPLE [MATCHES [URL]]]     by default 2000, 20000 and a SQLite file

The store is filled with people and rated matches, which are generated, not played. One person in a hundred has played a
hundred times as often as the others; the measured profile belongs to such a person. Each page is requested 20 times in
this process, without a network. The figures are the median and the maximum time, in milliseconds.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
from collections.abc import Iterator
from random import Random
from time import perf_counter
from typing import Any

import httpx
from fastapi import FastAPI
from sqlalchemy import Connection

from lapilli.games import names
from lapilli.site.app import create_app
from lapilli.site.people.identity.names import folded
from lapilli.site.runtime.settings import Public
from lapilli.site.runtime.site import Site
from lapilli.store import LIVE, Store
from lapilli.store.site.people.tables import site_users
from lapilli.store.site.play.tables import site_tables
from lapilli.store.site.rating.tables import site_ratings, site_results

ORIGIN = "http://example.org"
TOKEN, PASSWORD = "a token", "x"
TIMES, PORTION = 20, 5_000


def portions(number: int) -> Iterator[range]:
    """Divides the numbers from 0 to `number` - 1 into ranges of up to PORTION numbers, and yields the ranges."""
    for first in range(0, number, PORTION):
        yield range(first, min(number, first + PORTION))


def fill(connection: Connection, people: int, matches: int) -> None:
    """Adds `people` accounts with ratings, and `matches` finished matches between them."""
    lots, busy = Random(1), max(1, people // 100)
    for numbers in portions(people):
        connection.execute(site_users.insert(), [_account(number) for number in numbers])
        connection.execute(site_ratings.insert(), [_rating(number, lots) for number in numbers])
    for numbers in portions(matches):
        pairs = [(lots.randrange(busy if lots.random() < 0.5 else people), lots.randrange(people)) for _ in numbers]
        connection.execute(site_tables.insert(), [_table(*one) for one in zip(numbers, pairs, strict=True)])
        results = [row for number, pair in zip(numbers, pairs, strict=True) for row in _results(number, pair)]
        connection.execute(site_results.insert(), results)


def _account(number: int) -> dict[str, Any]:
    name = {"id": f"id{number}", "name": f"person-{number}", "folded": folded(f"person-{number}"), "password": PASSWORD}
    return name | {"role": "member", "created": 0.0, "seen": 0.0}


def _rating(number: int, lots: Random) -> dict[str, Any]:
    counts = {"won": 5, "drawn": 0, "lost": 5, "changed": float(number), "settled": 1}
    rating = {"rating": lots.gauss(1000, 300), "deviation": 90.0}
    who = {"game": names()[0], "kind": LIVE, "subject": f"@id{number}", "account": f"id{number}"}
    return who | rating | counts


def _table(number: int, pair: tuple[int, int]) -> dict[str, Any]:
    seats = [{"holder": f"@id{one}", "name": f"person-{one}"} for one in pair]
    plan = json.dumps({"game": names()[0], "setup": {}, "seats": seats})
    times = {"created": float(number), "changed": float(number), "seen": float(number)}
    return {"id": f"m{number}", "game": names()[0], "plan": plan, "record": b"x", "verdict": "over"} | times


def _results(number: int, pair: tuple[int, int]) -> Iterator[dict[str, Any]]:
    for player, one in enumerate(pair):
        match = {"table_id": f"m{number}", "player": player, "game": names()[0], "at": float(number)}
        who = {"subject": f"@id{one}", "account": f"id{one}", "rank": 1 + player, "standing": ("won", "lost")[player]}
        rating = {"weight": 1.0, "rating_before": 1000.0, "deviation_before": 90.0, "rating": 1000.0, "deviation": 90.0}
        yield match | who | rating


async def measure(app: FastAPI, paths: list[str]) -> None:
    """Requests each page several times as a member, and prints the median and maximum time.

    `app`: the site's web application. `paths`: paths of the pages.
    """
    site: Site = app.state.site
    assert site.accounts is not None
    site.store.site.people.start(site.accounts.key("session", TOKEN), "id0", PASSWORD, 1e6, 20)
    transport, cookies = httpx.ASGITransport(app=app), {"lapilli_session": TOKEN}
    async with httpx.AsyncClient(transport=transport, base_url=ORIGIN, cookies=cookies) as client:
        for path in paths:
            times = []
            for _ in range(TIMES + 1):
                began = perf_counter()
                answer = await client.get(path)
                times.append(1000 * (perf_counter() - began))
                assert answer.status_code == 200, answer.text
            print(f"{path:55} {statistics.median(times[1:]):8.1f} {max(times[1:]):8.1f}")


def main() -> None:
    people, matches = map(int, [*sys.argv[1:3], *["2000", "20000"][len(sys.argv[1:3]) :]])
    with tempfile.TemporaryDirectory() as folder, Store.open((sys.argv[3:] or [f"{folder}/site.db"])[0]) as store:
        app, began = create_app(store, Public(ORIGIN, b"x" * 32)), perf_counter()
        store._database.write(fill, people, matches)
        print(f"{people:,} people and {matches:,} matches were stored in {perf_counter() - began:.0f} s")
        print(f"{'page':55} {'median':>8} {'slowest':>8}  ms")
        game, person = names()[0], "person-0"
        paths = [f"/people?game={game}", f"/people?game={game}&first={people // 2}", f"/people/{person}"]
        paths += [f"/people/{person}?opponent=person-{people - 1}", f"/people/{person}?opponent=person-1&result=lost"]
        asyncio.run(measure(app, [*paths, f"/people/person-{people - 1}", "/", "/lobby", "/lobby/now", "/matches"]))


if __name__ == "__main__":
    main()
