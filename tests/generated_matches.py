"""Comparisons of any length, for benchmarks: their matches are generated, not played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

from sqlalchemy import Connection, insert

from lapilli.core.api import Termination
from lapilli.store import tables
from lapilli.store.results import MatchResult, SeatResult

PORTION = 20_000
"""Number of matches inserted at once."""
NAMES = ("v2", "v1")


def rows(event_id: int, first: int, last: int, lots: Random) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Yields the rows of matches and of their seats."""
    for number in range(first, last):
        winner = lots.choice((0, 0, 0, 1, 1, 2))  # 2: nobody
        fault = "timeout" if winner == 0 and lots.random() < 0.02 else ""
        match = {
            "id": number + 1,
            "event_id": event_id,
            "number": number,
            "pair": number // 2,
            "seed": number // 2,
            "termination": Termination(fault) if fault else Termination.DECIDED,
            "reason": "no reply within 100 ms" if fault else "the higher score",
            "moves": f"{number:x}",
            "turns": 40,
            "started": 1.7e9 + number,
            "seconds": 0.5,
            "stored": 1.7e9 + number,
            "kept": False,
        }
        seats = []
        for seat, who in enumerate((0, 1) if number % 2 == 0 else (1, 0)):
            standing = "drawn" if winner == 2 else "won" if who == winner else "lost"
            bucket = 60 + lots.randrange(40)
            seats.append(
                {
                    "match_id": number + 1,
                    "seat": seat,
                    "event_id": event_id,
                    "contestant": who,
                    "score": 30 + (who == winner),
                    "rank": 2 if standing == "lost" else 1,
                    "standing": standing,
                    "fault": fault if who == 1 else "",
                    "answers": 40,
                    "cpu_ms": 80.0,
                    "waited_ms": 2.0,
                    "times": f'{{"{bucket}":36,"{bucket + 10}":4}}',
                    "bucket": bucket,
                }
            )
        yield match, seats


def fill(connection: Connection, event_id: int, number: int) -> None:
    """Inserts the matches, and the sums that the store would have counted."""
    lots = Random(7)
    sums: list[Counter[str]] = [Counter(), Counter()]
    times: list[Counter[int]] = [Counter(), Counter()]
    for first in range(0, number, PORTION):
        matches, seats = [], []
        for match, two in rows(event_id, first, min(first + PORTION, number), lots):
            matches.append(match)
            for seat in two:
                bucket = seat.pop("bucket")
                times[seat["contestant"]] += Counter({bucket: 36, bucket + 10: 4})
                sums[seat["contestant"]].update([seat["standing"], "timeout"] if seat["fault"] else [seat["standing"]])
                seats.append(seat)
        connection.execute(insert(tables.matches), matches)
        connection.execute(insert(tables.seats), seats)
    for who, own in enumerate(sums):
        key = {"event_id": event_id, "contestant": who}
        results = {name: own[name] for name in ("won", "drawn", "lost")}
        figures = {"score": 30 * number + own["won"], "answers": 40 * number, "cpu_ms": 80.0 * number}
        connection.execute(insert(tables.tallies), [key | results | figures | {"matches": number, "waited_ms": 2.0}])
        connection.execute(insert(tables.meetings), [key | results | {"opponent": 1 - who, "margin": 0}])
        connection.execute(
            insert(tables.time_counts), [key | {"bucket": b, "number": n} for b, n in times[who].items()]
        )
        if own["timeout"]:
            connection.execute(insert(tables.fault_counts), [key | {"fault": "timeout", "number": own["timeout"]}])
    connection.execute(tables.events.update().where(tables.events.c.id == event_id).values(played=number))


def played(number: int, packed: bytes | None) -> MatchResult:
    """A further match, which contestant 0 has lost."""
    seats = tuple(SeatResult(contestant=who, score=who, rank=2 - who, answers=40, times={70: 40}) for who in (0, 1))
    return MatchResult(
        number=number,
        pair=number // 2,
        seed=number,
        seats=seats,
        termination=Termination.DECIDED,
        reason="the higher score",
        moves=str(number),
        record=packed,
    )
