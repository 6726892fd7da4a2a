"""Claims of matches: several processes share the matches of an event, and none is played twice.

A claim holds until it expires. An expired claim, or one without a worker, may be taken by anybody. A match that was
played has no claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, select, update

from lapilli.store.adding import chunks, insert_into, numbers_there
from lapilli.store.events import lock, now
from lapilli.store.tables import claims, events, matches

_WINDOW = 10_000
"""Number of match numbers that one pair of queries covers while free ones are searched."""


def claim(connection: Connection, event_id: int, numbers: Sequence[int], worker: str, lease: float) -> list[int]:
    """Claims those of the numbers that are free, and returns them, see `Store.claim`."""
    lock(connection, event_id)
    time = now(connection)
    taken = numbers_there(connection, matches, event_id, numbers) | _held(connection, event_id, numbers, worker, time)
    free = [number for number in dict.fromkeys(numbers) if number not in taken]
    _take(connection, event_id, free, worker, time + lease)
    return free


def claim_next(
    connection: Connection, event_id: int, most: int, worker: str, lease: float, below: int | None
) -> list[int]:
    """Claims the lowest free numbers, and returns them, see `Store.claim_next`."""
    event = lock(connection, event_id)
    time = now(connection)
    end = below if below is not None else 2**62
    expired = select(claims.c.number).where(
        claims.c.event_id == event_id, claims.c.expires <= time, claims.c.number < end
    )
    free = list(connection.execute(expired.order_by(claims.c.number).limit(most)).scalars())
    ahead = event.next_number
    while len(free) < most and ahead < end:
        window = range(ahead, min(ahead + max(_WINDOW, most), end))
        taken = _between(connection, event_id, window)
        for number in window:
            if len(free) == most:
                break
            if number not in taken:
                free.append(number)
            ahead = number + 1
    if ahead > event.next_number:
        connection.execute(update(events).where(events.c.id == event_id).values(next_number=ahead))
    _take(connection, event_id, free, worker, time + lease)
    return free


def _between(connection: Connection, event_id: int, window: range) -> set[int]:
    """Returns the numbers of a range that are played or claimed.

    Expired claims are included: `claim_next` has looked at them before.
    """
    taken: set[int] = set()
    for table in (matches, claims):
        query = select(table.c.number).where(
            table.c.event_id == event_id, table.c.number >= window.start, table.c.number < window.stop
        )
        taken.update(connection.execute(query).scalars())
    return taken


def _held(connection: Connection, event_id: int, numbers: Sequence[int], worker: str, time: float) -> set[int]:
    """Returns those of the numbers that other workers have claimed."""
    query = select(claims.c.number).where(
        claims.c.event_id == event_id, claims.c.worker != worker, claims.c.expires > time
    )
    return {
        number
        for some in chunks(numbers)
        for number in connection.execute(query.where(claims.c.number.in_(some))).scalars()
    }


def _take(connection: Connection, event_id: int, numbers: Sequence[int], worker: str, expires: float) -> None:
    if numbers:
        statement = insert_into(connection, claims)
        statement = statement.on_conflict_do_update(
            index_elements=list(claims.primary_key),
            set_={"worker": statement.excluded.worker, "expires": statement.excluded.expires},
        )
        rows = [{"event_id": event_id, "number": number, "worker": worker, "expires": expires} for number in numbers]
        connection.execute(statement, rows)


def renew(connection: Connection, event_id: int, numbers: Sequence[int], worker: str, lease: float) -> list[int]:
    """Extends claims, see `Store.renew`."""
    lock(connection, event_id)
    return _change(connection, event_id, numbers, worker, {"expires": now(connection) + lease})


def release(connection: Connection, event_id: int, numbers: Sequence[int] | None, worker: str) -> None:
    """Releases claims, see `Store.release`."""
    lock(connection, event_id)
    if numbers is None:
        mine = select(claims.c.number).where(claims.c.event_id == event_id, claims.c.worker == worker)
        numbers = connection.execute(mine).scalars().all()
    _change(connection, event_id, numbers, worker, {"expires": 0.0, "worker": ""})


def _change(
    connection: Connection, event_id: int, numbers: Sequence[int], worker: str, values: dict[str, Any]
) -> list[int]:
    mine = update(claims).where(claims.c.event_id == event_id, claims.c.worker == worker)
    changed: list[int] = []
    for some in chunks(numbers):
        statement = mine.where(claims.c.number.in_(some)).values(values).returning(claims.c.number)
        changed += connection.execute(statement).scalars()
    return sorted(changed)
