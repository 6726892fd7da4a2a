"""Stores whose turn it is in correspondence matches, and the deadlines of these turns.

Each match has a time at which a process of the site checks it next. Then the process ends the turn if the deadline has
passed, or lets an engine or bot answer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Any

from sqlalchemy import Connection, exists, func, select, true, update

from lapilli.store.database import Database
from lapilli.store.site.correspondence.facts import OwnMatch, TurnTime
from lapilli.store.site.correspondence.tables import look_at, site_dues, site_sweeps, site_turns, site_vacations
from lapilli.store.site.play.tables import site_tables, table_of
from lapilli.store.site.shared.installed import is_installed
from lapilli.store.statements import insert_into, now

CLAIMED_S = 60.0
"""Time for which a match is reserved for the process that checks it, in seconds."""
ENGINE_S = 60.0
"""Interval between two checks of a match while an engine or bot must answer, in seconds."""
DOWN_S = 600.0
"""If no process has looked for matches to check for this time, in seconds, the site was down and no clock ran."""
_LISTED = 200
"""Largest number of matches in a list."""
_MISSING = (
    select(site_dues.c.table_id)
    .join(site_tables, site_tables.c.id == site_dues.c.table_id)
    .where(~is_installed(site_tables.c.game))
)
"""Ids of the unfinished correspondence matches of games that are not installed. Their clocks stand still."""


def _ask(
    connection: Connection, table_id: str, turn: int, seats: Mapping[int, str], asked: Collection[int], lasts: float
) -> dict[int, TurnTime]:
    """Stores whose turn it is in a correspondence match, and returns the times of these players, by player.

    Implements `DayTurns.ask`.

    Args:
        connection: the connection.
        table_id: id of the table.
        turn: number of the turn.
        seats: by player, the text that identifies the person or program in the seat.
        asked: players in `seats` whose turn it is.
        lasts: time for a turn, in seconds.
    """
    unfinished = site_tables.c.id == table_id, site_tables.c.record.is_(None)
    query = select(site_tables.c.slow).where(*unfinished).with_for_update()
    slow = connection.execute(query).scalar_one_or_none()
    if slow is None:
        return {}
    if not slow:
        connection.execute(update(site_tables).where(site_tables.c.id == table_id).values(slow=1))
    time, absent = now(connection), _vacations(connection, seats.values())
    rows = connection.execute(select(site_turns).where(site_turns.c.table_id == table_id))
    stored = {row.player: row for row in rows}
    deadlines: dict[int, float] = {}
    for player, holder in seats.items():
        row: Any = stored.get(player)
        is_asked = player in asked
        goes_on = row is not None and bool(row.asked) == is_asked and (row.turn == turn or not is_asked)
        if is_asked:
            deadlines[player] = row.deadline if goes_on else max(time, absent.get(holder, 0.0)) + lasts
        if not goes_on or row.holder != holder:
            key = {"table_id": table_id, "player": player}
            values = {"holder": holder, "turn": turn, "asked": int(is_asked), "deadline": deadlines.get(player)}
            values["since"] = time
            upsert = insert_into(connection, site_turns).values(key | values)
            connection.execute(upsert.on_conflict_do_update(index_elements=list(key), set_=values))
    look_at(connection, table_id, min(deadlines.values(), default=time + ENGINE_S))
    return {player: TurnTime(end - time, absent.get(seats[player], 0.0) > time) for player, end in deadlines.items()}


def _known(
    connection: Connection, table_id: str, turn: int, seats: Mapping[int, str], asked: Collection[int]
) -> dict[int, TurnTime] | None:
    """Returns the times of the players whose turn it is, by player, if the store contains this turn already.

    Otherwise returns None: the caller must then call `_ask`, which stores the turn.

    Args:
        connection: the connection.
        table_id: id of the table.
        turn: number of the turn.
        seats: by player, the text that identifies the person or program in the seat.
        asked: players in `seats` whose turn it is.
    """
    query = select(site_turns, site_dues.c.due).join(site_dues, site_dues.c.table_id == site_turns.c.table_id)
    rows = {row.player: row for row in connection.execute(query.where(site_turns.c.table_id == table_id))}
    deadlines = {player: row.deadline for player, row in rows.items() if row.asked and row.turn == turn}
    if not asked or deadlines.keys() != set(asked) or {player: row.holder for player, row in rows.items()} != seats:
        return None
    if any(row.due != min(deadlines.values()) for row in rows.values()):
        return None
    time, absent = now(connection), _vacations(connection, seats.values())
    return {player: TurnTime(end - time, absent.get(seats[player], 0.0) > time) for player, end in deadlines.items()}


def _vacations(connection: Connection, holders: Collection[str]) -> dict[str, float]:
    """Returns the end of each person's last vacation, in seconds since 1970. People without vacations are left out."""
    query = select(site_vacations.c.holder, site_vacations.c.until)
    rows = connection.execute(query.where(site_vacations.c.holder.in_(list(holders))))
    return {row.holder: row.until for row in rows}


