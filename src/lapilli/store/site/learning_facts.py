"""Data of puzzles and their solvers that the store returns: plain structs."""

from __future__ import annotations

import hashlib

import msgspec

from lapilli.core.content.puzzles import Puzzle


class Rated(msgspec.Struct, frozen=True):
    """A rating: the strength of a solver or the difficulty of a puzzle, as openskill's mean and standard deviation.

    Attributes:
        tries: number of tries that it is based on.
    """

    mu: float
    sigma: float
    tries: int = 0


class StoredPuzzle(msgspec.Struct, frozen=True, kw_only=True):
    """A puzzle in the store.

    Attributes:
        id: equal for the same position in every store.
        game: the game's slug.
        puzzle: the puzzle.
        rated: its difficulty.
    """

    id: str
    game: str
    puzzle: Puzzle
    rated: Rated


class Solver(msgspec.Struct, frozen=True, kw_only=True):
    """The results of a person who solves puzzles of a game.

    Attributes:
        rated: strength.
        solved: number of successful tries.
        day: day of the last daily puzzle that was solved, counted from 1970; -1 for none.
        streak: number of consecutive days up to that one.
    """

    rated: Rated
    solved: int = 0
    day: int = -1
    streak: int = 0


def puzzle_id(game: str, puzzle: Puzzle) -> str:
    """Returns the id of a puzzle in URLs, 12 hexadecimal digits: equal for the same position."""
    said = msgspec.json.encode([game, sorted(puzzle.setup.items()), puzzle.player])
    return hashlib.sha256(said).hexdigest()[:12]
