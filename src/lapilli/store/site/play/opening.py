"""Reads and changes tables when people open them. Many people do so at once when a round of a tournament begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from lapilli.core.errors import LapilliError
from lapilli.store.database import Database
from lapilli.store.site.facts import OpenedTable, PlanChange
from lapilli.store.site.play.answers import answers_of
from lapilli.store.site.play.chat import lines_of
from lapilli.store.site.play.tables import amend_plan, table_with
from lapilli.store.site.shared.notices import Notices


def _read(connection: Connection, table_id: str) -> OpenedTable | None:
    table = table_with(connection, table_id)
    if table is None:
        return None
    return OpenedTable(table, answers_of(connection, table_id, 0), lines_of(connection, table_id, 0))


def _amend_each(connection: Connection, changes: Sequence[PlanChange]) -> list[dict[str, Any] | None]:
    """Changes the plans of any number of tables. Implements `Opening.amend_each`.

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
    """Reads and changes the tables that people open.

    Args:
        database: the store's database.
        notices: object that notifies other processes of changed tables.
    """

    def __init__(self, database: Database, notices: Notices) -> None:
        self._database, self._notices = database, notices

    def read(self, table_id: str) -> OpenedTable | None:
        """Returns a table with its answers and chat lines, read in one transaction; None if there is no such table."""
        return self._database.read(_read, table_id)

    def amend_each(self, changes: Sequence[PlanChange]) -> list[dict[str, Any] | None]:
        """Changes the plans of any number of tables in one transaction, as `Matches.amend` changes one.

        Returns:
            For each change, the new plan; None if there is no such table, or the change raised a LapilliError.
        """

        def amend(connection: Connection) -> list[dict[str, Any] | None]:
            plans = _amend_each(connection, changes)
            self._notices.send(connection, [table_id for table_id, _ in changes])
            return plans

        return self._database.write(amend)
