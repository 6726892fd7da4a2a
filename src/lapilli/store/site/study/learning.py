"""Stores the site's puzzles, the ratings of their solvers, and engines' analyses of the site's matches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from sqlalchemy import Column, Connection, Double, Index, Integer, LargeBinary, Row, Table, Text, delete, select, update

from lapilli.core.content.puzzles import Puzzle
from lapilli.store.database import Database
from lapilli.store.results import ascii_json
from lapilli.store.site.facts import Rated, Solver, StoredPuzzle, puzzle_id
from lapilli.store.statements import insert_into
from lapilli.store.tables import metadata

site_analyses = Table(
    "site_analyses",
    metadata,
    Column("match", Text, primary_key=True),  # id of the site's table
    Column("analysis", LargeBinary, nullable=False),
)

site_puzzles = Table(
    "site_puzzles",
    metadata,
    Column("id", Text, primary_key=True),
    Column("game", Text, nullable=False),
    Column("puzzle", Text, nullable=False),
    Column("mu", Double, nullable=False),
    Column("sigma", Double, nullable=False),
    Column("tries", Integer, nullable=False),
    Index("site_puzzles_by_game", "game"),
)

site_solvers = Table(
    "site_solvers",
    metadata,
    Column("holder", Text, primary_key=True),
    Column("game", Text, primary_key=True),
    Column("mu", Double, nullable=False),
    Column("sigma", Double, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("solved", Integer, nullable=False),
    Column("day", Integer, nullable=False),
    Column("streak", Integer, nullable=False),
)

site_tries = Table(
    "site_tries",
    metadata,
    Column("holder", Text, primary_key=True),
    Column("puzzle", Text, primary_key=True),
    Column("solved", Integer, nullable=False),
)

_PUZZLE = msgspec.json.Decoder(Puzzle)
_NEW_MU, _NEW_SIGMA = 25.0, 25.0 / 3
"""Rating of a new solver, on openskill's scale."""
Rate = Callable[[Rated, Rated, bool], tuple[Rated, Rated]]
"""A function that rates a try at a puzzle. Its arguments are the solver's rating, the puzzle's rating, and whether the
try succeeded. It returns both ratings after the try.
"""


def _add(connection: Connection, game: str, puzzles: Sequence[Puzzle], rated: Sequence[Rated]) -> int:
    """Adds the puzzles that are not stored yet, with their ratings `rated`. Returns the number of added puzzles."""
    new = 0
    for puzzle, rating in zip(puzzles, rated, strict=True):
        row = {
            "id": puzzle_id(game, puzzle),
            "game": game,
            "puzzle": ascii_json(msgspec.to_builtins(puzzle)),
            "mu": rating.mu,
            "sigma": rating.sigma,
            "tries": 0,
        }
        new += connection.execute(insert_into(connection, site_puzzles).values(row).on_conflict_do_nothing()).rowcount
    return new


def _ids(connection: Connection, game: str) -> list[str]:
    query = select(site_puzzles.c.id).where(site_puzzles.c.game == game).order_by(site_puzzles.c.id)
    return list(connection.execute(query).scalars())


def _get(connection: Connection, puzzle: str) -> StoredPuzzle | None:
    row = connection.execute(select(site_puzzles).where(site_puzzles.c.id == puzzle)).one_or_none()
    return None if row is None else _stored(row)


def _listed(connection: Connection, game: str) -> list[StoredPuzzle]:
    query = select(site_puzzles).where(site_puzzles.c.game == game).order_by(site_puzzles.c.id)
    return list(map(_stored, connection.execute(query)))


def _stored(row: Row[Any]) -> StoredPuzzle:
    return StoredPuzzle(id=row.id, game=row.game, puzzle=_PUZZLE.decode(row.puzzle), rated=_rated(row))


def _rated(row: Row[Any]) -> Rated:
    return Rated(row.mu, row.sigma, row.tries)


def _solver(connection: Connection, holder: str, game: str) -> Solver:
    conditions = site_solvers.c.holder == holder, site_solvers.c.game == game
    row = connection.execute(select(site_solvers).where(*conditions)).one_or_none()
    if row is None:
        return Solver(rated=Rated(_NEW_MU, _NEW_SIGMA))
    return Solver(rated=_rated(row), solved=row.solved, day=row.day, streak=row.streak)


def _tried(connection: Connection, holder: str) -> dict[str, bool]:
    query = select(site_tries.c.puzzle, site_tries.c.solved).where(site_tries.c.holder == holder)
    return {row.puzzle: bool(row.solved) for row in connection.execute(query)}


