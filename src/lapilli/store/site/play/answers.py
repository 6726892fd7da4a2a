"""The database table of the answers that players gave at the site's tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from sqlalchemy import Column, Connection, ForeignKey, Integer, Table, Text, and_, delete, func, or_, select, update

from lapilli.store.results import ascii_json
from lapilli.store.site.correspondence.tables import note_answer
from lapilli.store.site.facts import NewAnswer, SiteAnswer
from lapilli.store.site.play.tables import amend_plan, site_tables
from lapilli.store.statements import insert_into, now
from lapilli.store.tables import metadata

site_answers = Table(
    "site_answers",
    metadata,
    Column("table_id", Text, ForeignKey("site_tables.id"), primary_key=True),
    Column("turn", Integer, primary_key=True, autoincrement=False),
    Column("player", Integer, primary_key=True, autoincrement=False),
    Column("answer", Text, nullable=False),
)
_ANSWER = msgspec.json.Decoder(SiteAnswer)


def answers_of(connection: Connection, table_id: str, first_turn: int) -> list[SiteAnswer]:
    """Returns the answers at a table in the turn `first_turn` and all later turns, ordered by turn and player."""
    query = select(site_answers.c.answer).where(site_answers.c.table_id == table_id, site_answers.c.turn >= first_turn)
    rows = connection.execute(query.order_by(site_answers.c.turn, site_answers.c.player)).scalars()
    return [_ANSWER.decode(row) for row in rows]


def add_answers(connection: Connection, given: Sequence[NewAnswer]) -> list[bool]:
    """Stores answers at any number of tables. Implements `Matches.add_answers`.

    Each SQL statement stores or reads the data of many answers, because the number of statements determines how long
    this takes.

    Returns:
        For each answer, whether it was stored.
    """
    slow = _lock_tables(connection, {answer.table_id for answer in given})
    time, stored = now(connection), [False] * len(given)
    connection.execute(update(site_tables).where(site_tables.c.id.in_(slow)).values(changed=time))
    for numbers in _independent(given):
        group = [number for number in numbers if given[number].table_id in slow]
        found = _insert(connection, [given[number] for number in group], time)
        for number in group:
            stored[number] = _place_of(given[number]) in found
    for number, answer in enumerate(given):
        if stored[number] and slow[answer.table_id]:
            note_answer(connection, answer.table_id, answer.answer.player, time)
    return stored


def _lock_tables(connection: Connection, table_ids: set[str]) -> dict[str, int]:
    """Locks the tables with these ids, as far as they exist, until the transaction ends.

    Returns, for the id of each such table, the column `slow`: 1 for a correspondence match that has begun, otherwise 0.

    Tables are locked in the order of their ids, so that two processes that add many answers cannot deadlock.
    """
    query = select(site_tables.c.id, site_tables.c.slow).where(site_tables.c.id.in_(sorted(table_ids)))
    rows = connection.execute(query.order_by(site_tables.c.id).with_for_update(key_share=True))
    return {row.id: row.slow for row in rows}


def _place_of(given: NewAnswer) -> tuple[str, int, int]:
    return given.table_id, given.answer.turn, given.answer.player


def _independent(given: Sequence[NewAnswer]) -> list[list[int]]:
    """Divides answers into groups, each of which can be stored by one statement. Returns the answers' indices.

    The groups must be stored in order. In a group, all answers at the same table are for the same turn, and no two of
    them are answers of the same player.
    """
    groups: list[list[int]] = []
    turns: dict[str, tuple[int, int, set[int]]] = {}
    for number, answer in enumerate(given):
        turn, player = answer.answer.turn, answer.answer.player
        group, last_turn, players = turns.get(answer.table_id, (0, turn, set()))
        if turn != last_turn or player in players:
            group, players = group + 1, set()
        turns[answer.table_id] = group, turn, {*players, player}
        if group == len(groups):
            groups.append([])
        groups[group].append(number)
    return groups


def _insert(connection: Connection, group: Sequence[NewAnswer], time: float) -> set[tuple[str, int, int]]:
    """Stores the answers of a group, and returns table, turn and player of each answer that was stored.

    An answer is not stored if the player has answered in this turn already, or if its sender does not know all answers
    to earlier turns. `time`: the current time, in seconds since 1970.
    """
    columns = site_answers.c
    if not group:
        return set()
    turns = {one.table_id: one.answer.turn for one in group}
    earlier = [and_(columns.table_id == table_id, columns.turn < turn) for table_id, turn in turns.items()]
    query = select(columns.table_id, func.count()).where(or_(*earlier)).group_by(columns.table_id)
    counts = {row[0]: row[1] for row in connection.execute(query)}
    rows = [_row(one, time) for one in group if counts.get(one.table_id, 0) == one.before]
    if not rows:
        return set()
    insertion = insert_into(connection, site_answers).on_conflict_do_nothing()
    added = connection.execute(insertion.returning(columns.table_id, columns.turn, columns.player), rows)
    return {(row.table_id, row.turn, row.player) for row in added}


def _row(given: NewAnswer, time: float) -> dict[str, Any]:
    answer = msgspec.structs.replace(given.answer, at=time)
    return {
        "table_id": given.table_id,
        "turn": answer.turn,
        "player": answer.player,
        "answer": ascii_json(msgspec.to_builtins(answer)),
    }


def drop_answers(
    connection: Connection, table_id: str, first_turn: int, change: Callable[[dict[str, Any]], object]
) -> dict[str, Any]:
    """Deletes the answers at a table in the turn `first_turn` and all later turns, and changes the table's plan.

    Returns the new plan. `change`: function that changes the plan in place. Implements `Matches.drop_answers`.
    """
    plan = amend_plan(connection, table_id, change)
    conditions = site_answers.c.table_id == table_id, site_answers.c.turn >= first_turn
    connection.execute(delete(site_answers).where(*conditions))
    return plan
