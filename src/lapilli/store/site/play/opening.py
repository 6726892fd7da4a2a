"""Reads and changes tables when people open them. Many people do so at once when a round of a tournament begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection

from lapilli.core.errors import LapilliError
from lapilli.store.database import Database
from lapilli.store.site.facts import GUEST, OpenedTable, PlanChange
from lapilli.store.site.play.answers import answers_of
from lapilli.store.site.play.chat import lines_of
from lapilli.store.site.play.tables import amend_plan, see_tables, table_with
from lapilli.store.site.shared.driving import take
from lapilli.store.site.shared.notices import Notices
from lapilli.store.statements import now


def _read(connection: Connection, table_id: str, first_turn: int, after_line: int) -> OpenedTable | None:
    table = table_with(connection, table_id)
    if table is None:
        return None
    answers, lines = answers_of(connection, table_id, first_turn), lines_of(connection, table_id, after_line)
    return OpenedTable(table, answers, lines, now(connection))


def _load(connection: Connection, table_id: str, worker: str | None, is_visit: bool) -> OpenedTable | None:
    """Returns a table with all its answers and chat lines; None if there is no such table. Implements `Opening.load`.

    Args:
        connection: the connection.
        table_id: id of the table.
        worker: name of the process that then runs the table's engines and clocks, unless another living process does
            so; None to leave this as it is.
        is_visit: whether to store the time of this visit, if the table belongs to a guest.
    """
    driven_since = None if worker is None else take(connection, worker, table_id)
    opened = _read(connection, table_id, 0, 0)  # after `take`: another process may have driven the table until now
    if opened is None:
        return None
    if is_visit and opened.table.plan.get("laid_by", "").startswith(GUEST):
        see_tables(connection, [table_id])
    return msgspec.structs.replace(opened, driven_since=driven_since)


def _amend_each(connection: Connection, changes: Sequence[PlanChange]) -> list[dict[str, Any] | None]:
    """Changes the plans of any number of tables. Implements `Opening.amend_each`.

    Returns, for each change, the new plan; None if there is no such table, or the change raised a LapilliError.

    Tables are locked in the order of their ids, so that two processes cannot deadlock.
    """
    plans: dict[int, dict[str, Any]] = {}
    for number in sorted(range(len(changes)), key=lambda number: changes[number][0]):
        try:
            plans[number] = amend_plan(connection, *changes[number])
        except LapilliError:
            continue
    return [plans.get(number) for number in range(len(changes))]


class Opening:
    """Reads and changes tables when people open them, with few transactions.

    Args:
        database: the store's database.
        notices: object that notifies other processes of changed tables.
    """

    def __init__(self, database: Database, notices: Notices) -> None:
        self._database, self._notices = database, notices

    def read(self, table_id: str, first_turn: int = 0, after_line: int = 0) -> OpenedTable | None:
        """Returns a table, read in one transaction; None if there is no such table.

        Args:
            table_id: id of the table.
            first_turn: number of the turn from which the answers are read.
            after_line: number of the chat line after which the lines are read; 0 for all lines.
        """
        return self._database.read(_read, table_id, first_turn, after_line)

    def load(self, table_id: str, *, drives: bool, is_visit: bool) -> OpenedTable | None:
        """Returns a table with all its answers and chat lines; None if there is no such table.

        Args:
            table_id: id of the table.
            drives: whether this process becomes the table's driver, which runs its engines and clocks. It does not
                become the driver if another living process is, see `Driving.take`.
            is_visit: whether to store the time of this visit, if the table belongs to a guest.
        """
        if not (drives or is_visit):
            return self.read(table_id)
        return self._database.write(_load, table_id, self._notices.worker if drives else None, is_visit)

    def amend_each(self, changes: Sequence[PlanChange]) -> list[dict[str, Any] | None]:
        """Changes the plans of any number of tables in one transaction.

        `changes`: tuples of a table's id and a function that changes the table's plan in place.

        Returns:
            For each change, the new plan; None if there is no such table, or the change raised a LapilliError.
        """

        def amend(connection: Connection) -> list[dict[str, Any] | None]:
            plans = _amend_each(connection, changes)
            self._notices.send(connection, [table_id for table_id, _ in changes])
            return plans

        return self._database.write(amend)
