"""Data of puzzles and their solvers that the store returns, as plain structs."""

from __future__ import annotations

import hashlib

import msgspec

from lapilli.core.content.puzzles import Puzzle


class Rated(msgspec.Struct, frozen=True):
    """A rating: the strength of a solver or the difficulty of a puzzle, on openskill's scale.

    Attributes:
        mu: mean.
        sigma: standard deviation.
        tries: number of tries that it is computed from.
    """

    mu: float
    sigma: float
    tries: int = 0


class StoredPuzzle(msgspec.Struct, frozen=True, kw_only=True):
    """A puzzle in the store.

    Attributes:
        id: id in URLs, the same for the same position in every store.
        game: the game's slug.
        puzzle: the puzzle.
        rated: its difficulty.
    """

    id: str
    game: str
    puzzle: Puzzle
    rated: Rated


class Solver(msgspec.Struct, frozen=True, kw_only=True):
    """One person's results in the puzzles of a game.

    Attributes:
        rated: the person's strength.
        solved: number of successful tries.
        day: day of the last daily puzzle that was solved, counted from 1970; -1 for none.
        streak: number of consecutive days with a solved daily puzzle, up to `day`.
    """

    rated: Rated
    solved: int = 0
    day: int = -1
    streak: int = 0


def puzzle_id(game: str, puzzle: Puzzle) -> str:
    """Returns the id of a puzzle in URLs: 12 hexadecimal digits that are equal for equal positions."""
    key = msgspec.json.encode([game, sorted(puzzle.setup.items()), puzzle.player])
    return hashlib.sha256(key).hexdigest()[:12]
