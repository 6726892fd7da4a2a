"""Stores how often each turn was played early in the site's matches, and with which results."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import BigInteger, Column, Connection, Integer, Table, Text, delete, func, select, tuple_

from lapilli.core.content.first_turns import CountedTurn
from lapilli.store.database import Database
from lapilli.store.statements import insert_into
from lapilli.store.tables import metadata

site_first_turns = Table(
    "site_first_turns",
    metadata,
    Column("game", Text, primary_key=True),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("after", BigInteger, primary_key=True, autoincrement=False),
    Column("turn", Text, nullable=False),  # atomic actions, separated by blanks
    Column("won", Integer, nullable=False),
    Column("drawn", Integer, nullable=False),
    Column("lost", Integer, nullable=False),
    sqlite_with_rowid=False,
)
_RESULTS = ("won", "drawn", "lost")
MAX_TURNS = 50_000
"""Largest number of turns that stay stored for a game, about 3 MB. If there are more, the rarest turns are deleted."""
_SHARE_LEFT = 0.8
"""Share of MAX_TURNS that is left after a deletion, so that not every match deletes turns."""


def add_first_turns(connection: Connection, game: str, turns: Sequence[CountedTurn]) -> None:
    """Adds the first turns of a match to the counts. If more than MAX_TURNS turns of the game are stored then, deletes
    the rarest ones.

    Rows are changed in the order of their keys, so that two transactions cannot deadlock.
    """
    table = site_first_turns
    for turn in sorted(turns):
        row = turn._asdict() | {"game": game, "turn": " ".join(map(str, turn.turn))}
        sums = {name: table.c[name] + row[name] for name in _RESULTS}
        added = insert_into(connection, table).values(row)
        keys = [column.name for column in table.primary_key]
        connection.execute(added.on_conflict_do_update(index_elements=keys, set_=sums))
    if turns:
        _delete_rare(connection, game)


def _delete_rare(connection: Connection, game: str) -> None:
    """Deletes the rarest turns of a game, if more than MAX_TURNS are stored.

    Turns that another transaction is changing stay stored, so that no transaction waits here.
    """
    table = site_first_turns
    count = connection.execute(select(func.count()).select_from(table).where(table.c.game == game)).scalar_one()
    if count <= MAX_TURNS:
        return
    keys = table.c.position, table.c.after
    rare = select(*keys).where(table.c.game == game).order_by(table.c.won + table.c.drawn + table.c.lost, *keys)
    rare = rare.limit(count - int(_SHARE_LEFT * MAX_TURNS)).with_for_update(skip_locked=True)
    connection.execute(delete(table).where(table.c.game == game, tuple_(*keys).in_(rare)))


def _of(connection: Connection, game: str, position: int, most: int) -> list[CountedTurn]:
    table = site_first_turns
    matches = table.c.won + table.c.drawn + table.c.lost
    query = select(table).where(table.c.game == game, table.c.position == position)
    rows = connection.execute(query.order_by(matches.desc(), table.c.after).limit(most))
    return [
        CountedTurn(row.position, row.after, tuple(map(int, row.turn.split())), row.won, row.drawn, row.lost)
        for row in rows
    ]


class SiteFirstTurns:
    """The counts of first turns in the site's finished matches. `Matches.finish` adds to them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, game: str, position: int, most: int) -> list[CountedTurn]:
        """Returns the turns that were played in a position, at most `most`, the most frequent first.

        `position` is a number that identifies the position, see `CountedTurn`.
        """
        return self._database.read(_of, game, position, most)