def _try(
    connection: Connection, holder: str, puzzle: str, solved: bool, day: int | None, rate: Rate
) -> tuple[Solver, bool]:
    stored = _get(connection, puzzle)
    if stored is None:
        return Solver(rated=Rated(_NEW_MU, _NEW_SIGMA)), False
    before = _solver(connection, holder, stored.game)
    row = {"holder": holder, "puzzle": puzzle, "solved": int(solved)}
    insertion = insert_into(connection, site_tries).values(row).on_conflict_do_nothing()
    if not connection.execute(insertion).rowcount:
        return before, False
    solver_rating, puzzle_rating = rate(before.rated, stored.rated, solved)
    after = Solver(rated=solver_rating, solved=before.solved + solved, day=before.day, streak=before.streak)
    if solved and day is not None and day != before.day:
        streak = before.streak + 1 if day == before.day + 1 else 1
        after = msgspec.structs.replace(after, day=day, streak=streak)
    columns = {
        "mu": solver_rating.mu,
        "sigma": solver_rating.sigma,
        "tries": solver_rating.tries,
        "solved": after.solved,
        "day": after.day,
        "streak": after.streak,
    }
    upsert = insert_into(connection, site_solvers).values({"holder": holder, "game": stored.game} | columns)
    connection.execute(upsert.on_conflict_do_update(index_elements=["holder", "game"], set_=columns))
    changed = {"mu": puzzle_rating.mu, "sigma": puzzle_rating.sigma, "tries": puzzle_rating.tries}
    connection.execute(update(site_puzzles).where(site_puzzles.c.id == puzzle).values(changed))
    return after, True


def _forget(connection: Connection, holder: str) -> None:
    for table in (site_solvers, site_tries):
        connection.execute(delete(table).where(table.c.holder == holder))


class Puzzles:
    """The puzzles in a store, and the results of their solvers.

    In the methods, `holder` is the text that identifies a solver, see `ACCOUNT` in `store.site.facts`.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, game: str, puzzles: Sequence[Puzzle], rated: Sequence[Rated]) -> int:
        """Adds puzzles, except puzzles that are stored already. Returns how many were added.

        `rated`: the difficulty of each puzzle, as a rating.
        """
        return self._database.write(_add, game, puzzles, rated)

    def ids(self, game: str) -> list[str]:
        """Returns the ids of a game's puzzles, sorted: stores with the same puzzles return equal lists."""
        return self._database.read(_ids, game)

    def listed(self, game: str) -> list[StoredPuzzle]:
        """Returns a game's puzzles, ordered by id."""
        return self._database.read(_listed, game)

    def get(self, puzzle: str) -> StoredPuzzle | None:
        """Returns the puzzle with this id; None if no such puzzle is stored."""
        return self._database.read(_get, puzzle)

    def solver(self, holder: str, game: str) -> Solver:
        """Returns the results of the solver `holder` in a game's puzzles.

        If no results are stored, returns the results of a new solver.
        """
        return self._database.read(_solver, holder, game)

    def tried(self, holder: str) -> dict[str, bool]:
        """Returns the puzzles, of all games, that the solver `holder` has tried.

        Returns:
            For the id of each of these puzzles, whether the solver's first try succeeded.
        """
        return self._database.read(_tried, holder)

    def add_try(self, holder: str, puzzle: str, solved: bool, day: int | None, rate: Rate) -> tuple[Solver, bool]:
        """Stores a solver's first try at a puzzle, and updates both ratings. Later tries change nothing.

        Args:
            holder: the solver.
            puzzle: id of the puzzle.
            solved: whether the try succeeded.
            day: number of the present day, counted from 1970, if the puzzle is the puzzle of the day; otherwise None.
            rate: function that returns the new ratings of solver and puzzle after a try.

        Returns:
            The solver's results after the try, and whether the try was the first and has changed the ratings.
        """
        return self._database.write(_try, holder, puzzle, solved, day, rate)

    def forget(self, holder: str) -> None:
        """Deletes the ratings and tries of the solver `holder`. The ratings of the puzzles do not change."""
        self._database.write(_forget, holder)


def _store_analysis(connection: Connection, match: str, analysis: bytes) -> None:
    columns = {"analysis": analysis}
    upsert = insert_into(connection, site_analyses).values({"match": match} | columns)
    connection.execute(upsert.on_conflict_do_update(index_elements=["match"], set_=columns))


def _analysis(connection: Connection, match: str) -> bytes | None:
    return connection.execute(
        select(site_analyses.c.analysis).where(site_analyses.c.match == match)
    ).scalar_one_or_none()


class Analyses:
    """Engines' analyses of the site's matches, in a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def store(self, match: str, analysis: bytes) -> None:
        """Stores the analysis of a match. `match` is the id of its table. The analysis replaces an earlier analysis."""
        self._database.write(_store_analysis, match, analysis)

    def get(self, match: str) -> bytes | None:
        """Returns the analysis of a match; None if no analysis is stored. `match` is the id of its table."""
        return self._database.read(_analysis, match)
