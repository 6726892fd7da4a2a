"""Stores the vacations of people, during which their clocks in correspondence matches stand still."""

from __future__ import annotations

import time as clock
from typing import Any

from sqlalchemy import Connection, Row, delete, func, select, update

from lapilli.core.errors import LapilliError
from lapilli.store.database import Database
from lapilli.store.site.correspondence.facts import DAY_S, VACATION_DAYS, Vacation
from lapilli.store.site.correspondence.tables import site_dues, site_turns, site_vacations
from lapilli.store.site.shared.notices import Notices
from lapilli.store.statements import insert_into, now


def _vacation(connection: Connection, holder: str) -> Vacation:
    time = now(connection)
    row = connection.execute(select(site_vacations).where(site_vacations.c.holder == holder)).one_or_none()
    used = row.used if row is not None and row.year == _year(time) else 0.0
    until = row.until if row is not None and row.until > time else 0.0
    return Vacation(until, max(0.0, VACATION_DAYS - used / DAY_S))


def _year(time: float) -> int:
    return clock.gmtime(time).tm_year


def _locked(connection: Connection, holder: str, time: float) -> Row[Any]:
    """Returns the row of the person `holder` in the table of vacations, and locks it until the transaction ends.

    If the person has no row, creates a row without a vacation, for the current year. `time`: the current time.
    """
    first = {"holder": holder, "year": _year(time), "used": 0.0, "until": 0.0}
    connection.execute(insert_into(connection, site_vacations).values(first).on_conflict_do_nothing())
    return connection.execute(select(site_vacations).where(site_vacations.c.holder == holder).with_for_update()).one()


def _begin(connection: Connection, holder: str, days: int) -> list[str]:
    time = now(connection)
    row = _locked(connection, holder, time)
    if row.until > time:
        raise LapilliError("you are on vacation already")
    used = row.used if row.year == _year(time) else 0.0
    if used + days * DAY_S > VACATION_DAYS * DAY_S:
        left = max(0.0, VACATION_DAYS - used / DAY_S)
        raise LapilliError(f"you have {left:.3g} of {VACATION_DAYS} days left in this year")
    values = {"year": _year(time), "used": used + days * DAY_S, "until": time + days * DAY_S}
    return _set(connection, holder, values, days * DAY_S)


def _end(connection: Connection, holder: str) -> list[str]:
    time = now(connection)
    row = _locked(connection, holder, time)
    if row.until <= time:
        return []
    rest = row.until - time
    used = max(0.0, row.used - rest)  # counted in the year in which the vacation began
    return _set(connection, holder, {"used": used, "until": time}, -rest)


def _set(connection: Connection, holder: str, values: dict[str, float], seconds: float) -> list[str]:
    """Changes the vacation of the person `holder`, and moves the deadlines of the person's turns by `seconds`.

    Returns the ids of the tables with these turns. `values`: the new values in the table of vacations, by column.
    """
    connection.execute(update(site_vacations).where(site_vacations.c.holder == holder).values(values))
    of_holder = site_turns.c.holder == holder, site_turns.c.asked == 1
    query = select(site_turns.c.table_id).where(*of_holder).order_by(site_turns.c.table_id).with_for_update()
    ids = list(connection.execute(query).scalars())
    connection.execute(update(site_turns).where(*of_holder).values(deadline=site_turns.c.deadline + seconds))
    first = select(func.min(site_turns.c.deadline)).where(site_turns.c.table_id == site_dues.c.table_id)
    moved = update(site_dues).where(site_dues.c.table_id.in_(ids))
    connection.execute(moved.values(due=func.coalesce(first.scalar_subquery(), site_dues.c.due)))
    return ids


class Vacations:
    """The vacations of people in a store.

    In the methods, `holder` is the text that identifies a person, see `ACCOUNT` in `store.site.facts`.
    """

    def __init__(self, database: Database, notices: Notices) -> None:
        self._database, self._notices = database, notices

    def of(self, holder: str) -> Vacation:
        """Returns the vacation of the person `holder`."""
        return self._database.read(_vacation, holder)

    def begin(self, holder: str, days: int) -> list[str]:
        """Begins a vacation: the person's clocks stand still. Returns the ids of the tables whose clocks have changed.

        Args:
            holder: the person.
            days: length of the vacation, in days.

        Raises:
            LapilliError: the person is on vacation, or has too few days left in this year.
        """

        def begin(connection: Connection) -> list[str]:
            ids = _begin(connection, holder, days)
            self._notices.send(connection, ids)
            return ids

        return self._database.write(begin)

    def end(self, holder: str) -> list[str]:
        """Ends the vacation of the person `holder` now, so that the person's clocks run again.

        Returns the ids of the tables at which a clock runs again.
        """

        def end(connection: Connection) -> list[str]:
            ids = _end(connection, holder)
            self._notices.send(connection, ids)
            return ids

        return self._database.write(end)

    def forget(self, holder: str) -> None:
        """Deletes the stored vacations of the person `holder`."""
        self._database.write(_forget, holder)


def _forget(connection: Connection, holder: str) -> None:
    connection.execute(delete(site_vacations).where(site_vacations.c.holder == holder))
