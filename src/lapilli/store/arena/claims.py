"""Claims of matches: several processes share the matches of an event, and no match is played twice.

A worker is a process that plays matches. A claim reserves a match for one worker until the claim expires. Then any
worker may claim the match. A worker can also release its claims, and the claims of a worker that has died on this
machine can be released at once. A match that was played has no claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, func, select, update

from lapilli.store.arena.adding import chunks, stored_numbers
from lapilli.store.arena.events import lock
from lapilli.store.facts import Claimant
from lapilli.store.statements import insert_into, now
from lapilli.store.tables import claims, events, matches
from lapilli.store.workers import is_dead

_WINDOW = 10_000
"""Number of match numbers that `claim_next` checks with one query when it looks for free matches."""


def claim(connection: Connection, event_id: int, numbers: Sequence[int], worker: str, lease: float) -> list[int]:
    """Reserves matches of an event for a worker, and returns their numbers. Implements `Store.claim`.

    Matches that were played, or that another worker has claimed, are left out.

    Args:
        connection: the connection.
        event_id: id of the event.
        numbers: numbers of the wanted matches.
        worker: name of the worker, the process that will play the matches.
        lease: duration of the claims, in seconds.
    """
    lock(connection, event_id)
    time = now(connection)
    taken = stored_numbers(connection, matches, event_id, numbers)
    taken |= _claimed_by_others(connection, event_id, numbers, worker, time)
    free = [number for number in dict.fromkeys(numbers) if number not in taken]
    _take(connection, event_id, free, worker, time + lease)
    return free


def claim_next(
    connection: Connection, event_id: int, most: int, worker: str, lease: float, below: int | None
) -> list[int]:
    """Reserves the next matches of an event for a worker, and returns their numbers. Implements `Store.claim_next`.

    These are the matches with the lowest numbers that were not played, and that nobody has claimed.

    Args:
        connection: the connection.
        event_id: id of the event.
        most: largest number of matches.
        worker: name of the worker, the process that will play the matches.
        lease: duration of the claims, in seconds.
        below: only matches with numbers below this one are claimed; None for no limit.
    """
    event = lock(connection, event_id)
    time = now(connection)
    end = below if below is not None else 2**62
    expired = select(claims.c.number).where(
        claims.c.event_id == event_id, claims.c.expires <= time, claims.c.number < end
    )
    free = list(connection.execute(expired.order_by(claims.c.number).limit(most)).scalars())
    number_to_check = event.next_number
    while len(free) < most and number_to_check < end:
        window = range(number_to_check, min(number_to_check + max(_WINDOW, most), end))
        taken = _taken_between(connection, event_id, window)
        for number in window:
            if len(free) == most:
                break
            if number not in taken:
                free.append(number)
            number_to_check = number + 1
    if number_to_check > event.next_number:
        connection.execute(update(events).where(events.c.id == event_id).values(next_number=number_to_check))
    _take(connection, event_id, free, worker, time + lease)
    return free


def _taken_between(connection: Connection, event_id: int, window: range) -> set[int]:
    """Returns the numbers in the range `window` of matches that were played, or for which a claim is stored.

    The claim may have expired. `claim_next` has already taken the matches with expired claims when it calls this
    function, and must not take them a second time.
    """
    taken: set[int] = set()
    for table in (matches, claims):
        query = select(table.c.number).where(
            table.c.event_id == event_id, table.c.number >= window.start, table.c.number < window.stop
        )
        taken.update(connection.execute(query).scalars())
    return taken


def _claimed_by_others(
    connection: Connection, event_id: int, numbers: Sequence[int], worker: str, time: float
) -> set[int]:
    """Returns the match numbers in `numbers` that a worker other than `worker` has claimed at `time`."""
    query = select(claims.c.number).where(
        claims.c.event_id == event_id, claims.c.worker != worker, claims.c.expires > time
    )
    return {
        number
        for chunk in chunks(numbers)
        for number in connection.execute(query.where(claims.c.number.in_(chunk))).scalars()
    }


def _take(connection: Connection, event_id: int, numbers: Sequence[int], worker: str, expires: float) -> None:
    """Stores claims of the matches `numbers` for a worker, which end at `expires`. Replaces existing claims of them."""
    if numbers:
        statement = insert_into(connection, claims)
        statement = statement.on_conflict_do_update(
            index_elements=list(claims.primary_key),
            set_={"worker": statement.excluded.worker, "expires": statement.excluded.expires},
        )
        rows = [{"event_id": event_id, "number": number, "worker": worker, "expires": expires} for number in numbers]
        connection.execute(statement, rows)


def renew(connection: Connection, event_id: int, numbers: Sequence[int], worker: str, lease: float) -> list[int]:
    """Extends a worker's claims of the matches `numbers` to `lease` seconds from now. Implements `Store.renew`.

    Returns the numbers of the matches that the worker still has claimed.
    """
    lock(connection, event_id)
    return _change(connection, event_id, numbers, worker, {"expires": now(connection) + lease})


def release_dead(connection: Connection, event_id: int) -> list[Claimant]:
    """Releases the claims of workers that have died on this machine. Returns the other workers with claims."""
    claimants = _claimants(connection, [event_id], now(connection)).get(event_id, [])
    dead = [claimant.worker for claimant in claimants if is_dead(claimant.worker)]
    if dead:
        lock(connection, event_id)
        for worker in dead:
            release(connection, event_id, None, worker)
    return [claimant for claimant in claimants if claimant.worker not in dead]


def living(connection: Connection, event_ids: Sequence[int]) -> dict[int, list[Claimant]]:
    """Returns the living workers that play matches of these events, by event id. Implements `Store.running`.

    A worker is a process. It has claimed the matches that it plays.
    """
    found = {
        event_id: [claimant for claimant in claimants if not is_dead(claimant.worker)]
        for event_id, claimants in _claimants(connection, event_ids, now(connection)).items()
    }
    return {event_id: claimants for event_id, claimants in found.items() if claimants}


def _claimants(connection: Connection, event_ids: Sequence[int], time: float) -> dict[int, list[Claimant]]:
    """Returns the workers whose claims have not expired at `time`, by event id. Some of them may have died."""
    query = (
        select(
            claims.c.event_id, claims.c.worker, func.count().label("matches"), func.max(claims.c.expires).label("end")
        )
        .where(claims.c.event_id.in_(event_ids), claims.c.expires > time)
        .group_by(claims.c.event_id, claims.c.worker)
        .order_by(claims.c.event_id, claims.c.worker)
    )
    found: dict[int, list[Claimant]] = {}
    for row in connection.execute(query):
        claimant = Claimant(worker=row.worker, matches=row.matches, seconds_left=row.end - time)
        found.setdefault(row.event_id, []).append(claimant)
    return found


def release(connection: Connection, event_id: int, numbers: Sequence[int] | None, worker: str) -> None:
    """Releases a worker's claims of the matches `numbers` or, if `numbers` is None, of all matches of the event."""
    lock(connection, event_id)
    if numbers is None:
        own_claims = select(claims.c.number).where(claims.c.event_id == event_id, claims.c.worker == worker)
        numbers = connection.execute(own_claims).scalars().all()
    _change(connection, event_id, numbers, worker, {"expires": 0.0, "worker": ""})


def _change(
    connection: Connection, event_id: int, numbers: Sequence[int], worker: str, values: dict[str, Any]
) -> list[int]:
    """Changes a worker's claims of these matches. `values`: the new values, by the name of the column.

    Returns:
        The numbers of the matches whose claims were changed: those that the worker still has claimed.
    """
    own_claims = update(claims).where(claims.c.event_id == event_id, claims.c.worker == worker)
    changed: list[int] = []
    for chunk in chunks(numbers):
        statement = own_claims.where(claims.c.number.in_(chunk)).values(values).returning(claims.c.number)
        changed += connection.execute(statement).scalars()
    return sorted(changed)
