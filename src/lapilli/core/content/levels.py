"""Built-in opponents that use a search, as data: searches with settings, levels based on them, measured strengths."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable

FILE = "levels.csv"
"""Name of the file with the measured strengths, in a game's data folder. `tests/levels.py` writes it."""
GRADES = ("First steps", "Beginner", "Club", "Strong", "Best")
"""Names that people use for an opponent's strength, the weakest first. `Game.grades` has an opponent for each."""


@dataclass(frozen=True, kw_only=True)
class Search:
    """A way to choose turns in a game: a search method of `lapilli.search`, with settings that suit the game.

    Attributes:
        method: name of the method.
        settings: by name, the settings that differ from the method's defaults.
        weights: path of a file with trained weights; "" for those that come with the game.
    """

    method: str
    settings: Mapping[str, float] = field(default_factory=dict)
    weights: str = ""


@dataclass(frozen=True, kw_only=True)
class Level:
    """A built-in opponent of limited strength: a search with a limit of nodes and a rate of blunders.

    A level has no time limit, so that it plays the same on every machine.

    Attributes:
        search: name of one of the game's searches.
        nodes: limit of nodes per turn. Each search method defines what a node is.
        blunder: probability of playing a beginner's turn instead of the best, in [0, 1].
        settings: by name, further settings, which replace those of the search.
    """

    search: str
    nodes: int
    blunder: float = 0.0
    settings: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Strength:
    """The measured strength of a built-in opponent.

    Attributes:
        player: name of the opponent.
        elo: its Elo rating, on a scale where the player `random` has 0.
        low, high: the rating's 95 % confidence interval.
        matches: number of matches that it played.
    """

    player: str
    elo: int
    low: int
    high: int
    matches: int


def read_strengths(folder: Traversable) -> tuple[Strength, ...]:
    """Returns the measured strengths of a game's built-in opponents, the weakest first; empty without a file.

    They are read from `levels.csv` in `folder`, the game's data folder, and keep the order of the file.
    """
    file = folder / FILE
    if not file.is_file():
        return ()
    rows = csv.DictReader(file.read_text(encoding="utf-8").splitlines(), strict=True)
    return tuple(
        Strength(row["player"], int(row["elo"]), int(row["low"]), int(row["high"]), int(row["matches"])) for row in rows
    )
