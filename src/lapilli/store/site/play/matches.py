"""Stores the site's tables: their plans, the players' answers, and the records of finished matches."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, select

from lapilli.core.content.first_turns import CountedTurn
from lapilli.core.errors import LapilliError
from lapilli.store.database import Database
from lapilli.store.results import storable
from lapilli.store.site.correspondence.tables import end_turns
from lapilli.store.site.facts import NewAnswer, SiteAnswer, SiteTable
from lapilli.store.site.play.answers import add_answers, answers_of, drop_answers
from lapilli.store.site.play.tables import (
    NO_TABLE,
    add_table,
    amend_plan,
    change_table,
    count_missing_games,
    drop_guests,
    listed_tables,
    remove_table,
    see_tables,
    site_tables,
    table_with,
)
from lapilli.store.site.rating.facts import RatingRules
from lapilli.store.site.rating.matches import add_rated_results, add_results
from lapilli.store.site.shared.driving import drop_driver
from lapilli.store.site.shared.notices import Notices
from lapilli.store.site.study.first_turns import add_first_turns
from lapilli.store.site.tournament.tables import add_tournament_result
from lapilli.store.statements import now

P = ParamSpec("P")
T = TypeVar("T")


def _finish(
    connection: Connection,
    table_id: str,
    record: bytes,
    verdict: str,
    ranks: Sequence[int] | None,
    rules: RatingRules | None,
    problem: str,
    first_turns: Sequence[CountedTurn],
) -> None:
    """Stores the record and the result of a finished match. Does nothing if they are stored already.

    Implements `Matches.finish`.

    Args:
        connection: the connection.
        table_id: id of the table.
        record: the match's record, packed by `pack_record`.
        verdict: the result, in one line.
        ranks: rank of each player; None if nobody is ranked.
        rules: the rules by which ratings change; None if the match is not rated.
        problem: for a match of a tournament, the fault of a bot that has ended the match, in words; "" for none.
        first_turns: the first turns of the match, to be counted.
    """
    query = select(site_tables.c.game, site_tables.c.plan, site_tables.c.record.is_(None).label("goes_on"))
    row = connection.execute(query.where(site_tables.c.id == table_id).with_for_update()).one_or_none()
    if row is None:
        raise LapilliError(NO_TABLE)
    if row.goes_on:
        end_turns(connection, table_id)
        drop_driver(connection, table_id)
        change_table(connection, table_id, record=record, verdict=storable(verdict))
        plan = json.loads(row.plan)
        if rules is None:
            add_results(connection, table_id, row.game, plan, ranks, now(connection))
        else:
            add_rated_results(connection, table_id, row.game, plan, ranks, rules)
        if plan.get("tournament"):
            add_tournament_result(connection, table_id, plan, ranks, storable(problem))
        add_first_turns(connection, row.game, first_turns)


def _now(connection: Connection) -> float:
    return now(connection)


class Matches:
    """The site's tables in a store. All processes that share the store are notified of changes.

    Args:
        database: the store's database.
        notices: object that sends the notifications.
    """

    def __init__(self, database: Database, notices: Notices) -> None:
        self._database, self._notices = database, notices

    def add(self, table_id: str, game: str, plan: Mapping[str, Any]) -> None:
        """Adds a table of the site with this plan. Does nothing if a table with this id exists."""
        self._write(add_table, [table_id], table_id, game, plan)

    def amend(self, table_id: str, change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        """Changes a table's plan in one transaction. During the transaction, no other process can change the plan.

        Args:
            table_id: id of the table.
            change: function that changes the plan in place. The function may be called more than once. If it raises,
                the stored plan does not change.

        Returns:
            The new plan.

        Raises:
            LapilliError: there is no such table.
        """
        return self._write(amend_plan, [table_id], table_id, change)

    def remove(self, table_id: str, check: Callable[[dict[str, Any]], object]) -> None:
        """Deletes a table in one transaction, during which no other process can change its plan.

        Args:
            table_id: id of the table.
            check: function that receives the table's plan. If it raises, the table is not deleted.

        Raises:
            LapilliError: there is no such table.
        """
        self._write(remove_table, [table_id], table_id, check)

    def get(self, table_id: str) -> SiteTable | None:
        """Returns the table with this id; None if there is no such table."""
        return self._database.read(table_with, table_id)

    def listed(self, *, over: bool, most: int = 20) -> list[SiteTable]:
        """Returns tables without their records, in an order that prevents one creator from filling the list.

        First come the latest tables of all creators, one of each; then the second latest tables of all creators, and so
        on. Within each of these parts, the most recently changed table comes first.

        Args:
            over: whether to list tables with finished matches; False for tables with unfinished matches, except
                correspondence matches that have begun.
            most: largest number of tables.
        """
        return self._database.read(listed_tables, over, most)

    def of_missing_games(self) -> dict[str, int]:
        """Returns the number of tables of each game that is not installed, by the game's name."""
        return self._database.read(count_missing_games)

    def see(self, table_ids: Sequence[str]) -> None:
        """Stores the current time as the time of the last visit to these tables."""
        self._database.write(see_tables, table_ids)

    def drop_guests(self, *, idle_since: float, over_since: float, away_since: float, most: int) -> list[str]:
        """Deletes guests' tables that have not been used for some time. At these tables, no account ever had a seat.

        A table was last used at the time of its last change or of its last visit, see `see`. Times are in seconds since
        1970 by the store's clock.

        Args:
            idle_since: tables with unfinished matches are deleted if they were last used before this time.
            over_since: tables with finished matches are deleted if they were last used before this time.
            away_since: if there are more than `most` tables from one client address, the tables that have not been used
                for longest are deleted, if they were last used before this time.
            most: largest number of tables from one client address.

        Returns:
            The ids of the deleted tables. If there are 200 ids, more tables may have to be deleted: call again.
        """

        def drop(connection: Connection) -> list[str]:
            gone = drop_guests(connection, idle_since, over_since, away_since, most)
            self._notices.send(connection, gone)
            return gone

        return self._database.write(drop)

    def answers(self, table_id: str, first_turn: int = 0) -> list[SiteAnswer]:
        """Returns the answers at a table in the turn `first_turn` and all later turns, ordered by turn and player."""
        return self._database.read(answers_of, table_id, first_turn)

    def add_answers(self, given: Sequence[NewAnswer]) -> list[bool]:
        """Stores answers, at any number of tables, in one transaction.

        Returns:
            For each answer, whether it was stored. An answer is not stored if the player has already answered in that
                turn, if the number of stored answers to earlier turns is not `NewAnswer.before`, or if there is no such
                table.
        """
        return self._write(add_answers, [answer.table_id for answer in given], given)

    def drop_answers(
        self, table_id: str, first_turn: int, change: Callable[[dict[str, Any]], object]
    ) -> dict[str, Any]:
        """Deletes the answers at a table in the turn `first_turn` and all later turns, and changes the table's plan.

        Args:
            table_id: id of the table.
            first_turn: number of the turn.
            change: function that changes the plan in place. It may be called more than once.

        Returns:
            The new plan.

        Raises:
            LapilliError: there is no such table.
        """
        return self._write(drop_answers, [table_id], table_id, first_turn, change)

    def finish(
        self,
        table_id: str,
        record: bytes,
        verdict: str,
        ranks: Sequence[int] | None = None,
        rules: RatingRules | None = None,
        problem: str = "",
        first_turns: Sequence[CountedTurn] = (),
    ) -> None:
        """Stores the record and the result of a finished match, and changes its players' ratings and their tournament.

        Everything happens in one transaction. Does nothing if the record is stored already, so a match counts once even
        if two processes finish it.

        Args:
            table_id: id of the table.
            record: the match's record, packed by `pack_record`.
            verdict: the result, in one line.
            ranks: rank of each player; 1 is best, ties share a rank. None if nobody is ranked.
            rules: the rules by which ratings change; None if the match is not rated.
            problem: for a match of a tournament, the fault of a bot that has ended the match, in words; "" for none.
            first_turns: the first turns of the match, to be counted.

        Raises:
            LapilliError: there is no such table.
        """
        self._write(_finish, [table_id], table_id, record, verdict, ranks, rules, problem, first_turns)

    def now(self) -> float:
        """Returns the time in seconds since 1970, by the clock from which all times in the store are taken."""
        return self._database.read(_now)

    def _write(
        self,
        work: Callable[Concatenate[Connection, P], T],
        changed: Iterable[str],
        *args: P.args,
        **more: P.kwargs,
    ) -> T:
        """Runs `work` in a transaction, with a connection and then `args` and `more` as arguments. Returns its result.

        When the transaction is committed, other processes are notified of the tables with the ids `changed`.
        """

        def write_and_notify(connection: Connection) -> T:
            result = work(connection, *args, **more)
            self._notices.send(connection, changed)
            return result

        return self._database.write(write_and_notify)
