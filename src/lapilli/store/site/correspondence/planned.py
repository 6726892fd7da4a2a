"""Stores turns that players have planned: replies that the site plays if the opponent replies in a certain way."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, delete, func, select

from lapilli.core.errors import LapilliError
from lapilli.store.database import Database
from lapilli.store.site.correspondence.facts import MAX_PLANNED, PlannedTurn
from lapilli.store.site.correspondence.tables import site_planned, site_turns
from lapilli.store.statements import insert_into


def _of_player(table_id: str, player: int) -> tuple[ColumnElement[bool], ...]:
    return site_planned.c.table_id == table_id, site_planned.c.player == player


def _add(connection: Connection, table_id: str, player: int, planned: PlannedTurn) -> None:
    of_player = _of_player(table_id, player)
    match = select(site_turns.c.turn).where(site_turns.c.table_id == table_id, site_turns.c.player == player)
    if connection.execute(match.with_for_update()).first() is None:
        raise LapilliError("turns can be planned only in a match over days that goes on")
    connection.execute(delete(site_planned).where(*of_player, site_planned.c.turn != planned.turn))
    others = select(func.count()).select_from(site_planned).where(*of_player, site_planned.c.reply != planned.reply)
    if connection.execute(others).scalar_one() >= MAX_PLANNED:
        raise LapilliError(f"you have planned {MAX_PLANNED} turns, the maximum: delete one first")
    values = {"turn": planned.turn, "then": planned.then, "words": planned.words}
    key = {"table_id": table_id, "player": player, "reply": planned.reply}
    upsert = insert_into(connection, site_planned).values(key | values)
    connection.execute(upsert.on_conflict_do_update(index_elements=list(key), set_=values))


def _listed(connection: Connection, table_id: str, player: int) -> list[PlannedTurn]:
    of_player = _of_player(table_id, player)
    rows = connection.execute(select(site_planned).where(*of_player).order_by(site_planned.c.words))
    return [PlannedTurn(row.turn, row.reply, row.then, row.words) for row in rows]


def _remove(connection: Connection, table_id: str, player: int, reply: str) -> None:
    of_player = _of_player(table_id, player)
    connection.execute(delete(site_planned).where(*of_player, site_planned.c.reply == reply))


class Planned:
    """The turns that players have planned, in a store: replies to turns that the opponent may play."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, table_id: str, player: int, planned: PlannedTurn) -> None:
        """Stores a planned turn: the reply that is played if the opponent replies in a certain way.

        Replaces the turn that the player has planned for the same reply of the opponent. Deletes turns that the player
        has planned for other turns of the match.

        Raises:
            LapilliError: the match is not a correspondence match, is over, or the player has planned too many turns.
        """
        self._database.write(_add, table_id, player, planned)

    def listed(self, table_id: str, player: int) -> list[PlannedTurn]:
        """Returns the turns that a player has planned, even if the opponent's turn is already over."""
        return self._database.read(_listed, table_id, player)

    def remove(self, table_id: str, player: int, reply: str) -> None:
        """Deletes the turn that a player has planned in case the opponent replies with `reply`."""
        self._database.write(_remove, table_id, player, reply)