def _claim_overdue(connection: Connection, most: int, has_missing: bool) -> list[str]:
    """Returns the ids of up to `most` correspondence matches that the site must check now.

    In such a match, a clock has run out, a bot must reply, or a turn must be started.
    Reserves these matches for the caller for a minute. Implements `DayTurns.claim_overdue`.

    `has_missing`: whether there are unfinished matches of games that are not installed.
    """
    time = now(connection)
    first = insert_into(connection, site_sweeps).values(id=1, at=time)
    connection.execute(first.on_conflict_do_nothing())
    last = connection.execute(select(site_sweeps.c.at).where(site_sweeps.c.id == 1).with_for_update()).scalar_one()
    connection.execute(update(site_sweeps).values(at=time))
    gap, was_down = time - last, time - last > DOWN_S
    if was_down or has_missing:
        stopped = true() if was_down else site_turns.c.table_id.in_(_MISSING)
        moved = update(site_turns).where(site_turns.c.asked == 1, stopped)
        connection.execute(moved.values(deadline=site_turns.c.deadline + gap))
        stopped = true() if was_down else site_dues.c.table_id.in_(_MISSING)
        connection.execute(update(site_dues).where(stopped).values(due=site_dues.c.due + gap))
    query = select(site_dues.c.table_id).join(site_tables, site_tables.c.id == site_dues.c.table_id)
    query = query.where(site_dues.c.due <= time, is_installed(site_tables.c.game)).order_by(site_dues.c.due).limit(most)
    ids = list(connection.execute(query.with_for_update(of=site_dues, skip_locked=True)).scalars())
    connection.execute(update(site_dues).where(site_dues.c.table_id.in_(ids)).values(due=time + CLAIMED_S))
    return ids


def _of(connection: Connection, holder: str, most: int) -> list[OwnMatch]:
    """Returns up to `most` unfinished correspondence matches of the person or program `holder`.

    Implements `DayTurns.of`.
    """
    time, columns = now(connection), [column for column in site_tables.c if column.name != "record"]
    turn = [site_turns.c[name].label(f"turn_{name}") for name in ("player", "asked", "deadline", "since")]
    joined = site_turns.join(site_tables, site_tables.c.id == site_turns.c.table_id)
    first = select(func.min(_others.c.deadline)).where(_others.c.table_id == site_turns.c.table_id).scalar_subquery()
    query = select(*columns, *turn, first.label("first")).select_from(joined)
    query = query.where(site_turns.c.holder == holder, is_installed(site_tables.c.game))
    order = site_turns.c.asked.desc(), site_turns.c.deadline, site_turns.c.table_id
    return [_own_match(row, time) for row in connection.execute(query.order_by(*order).limit(most))]


_others = site_turns.alias()


def _own_match(row: Any, time: float) -> OwnMatch:
    deadline = row.turn_deadline if row.turn_asked else row.first
    return OwnMatch(
        table=table_of(row),
        player=row.turn_player,
        is_asked=bool(row.turn_asked),
        left_s=None if deadline is None else deadline - time,
        since=row.turn_since,
    )


