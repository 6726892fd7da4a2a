"""What the store tells of puzzles and of those who solve them: plain data."""

from __future__ import annotations

import hashlib

import msgspec

from lapilli.core.content.puzzles import Puzzle


class Rated(msgspec.Struct, frozen=True):
    """How strong a solver is believed to be, or how hard a puzzle: openskill's mean and standard deviation.

    Attributes:
        tries: after how many tries.
    """

    mu: float
    sigma: float
    tries: int = 0


class StoredPuzzle(msgspec.Struct, frozen=True, kw_only=True):
    """A puzzle in the store.

    Attributes:
        id: the same for the same position, whatever store it is in. game: its slug. rated: how hard it is.
    """

    id: str
    game: str
    puzzle: Puzzle
    rated: Rated


class Solver(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who solves puzzles of a game.

    Attributes:
        rated: how well. solved: how many of the tries.
        day: the last day whose puzzle was solved, counted from 1970; -1 for none.
        streak: how many days on end up to it.
    """

    rated: Rated
    solved: int = 0
    day: int = -1
    streak: int = 0


def puzzle_id(game: str, puzzle: Puzzle) -> str:
    """What names a puzzle in addresses: the same for the same position."""
    said = msgspec.json.encode([game, sorted(puzzle.setup.items()), puzzle.player])
    return hashlib.sha256(said).hexdigest()[:12]
