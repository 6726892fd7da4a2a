"""The database table of the answers that players gave at the site's tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from sqlalchemy import Column, Connection, ForeignKey, Integer, Table, Text, delete, func, select

from lapilli.store.results import ascii_json
from lapilli.store.site.correspondence.tables import note_answer
from lapilli.store.site.facts import NewAnswer, SiteAnswer
from lapilli.store.site.play.tables import amend_plan, touch_table
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

    Tables are locked in the order of their ids, so that two processes that add many answers cannot deadlock.
    """
    counts = {}
    for number in sorted(range(len(given)), key=lambda number: given[number].table_id):
        answer = given[number]
        slow = touch_table(connection, answer.table_id)
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


def drop_answers(
    connection: Connection, table_id: str, first_turn: int, change: Callable[[dict[str, Any]], object]
) -> dict[str, Any]:
    """Deletes answers at a table, changes its plan, and returns the new plan.

    Implements `Matches.drop_answers`, which describes the arguments.
    """
    plan = amend_plan(connection, table_id, change)
    conditions = site_answers.c.table_id == table_id, site_answers.c.turn >= first_turn
    connection.execute(delete(site_answers).where(*conditions))
    return plan
