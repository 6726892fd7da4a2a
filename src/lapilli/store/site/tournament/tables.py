"""The database tables of tournaments, and functions that store results of matches in the caller's transaction."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Column, Connection, Double, ForeignKey, Index, Integer, Table, Text, select, update

from lapilli.store.site.tournament.facts import DRAW, LOSS, MAX_MISSES, WIN, PlayerState
from lapilli.store.tables import metadata

site_tournaments = Table(
    "site_tournaments",
    metadata,
    Column("id", Text, primary_key=True),
    Column("game", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("account", Text, nullable=False),
    Column("plan", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("starts", Double, nullable=False),
    Column("ends", Double, nullable=False),
    Column("round", Integer, nullable=False),
    Column("next_at", Double, nullable=False),
    Column("created", Double, nullable=False),
    Column("step", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    Index("site_tournaments_by_state", "state", "starts"),
    Index("site_tournaments_by_account", "account"),
)

site_tournament_players = Table(
    "site_tournament_players",
    metadata,
    Column("tournament_id", Text, ForeignKey("site_tournaments.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("subject", Text, nullable=False),
    Column("account", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("rating", Double, nullable=False),
    Column("seed", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("misses", Integer, nullable=False),
    Column("version", Integer, nullable=False, default=0),
    Index("site_tournament_players_once", "tournament_id", "subject", unique=True),
    Index("site_tournament_players_by_account", "account"),
)

site_tournament_matches = Table(
    "site_tournament_matches",
    metadata,
    Column("tournament_id", Text, ForeignKey("site_tournaments.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("round", Integer, nullable=False),
    Column("board", Integer, nullable=False),
    Column("leg", Integer, nullable=False),
    Column("first", Integer, nullable=False),
    Column("second", Integer, nullable=False),  # -1 for a bye
    Column("table_id", Text, nullable=False),  # "" for a bye
    Column("opened", Double, nullable=False),
    Column("first_points", Integer),  # NULL until the match is over
    Column("second_points", Integer),
    Column("problem", Text, nullable=False, default=""),
    Column("version", Integer, nullable=False),  # version of the tournament at which this row was last changed
    Index("site_tournament_matches_news", "tournament_id", "version"),
    Index("site_tournament_matches_by_table", "table_id"),
)

site_leads = Table(
    "site_leads",
    metadata,
    Column("what", Text, primary_key=True),
    Column("worker", Text, nullable=False),
    Column("expires", Double, nullable=False),
)


def next_version(connection: Connection, tournament_id: str, steps: int = 0) -> int:
    """Counts a change of a tournament: increases its version by 1, and its step by `steps`. Returns the new version.

    The version counts all changes, and the step counts all changes except new results of matches. The tournament's row
    is locked until the transaction ends, so versions are in the order of the transactions.
    """
    table = site_tournaments
    changed = update(table).where(table.c.id == tournament_id)
    changed = changed.values(version=table.c.version + 1, step=table.c.step + steps)
    return int(connection.execute(changed.returning(table.c.version)).scalar_one())


def add_tournament_result(
    connection: Connection, table_id: str, plan: Mapping[str, Any], ranks: Sequence[int] | None, problem: str
) -> None:
    """Stores the result of a tournament's match. A player who did not come to the table has missed the match.

    Args:
        connection: the connection.
        table_id: id of the match's table.
        plan: the table's plan.
        ranks: rank of each player; 1 is best, ties share a rank. None if nobody is ranked.
        problem: the fault of a bot that has ended the match, in words; "" for none.
    """
    table = site_tournament_matches
    query = select(table).where(table.c.table_id == table_id, table.c.first_points.is_(None))
    row = connection.execute(query).one_or_none()
    if row is None:
        return
    version = next_version(connection, row.tournament_id)
    absent = absent_players(connection, table_id, plan)
    first, second = (LOSS, LOSS) if len(absent) == len(plan["seats"]) else _points_of(ranks)
    by_key = table.c.tournament_id == row.tournament_id, table.c.number == row.number
    values = {"first_points": first, "second_points": second, "problem": problem, "version": version}
    connection.execute(update(table).where(*by_key).values(values))
    for place in absent:
        _count_miss(connection, row.tournament_id, (row.first, row.second)[place])


def absent_players(connection: Connection, table_id: str, plan: Mapping[str, Any]) -> list[int]:
    """Returns the numbers of the players who neither came to a table nor replied there. `plan`: the table's plan.

    A bot counts as present, unless it had a fault and never replied. Engines are always present.
    """
    answers, seats = metadata.tables["site_answers"], plan["seats"]
    bots = {number for number, seat in enumerate(seats) if seat.get("bot")}
    came = {*plan.get("come", ()), *(number for number, seat in enumerate(seats) if seat.get("engine"))}
    if len(came) < len(seats):
        query = select(answers.c.answer).where(answers.c.table_id == table_id)
        given = [json.loads(answer) for answer in connection.execute(query).scalars()]
        came |= bots - {answer["player"] for answer in given}
        came |= {answer["player"] for answer in given if answer.get("reply") is not None}
    return [number for number in range(len(seats)) if number not in came]


def _points_of(ranks: Sequence[int] | None) -> tuple[int, int]:
    if ranks is None or ranks[0] == ranks[1]:
        return DRAW, DRAW
    return (WIN, LOSS) if ranks[0] < ranks[1] else (LOSS, WIN)


def _count_miss(connection: Connection, tournament_id: str, number: int) -> None:
    table = site_tournament_players
    by_key = table.c.tournament_id == tournament_id, table.c.number == number
    counted = update(table).where(*by_key).values(misses=table.c.misses + 1).returning(table.c.misses)
    if connection.execute(counted).scalar_one() >= MAX_MISSES:
        is_playing = table.c.state == PlayerState.PLAYING
        connection.execute(update(table).where(*by_key, is_playing).values(state=PlayerState.OUT))
