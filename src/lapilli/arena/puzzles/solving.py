"""Ratings of puzzles and of their solvers: each try counts as a match between solver and puzzle."""

from __future__ import annotations

from functools import cache

from lapilli.arena.statistics.skills import Skill, updated
from lapilli.core.api import Game
from lapilli.core.content.puzzles import Puzzle, read_puzzles
from lapilli.games import load
from lapilli.store import Rated, Store, puzzle_id

_MEAN, _SPREAD = 25.0, 9.0
"""On openskill's scale: rating of a new puzzle that a middle level finds, and how far the extreme levels differ."""
_SIGMA = 5.0
"""Standard deviation of a new puzzle's rating."""
_ELO = 29.5
"""Displayed points per unit of that scale: 400 / ln 10 / sqrt(2 * beta²), with the model's beta = 25/6.

So, as in Elo, a difference of 400 points means odds of ten to one.
"""


def graded(game: Game, puzzle: Puzzle) -> Rated:
    """Returns the first rating of a new puzzle, from the weakest level that finds its solution."""
    share = (puzzle.level - 1) / max(1, len(game.levels))
    return Rated(_MEAN + _SPREAD * (2 * share - 1), _SIGMA)


def after_try(solver: Rated, puzzle: Rated, solved: bool) -> tuple[Rated, Rated]:
    """Returns the ratings of a solver and a puzzle after a try."""
    ranks = (1, 2) if solved else (2, 1)
    own, its = updated((Skill(solver.mu, solver.sigma), Skill(puzzle.mu, puzzle.sigma)), ranks)
    return Rated(own.mu, own.sigma, solver.tries + 1), Rated(its.mu, its.sigma, puzzle.tries + 1)


def points(rated: Rated) -> int:
    """Returns a rating in displayed points: 1500 for a new solver; 400 points more mean odds of ten to one."""
    return round(1500 + _ELO * (rated.mu - _MEAN))


def add_puzzles(store: Store, game: Game, puzzles: list[Puzzle] | tuple[Puzzle, ...]) -> int:
    """Stores puzzles with their first ratings, and returns how many are new."""
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
    """Returns the id of the puzzle of a day, the same for everybody; empty if there are no puzzles.

    No puzzle is repeated before all have been used.

    Args:
        ids: ids of the game's puzzles.
        day: number of the day, counted from 1970.
    """
    ordered = sorted(ids)
    return ordered[(day * _STRIDE) % len(ordered)] if ordered else ""


_STRIDE = 7919
"""Step between the puzzles of successive days in the sorted ids.

It is a prime, so that all puzzles are used, whatever their number (unless this is a multiple of it).
"""
