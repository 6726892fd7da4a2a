"""Stores the site's tables: their plans, the players' answers, and the records of finished matches."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

import msgspec
from sqlalchemy import (
    Column,
    Connection,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Row,
    Table,
    Text,
    and_,
    case,
    delete,
    func,
    or_,
    select,
    text,
    update,
)

from lapilli.core.content.first_turns import CountedTurn
from lapilli.core.errors import LapilliError
from lapilli.store.database import Database
from lapilli.store.results import ascii_json, storable
from lapilli.store.site.correspondence.facts import CORRESPONDENCE, kind_of
from lapilli.store.site.correspondence.tables import end_turns, look_at, note_answer
from lapilli.store.site.facts import ACCOUNT, GUEST, PROGRAM, NewAnswer, SiteAnswer, SiteTable
from lapilli.store.site.rating.facts import RatingRules
from lapilli.store.site.rating.matches import add_rated_results, add_results
from lapilli.store.site.shared.notices import Notices
from lapilli.store.site.study.first_turns import add_first_turns
from lapilli.store.site.tournament.tables import add_tournament_result
from lapilli.store.statements import insert_into, now
from lapilli.store.tables import metadata

site_tables = Table(
    "site_tables",
    metadata,
    Column("id", Text, primary_key=True),
    Column("game", Text, nullable=False),
    Column("plan", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("changed", Double, nullable=False),  # time of the last change, such as an answer
    Column("record", LargeBinary),  # None until the match is over
    Column("verdict", Text, nullable=False, default=""),
    Column("laid_by", Text, nullable=False, default="", server_default=""),  # account, or hash of a guest's address
    Column("guests", Integer, nullable=False, default=0, server_default="0"),  # 1: no account ever had a seat
    Column("seen", Double, nullable=False, default=0, server_default="0"),  # time when somebody last had the table open
    Column("slow", Integer, nullable=False, default=0, server_default="0"),  # 1: a match over days, which has begun
    Index("site_tables_by_change", "changed"),
    Index("site_tables_of_guests", "guests", "laid_by"),
)
_IS_LISTED = and_(site_tables.c.record.is_(None), site_tables.c.slow == text("0"))
Index("site_tables_live", site_tables.c.changed, sqlite_where=_IS_LISTED, postgresql_where=_IS_LISTED)

site_answers = Table(
    "site_answers",
    metadata,
    Column("table_id", Text, ForeignKey("site_tables.id"), primary_key=True),
    Column("turn", Integer, primary_key=True, autoincrement=False),
    Column("player", Integer, primary_key=True, autoincrement=False),
    Column("answer", Text, nullable=False),
)

P = ParamSpec("P")
T = TypeVar("T")
_NO_TABLE = "there is no such table in the store"
_CONSIDERED = 2000
"""Number of the most recently changed tables from which `Matches.listed` selects the tables of its list."""
_DROPPED = 200
"""Largest number of the site's tables that one transaction deletes, so that other writers do not wait for long."""
_OF_A_TABLE = (
    ("site_answers", "table_id"),
    ("site_drivers", "table_id"),
    ("site_analyses", "match"),
    ("site_chat", "table_id"),
    ("site_turns", "table_id"),
    ("site_dues", "table_id"),
    ("site_planned", "table_id"),
    ("site_tables", "id"),
)
"""The database tables that contain data about a table of the site, each with the column that contains the id of the
site's table. The data is deleted in this order.
"""
_ANSWER = msgspec.json.Decoder(SiteAnswer)


def add_table(connection: Connection, table_id: str, game: str, plan: Mapping[str, Any]) -> None:
    """Adds a table of the site. Does nothing if a table with this id exists.

    If it is a match over days and all seats are taken, the site checks it at once, to start the clocks.
    """
    time = now(connection)
    row = {"id": table_id, "game": game, "plan": ascii_json(plan), "created": time, "changed": time, "seen": time}
    owned = {"laid_by": plan.get("laid_by", ""), "guests": int(_is_guests(plan)), "verdict": ""}
    begins = int(kind_of(plan) == CORRESPONDENCE and _is_ready(plan))
    added = insert_into(connection, site_tables).values(row | owned | {"slow": begins}).on_conflict_do_nothing()
    if connection.execute(added.returning(site_tables.c.id)).scalar() is not None and begins:
        look_at(connection, table_id, time)


def _is_ready(plan: Mapping[str, Any]) -> bool:
    """Returns whether all seats are taken."""
    return all(seat.get("holder") or seat.get("engine") or seat.get("bot") for seat in plan["seats"])


def _is_guests(plan: Mapping[str, Any]) -> bool:
    """Returns whether a guest created the table, and no account has a seat there or an invitation to one."""
    holders = [seat.get(key, "") for seat in plan["seats"] for key in ("holder", "member")]
    return plan.get("laid_by", "").startswith(GUEST) and not any(
        holder.startswith((ACCOUNT, PROGRAM)) for holder in holders
    )


