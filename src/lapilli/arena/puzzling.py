"""How hard puzzles are, and how well people solve them: a try is a match between the two."""

from __future__ import annotations

from functools import cache

from lapilli.arena.statistics.skills import Skill, updated
from lapilli.core.api import Game
from lapilli.core.content.puzzles import Puzzle, read_puzzles
from lapilli.games import load
from lapilli.store import Rated, Store, puzzle_id

_MEAN, _SPREAD = 25.0, 9.0
"""On openskill's scale: a puzzle for middling levels, and how far the easiest and the hardest are from it."""
_SIGMA = 5.0
"""How far a puzzle may be from what the level that finds it tells of it."""
_ELO = 29.5
"""Points a unit of that scale: 400 / ln 10 over the square root of twice the model's beta squared, 25/6, so that 400
points more are ten to one, as of Elo."""


def graded(game: Game, puzzle: Puzzle) -> Rated:
    """How hard a new puzzle is believed to be, by the level that finds it."""
    share = (puzzle.level - 1) / max(1, len(game.levels))
    return Rated(_MEAN + _SPREAD * (2 * share - 1), _SIGMA)


def after_try(solver: Rated, puzzle: Rated, solved: bool) -> tuple[Rated, Rated]:
    """The ratings of a solver and a puzzle after a try."""
    ranks = (1, 2) if solved else (2, 1)
    own, its = updated((Skill(solver.mu, solver.sigma), Skill(puzzle.mu, puzzle.sigma)), ranks)
    return Rated(own.mu, own.sigma, solver.tries + 1), Rated(its.mu, its.sigma, puzzle.tries + 1)


def points(rated: Rated) -> int:
    """A rating as people read it: 1500 for a new solver; 400 more are ten to one."""
    return round(1500 + _ELO * (rated.mu - _MEAN))


def add_puzzles(store: Store, game: Game, puzzles: list[Puzzle] | tuple[Puzzle, ...]) -> int:
    """Stores puzzles, graded; how many are new."""
    return store.site.puzzles.add(game.name, puzzles, [graded(game, puzzle) for puzzle in puzzles])


def puzzle_ids(store: Store, game: Game) -> list[str]:
    """The ids of a game's puzzles in the store; those that come with the game are put there first."""
    ids = store.site.puzzles.ids(game.name)
    if not _shipped(game.name).issubset(ids):
        add_puzzles(store, game, read_puzzles(game.folder))
        ids = store.site.puzzles.ids(game.name)
    return ids


@cache
def _shipped(name: str) -> frozenset[str]:
    game = load(name)
    return frozenset(puzzle_id(name, puzzle) for puzzle in read_puzzles(game.folder))


def of_the_day(ids: list[str], day: int) -> str:
    """The id of a day's puzzle, the same for everybody; a day is counted from 1970.

    None comes twice before all have come.
    """
    ordered = sorted(ids)
    return ordered[(day * _STRIDE) % len(ordered)] if ordered else ""


_STRIDE = 7919
"""A prime, so that neighbouring days have puzzles far apart, and every number of puzzles is gone through."""