def _waiting(connection: Connection, holder: str) -> list[tuple[str, int]]:
    """Returns the tables at which it is the turn of the person or program `holder`. Implements `DayTurns.waiting`.

    Each is a tuple (id of the table, number of the turn). The table with the least time left is first.
    """
    conditions = site_turns.c.holder == holder, site_turns.c.asked == 1, is_installed(site_tables.c.game)
    query = select(site_turns.c.table_id, site_turns.c.turn)
    query = query.join(site_tables, site_tables.c.id == site_turns.c.table_id).where(*conditions)
    query = query.order_by(site_turns.c.deadline, site_turns.c.table_id).limit(_LISTED)
    return [(row.table_id, row.turn) for row in connection.execute(query)]


def _count(connection: Connection, holder: str) -> int:
    query = select(func.count()).select_from(site_turns).where(site_turns.c.holder == holder)
    return int(connection.execute(query).scalar_one())


class DayTurns:
    """Stores whose turn it is in correspondence matches and until when, and lists the turns of a person or program.

    In the methods, `holder` is the text that identifies the person or program, see `ACCOUNT` in `store.site.facts`.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def ask(
        self, table_id: str, turn: int, seats: Mapping[int, str], asked: Collection[int], lasts: float
    ) -> dict[int, TurnTime]:
        """Stores whose turn it is in a match, and returns the time of each player whose turn it is.

        If a player's clock for this turn already runs, it goes on. The clock of a player who is on vacation starts at
        the end of the vacation.

        Args:
            table_id: id of the table.
            turn: number of the turn.
            seats: by player, the text that identifies the person or program in the seat. Engines and bots are left out.
            asked: players in `seats` whose turn it is.
            lasts: time for a turn, in seconds.

        Returns:
            The times, by player; an empty dict if the match is over or there is no such table.
        """
        match = table_id, turn, seats, asked
        known = self._database.read(_known, *match)  # a transaction that writes waits for the disk
        return self._database.write(_ask, *match, lasts) if known is None else known

    def claim_overdue(self, most: int = 50) -> list[str]:
        """Returns the ids of matches that the site must check now: a clock has run out, or a turn must be started.

        Reserves these matches for the caller for a minute.

        If no process has called this method for ten minutes, the site was down. Clocks stand still while the site is
        down, so all deadlines are first moved by the time since the last call. The clocks of matches whose games are
        not installed always stand still: their deadlines are moved in every call.

        Args:
            most: largest number of matches.
        """
        return self._database.write(_claim_overdue, most, self._has_missing)

    @cached_property
    def _has_missing(self) -> bool:
        """Whether there are unfinished matches of games that are not installed.

        The value is computed only once. The query takes time, and this process adds no matches of such games.
        """
        return self._database.read(_any_missing)

    def rest(self, table_id: str, seconds: float) -> None:
        """Sets the time until a process of the site checks a match again, in seconds from now."""
        self._database.write(_rest, table_id, seconds)

    def of(self, holder: str, most: int = _LISTED) -> list[OwnMatch]:
        """Returns up to `most` unfinished matches of the person or program `holder`.

        The matches in which it is this player's turn come first, the match with the least time left first.
        """
        return self._database.read(_of, holder, most)

    def waiting(self, holder: str) -> list[tuple[str, int]]:
        """Returns the tables at which it is the turn of `holder`, the table with the least time left first.

        Returns:
            A list of tuples: the id of the table, and the number of the turn.
        """
        return self._database.read(_waiting, holder)

    def count(self, holder: str) -> int:
        """Returns the number of unfinished matches of the person or program `holder`."""
        return self._database.read(_count, holder)


def _any_missing(connection: Connection) -> bool:
    return bool(connection.execute(select(exists(_MISSING))).scalar_one())


def _rest(connection: Connection, table_id: str, seconds: float) -> None:
    connection.execute(update(site_dues).where(site_dues.c.table_id == table_id).values(due=now(connection) + seconds))
