"""Ratings of puzzles and solvers: each try is rated like a match of solver and puzzle. Also the puzzle of the day."""

from __future__ import annotations

from functools import cache

from lapilli.arena.statistics.skills import Skill, updated
from lapilli.core.api import Game
from lapilli.core.content.puzzles import Puzzle, read_puzzles
from lapilli.games import load
from lapilli.store import Rated, Store, puzzle_id

_MEAN, _SPREAD = 25.0, 9.0
"""First ratings of puzzles (mean skill), on openskill's scale.

A puzzle starts at _MEAN if the levels from the middle one upwards find its solution. It starts at _MEAN + _SPREAD if no
level finds the solution, and at _MEAN - _SPREAD if the first level finds it.
"""
_SIGMA = 5.0
"""Standard deviation of the first rating of a puzzle."""
_ELO = 29.5
"""Displayed points per unit of openskill's scale: 400 / ln 10 / sqrt(2 * beta²), with the model's beta = 25/6.

With this factor, a difference of 400 points means odds of ten to one, as in Elo.
"""


def graded(game: Game, puzzle: Puzzle) -> Rated:
    """Returns a puzzle's first rating. It increases with `Puzzle.level`, the weakest level that finds the solution."""
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
    """Returns a rating in displayed points: 1500 for a new solver; a difference of 400 means odds of ten to one."""
    return round(1500 + _ELO * (rated.mu - _MEAN))


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

    No puzzle is repeated before all puzzles have been used, unless their number is a multiple of `_STRIDE` or changes.

    Args:
        ids: ids of the game's puzzles.
        day: number of days since 1970-01-01.
    """
    ordered = sorted(ids)
    return ordered[(day * _STRIDE) % len(ordered)] if ordered else ""


_STRIDE = 7919
"""Distance between the puzzles of successive days in the sorted list of ids.

It is a prime number, so that all puzzles are used, unless the number of puzzles is a multiple of it.
"""
