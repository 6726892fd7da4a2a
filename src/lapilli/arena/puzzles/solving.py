"""Rates puzzles and solvers: a try counts as a match of solver against puzzle. Also selects the puzzle of the day."""

from __future__ import annotations

from functools import cache

from lapilli.arena.statistics.skills import ELO_UNIT, Skill, updated
from lapilli.core.api import Game
from lapilli.core.content.puzzles import Puzzle, read_puzzles
from lapilli.games import load
from lapilli.store import Rated, Store, puzzle_id

_MEAN, _SPREAD = 25.0, 9.0
"""The first rating (mean skill) of a puzzle, on openskill's scale, lies between _MEAN - _SPREAD and _MEAN + _SPREAD.

A puzzle begins at _MEAN - _SPREAD if the weakest level finds the solution, at _MEAN if the middle level is the weakest
that finds the solution, and at _MEAN + _SPREAD if no level finds the solution.
"""
_SIGMA = 5.0
"""Standard deviation of the first rating of a puzzle."""
_STRIDE = 7919
"""Distance between the puzzles of successive days in the sorted list of ids.

This distance is a prime number, so that all puzzles are used unless the number of puzzles is a multiple of it.
"""


def graded(game: Game, puzzle: Puzzle) -> Rated:
    """Returns a puzzle's first rating, which is higher if only stronger levels find the solution (`Puzzle.level`)."""
    share = (puzzle.level - 1) / max(1, len(game.levels))
    return Rated(_MEAN + _SPREAD * (2 * share - 1), _SIGMA)


def after_try(solver: Rated, puzzle: Rated, solved: bool) -> tuple[Rated, Rated]:
    """Returns the ratings of solver and puzzle after a try; `solved` is whether the solver found the solution."""
    ranks = (1, 2) if solved else (2, 1)
    new_solver, new_puzzle = updated((Skill(solver.mu, solver.sigma), Skill(puzzle.mu, puzzle.sigma)), ranks)
    return (
        Rated(new_solver.mu, new_solver.sigma, solver.tries + 1),
        Rated(new_puzzle.mu, new_puzzle.sigma, puzzle.tries + 1),
    )


def points(rated: Rated) -> int:
    """Converts a rating to displayed points. A new solver has 1500 points; 400 points more mean odds of ten to one."""
    return round(1500 + ELO_UNIT * (rated.mu - _MEAN))


def add_puzzles(store: Store, game: Game, puzzles: list[Puzzle] | tuple[Puzzle, ...]) -> int:
    """Stores puzzles with their first ratings, and returns the number of puzzles that were new in the store."""
    return store.site.puzzles.add(game.name, puzzles, [graded(game, puzzle) for puzzle in puzzles])


def puzzle_ids(store: Store, game: Game) -> list[str]:
    """Returns the ids of a game's puzzles in the store, after adding the puzzles that come with the game."""
    ids = store.site.puzzles.ids(game.name)
    if not _shipped(game.name).issubset(ids):
        add_puzzles(store, game, read_puzzles(game.content))
        ids = store.site.puzzles.ids(game.name)
    return ids


@cache
def _shipped(name: str) -> frozenset[str]:
    game = load(name)
    return frozenset(puzzle_id(name, puzzle) for puzzle in read_puzzles(game.content))


def of_the_day(ids: list[str], day: int) -> str:
    """Returns the id of the puzzle of the day, which is the same for all visitors; "" if there are no puzzles.

    No puzzle is repeated before all puzzles have been used. This does not hold if the number of puzzles changes, or is
    a multiple of `_STRIDE`.

    Args:
        ids: ids of the game's puzzles.
        day: number of days since 1970-01-01.
    """
    ordered = sorted(ids)
    return ordered[(day * _STRIDE) % len(ordered)] if ordered else ""
