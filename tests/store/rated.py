"""Accounts, tables and results for tests of ratings, and a second way to compute ratings: from all results at once."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from random import Random
from typing import Any

from sqlalchemy import Connection, select

from lapilli.site.live.results.rating import rated
from lapilli.store import ENGINE, PlayerRating, RatingRules, Store
from lapilli.store.site.rating.tables import site_ratings, site_results

NEW = PlayerRating(800.0, 350.0)
RULES = RatingRules(NEW, {"level1": PlayerRating(200.0, 30.0), "level4": PlayerRating(1200.0, 30.0)}, rated)
DAY = 86_400.0
GAME = "tictactoe"


def add_account(store: Store, name: str) -> str:
    """An account; what plans call it."""
    assert store.site.people.add(f"id {name}", name, name.lower(), "hash", "member")
    return f"@id {name}"


def lay(store: Store, table_id: str, *players: str) -> None:
    """A table of these players: holders, names of engines, or ids of bots behind `bot:`."""
    seats: list[dict[str, str]] = []
    for player in players:
        key = "bot" if player.startswith("bot:") else "holder" if player[:1] in "@t~" else "engine"
        seats.append({key: player.removeprefix("bot:"), "name": player})
    store.site.matches.add(table_id, GAME, {"game": GAME, "seats": seats})


def ranks_of_match(number: int, players: int) -> list[int]:
    """Lots, the same for the same number; players with small numbers are better."""
    lots = Random(number)
    scores = [lots.gauss(-player, 2) // 2 for player in range(players)]
    return [1 + sum(other > score for other in scores) for score in scores]


def rows(store: Store, table: Any = site_results) -> list[Any]:
    def read(connection: Connection) -> list[Any]:
        query = select(table)
        return list(connection.execute(query.order_by(table.c.number) if "number" in table.c else query))

    return store.site.ratings._database.read(read)


def recounted(store: Store) -> dict[str, PlayerRating]:
    """The ratings of one game, from nothing but the ranks, times and players of its rated results."""
    matches: dict[str, list[Any]] = defaultdict(list)
    for row in rows(store):
        if row.weight is not None:
            matches[row.table_id].append(row)
    ratings: dict[str, PlayerRating] = {}
    played: list[tuple[float, set[str]]] = []
    for seats in matches.values():
        time, accounts = seats[0].at, {row.account for row in seats if row.account}
        lately = [pair for at, pair in played if at > time - DAY]
        met = max((sum({*pair} <= earlier for earlier in lately) for pair in combinations(accounts, 2)), default=0)
        weight = 0.5 ** max(0, met - 4)
        before = [
            RULES.anchors[row.subject.removeprefix(ENGINE)] if not row.account else ratings.get(row.subject, NEW)
            for row in seats
        ]
        after = rated(before, [row.rank for row in seats], weight)
        ratings |= {row.subject: new for row, new in zip(seats, after, strict=True) if row.account}
        played.append((time, accounts))
    return ratings


def stored(store: Store) -> dict[str, PlayerRating]:
    """The ratings in the store."""
    return {row.subject: PlayerRating(row.rating, row.deviation) for row in rows(store, site_ratings)}