def _locked_plan(connection: Connection, table_id: str) -> dict[str, Any]:
    """Returns a table's plan, which nobody else can change until the end of the transaction.

    Raises LapilliError if there is no such table.
    """
    query = select(site_tables.c.plan).where(site_tables.c.id == table_id).with_for_update()
    plan_json = connection.execute(query).scalar_one_or_none()
    if plan_json is None:
        raise LapilliError(_NO_TABLE)
    plan: dict[str, Any] = json.loads(plan_json)
    return plan


def amend_plan(connection: Connection, table_id: str, change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """Changes a table's plan with the function `change`, and returns the new plan. Implements `Matches.amend`."""
    plan = _locked_plan(connection, table_id)
    change(plan)
    _change(connection, table_id, plan=ascii_json(plan))
    if not _is_guests(plan):  # stays 0 even if the account leaves
        connection.execute(update(site_tables).where(site_tables.c.id == table_id).values(guests=0))
    return plan


def table_with(connection: Connection, table_id: str) -> SiteTable | None:
    """Returns the table with this id; None if there is no such table."""
    row = connection.execute(select(site_tables).where(site_tables.c.id == table_id)).one_or_none()
    return None if row is None else table_of(row)


def _listed(connection: Connection, over: bool, most: int) -> list[SiteTable]:
    """Returns tables of the site without their records, in the order that `Matches.listed` describes."""
    is_over = site_tables.c.record.is_not(None) if over else _IS_LISTED
    latest = select(site_tables.c.id, site_tables.c.changed, site_tables.c.laid_by).where(is_over)
    latest = latest.order_by(site_tables.c.changed.desc()).limit(max(_CONSIDERED, most))
    candidates = latest.subquery()
    place = (
        func.row_number().over(partition_by=candidates.c.laid_by, order_by=candidates.c.changed.desc()).label("place")
    )
    ranked = select(candidates.c.id, place).subquery()
    columns = [column for column in site_tables.c if column.name != "record"]
    query = select(*columns).join(ranked, ranked.c.id == site_tables.c.id)
    query = query.order_by(ranked.c.place, site_tables.c.changed.desc()).limit(most)
    return [table_of(row) for row in connection.execute(query)]


def _see(connection: Connection, table_ids: Sequence[str]) -> None:
    connection.execute(update(site_tables).where(site_tables.c.id.in_(table_ids)).values(seen=now(connection)))


def _drop_guests(
    connection: Connection, idle_since: float, over_since: float, away_since: float, most: int
) -> list[str]:
    """Deletes old tables of guests, and returns their ids. `Matches.drop_guests` describes the arguments."""
    table = site_tables
    last_use = case((table.c.seen > table.c.changed, table.c.seen), else_=table.c.changed)
    old = or_(last_use < over_since, and_(table.c.record.is_(None), last_use < idle_since))
    place = func.row_number().over(partition_by=table.c.laid_by, order_by=last_use.desc()).label("place")
    ranked = select(table.c.id, place).where(table.c.guests == 1).subquery()
    beyond = select(ranked.c.id).where(ranked.c.place > most)
    surplus = and_(table.c.id.in_(beyond), last_use < away_since)
    query = select(table.c.id).where(table.c.guests == 1, or_(old, surplus)).order_by(table.c.id).limit(_DROPPED)
    ids = list(connection.execute(query.with_for_update(skip_locked=True)).scalars())
    _delete(connection, ids)
    return ids


def _delete(connection: Connection, ids: Sequence[str]) -> None:
    """Deletes tables with these ids, and all data about them."""
    for name, column in _OF_A_TABLE:
        database_table = metadata.tables[name]
        connection.execute(delete(database_table).where(database_table.c[column].in_(ids)))


def _remove(connection: Connection, table_id: str, check: Callable[[dict[str, Any]], object]) -> None:
    """Deletes a table if `check` does not raise. Implements `Matches.remove`."""
    check(_locked_plan(connection, table_id))
    _delete(connection, [table_id])


def answers_of(connection: Connection, table_id: str, first_turn: int) -> list[SiteAnswer]:
    """Returns the answers at a table in the turn `first_turn` and all later turns, ordered by turn and player."""
    query = select(site_answers.c.answer).where(site_answers.c.table_id == table_id, site_answers.c.turn >= first_turn)
    rows = connection.execute(query.order_by(site_answers.c.turn, site_answers.c.player)).scalars()
    return [_ANSWER.decode(row) for row in rows]


def _add_answers(connection: Connection, given: Sequence[NewAnswer]) -> list[bool]:
    """Stores answers at any number of tables. Implements `Matches.add_answers`.

    Tables are locked in the order of their ids, so that two processes that add many answers cannot deadlock.
    """
    counts = {}
    for number in sorted(range(len(given)), key=lambda number: given[number].table_id):
        answer = given[number]
        slow = _touch(connection, answer.table_id)
        counts[number] = slow is not None and _add_answer(connection, answer)
        if slow and counts[number]:
            note_answer(connection, answer.table_id, answer.answer.player, now(connection))
    return [counts[number] for number in range(len(given))]


def _add_answer(connection: Connection, given: NewAnswer) -> bool:
    conditions = site_answers.c.table_id == given.table_id, site_answers.c.turn < given.answer.turn
    before = connection.execute(select(func.count()).select_from(site_answers).where(*conditions)).scalar_one()
    if before != given.before:
        return False
    answer = msgspec.structs.replace(given.answer, at=now(connection))
    row = {
        "table_id": given.table_id,
        "turn": answer.turn,
        "player": answer.player,
        "answer": ascii_json(msgspec.to_builtins(answer)),
    }
    insertion = insert_into(connection, site_answers).values(row).on_conflict_do_nothing()
    return connection.execute(insertion.returning(site_answers.c.turn)).scalar() is not None


def _drop_answers(
    connection: Connection, table_id: str, first_turn: int, change: Callable[[dict[str, Any]], object]
) -> dict[str, Any]:
    """Deletes answers at a table, changes its plan, and returns the new plan. Implements `Matches.drop_answers`."""
    plan = amend_plan(connection, table_id, change)
    conditions = site_answers.c.table_id == table_id, site_answers.c.turn >= first_turn
    connection.execute(delete(site_answers).where(*conditions))
    return plan


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
    """Stores the record and the result of a finished match, unless they are stored. Implements `Matches.finish`."""
    query = select(site_tables.c.game, site_tables.c.plan, site_tables.c.record.is_(None).label("goes_on"))
    row = connection.execute(query.where(site_tables.c.id == table_id).with_for_update()).one_or_none()
    if row is None:
        raise LapilliError(_NO_TABLE)
    if row.goes_on:
        end_turns(connection, table_id)
        _change(connection, table_id, record=record, verdict=storable(verdict))
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


def _change(connection: Connection, table_id: str, **values: Any) -> None:
    """Sets columns of a table, and the time of its last change. Raises LapilliError if there is no such table."""
    if _touch(connection, table_id, **values) is None:
        raise LapilliError(_NO_TABLE)


def _touch(connection: Connection, table_id: str, **values: Any) -> int | None:
    """Sets columns of a table, and the time of its last change. Returns the column `slow`; None for no such table."""
    statement = update(site_tables).where(site_tables.c.id == table_id).values(changed=now(connection), **values)
    slow: int | None = connection.execute(statement.returning(site_tables.c.slow)).scalar()
    return slow


def table_of(row: Row[Any]) -> SiteTable:
    """Returns the table in a database row. The column `record` may be missing."""
    columns = row._mapping
    return SiteTable(
        id=columns["id"],
        game=columns["game"],
        plan=json.loads(columns["plan"]),
        created=columns["created"],
        changed=columns["changed"],
        record=columns.get("record"),
        verdict=columns["verdict"],
        seen=columns["seen"],
    )


class Matches:
    """The site's tables in a store. All processes that share the store are notified of changes.

    Args:
        database: the store's database.
        notices: object that sends the notifications.
    """

    def __init__(self, database: Database, notices: Notices) -> None:
        self._database, self._notices = database, notices

    def add(self, table_id: str, game: str, plan: Mapping[str, Any]) -> None:
        """Adds a table of the site. Does nothing if a table with this id exists."""
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
        self._write(_remove, [table_id], table_id, check)

    def get(self, table_id: str) -> SiteTable | None:
        """Returns the table with this id; None if there is no such table."""
        return self._database.read(table_with, table_id)

    def listed(self, *, over: bool, most: int = 20) -> list[SiteTable]:
        """Returns tables without their records, in an order that prevents one creator from filling the list.

        First come the latest tables of all creators, one of each; then the second latest tables of all creators, and so
        on. Within each of these parts, the most recently changed table comes first.

        Args:
            over: whether to list tables with finished matches; False for tables with unfinished matches, except matches
                over days that have begun.
            most: largest number of tables.
        """
        return self._database.read(_listed, over, most)

    def see(self, table_ids: Sequence[str]) -> None:
        """Stores the current time as the time of the last visit to these tables."""
        self._database.write(_see, table_ids)

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
            gone = _drop_guests(connection, idle_since, over_since, away_since, most)
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
        return self._write(_add_answers, [answer.table_id for answer in given], given)

    def drop_answers(
        self, table_id: str, first_turn: int, change: Callable[[dict[str, Any]], object]
    ) -> dict[str, Any]:
        """Deletes the answers at a table in the turn `first_turn` and all later turns, and changes the table's plan.

        Args:
            table_id: id of the table.
            first_turn: number of the turn.
            change: function that changes the plan in place, as for `amend`.

        Returns:
            The new plan.

        Raises:
            LapilliError: there is no such table.
        """
        return self._write(_drop_answers, [table_id], table_id, first_turn, change)

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
            problem: as in `TournamentMatch`; it is stored if the match belongs to a tournament.
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
        """Runs `work` in a transaction. When it is committed, other processes are notified of the tables `changed`."""

        def write_and_notify(connection: Connection) -> T:
            result = work(connection, *args, **more)
            self._notices.send(connection, changed)
            return result

        return self._database.write(write_and_notify)
