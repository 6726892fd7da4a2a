"""How a game's built-in opponents think, as data: searches with their settings, and levels of strength on them."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable

FILE = "levels.csv"
"""Where a game's folder says how strong its built-in opponents are; `tests/levels.py` measures and writes it."""


@dataclass(frozen=True, kw_only=True)
class Search:
    """A way to choose moves in a game: a method of `lapilli.search` with the settings that suit the game.

    Attributes:
        method: its name there.
        settings: those that differ from the method's own defaults, by name.
        weights: a file of somebody's own of what the search goes by, as training writes it; by default the game's.
    """

    method: str
    settings: Mapping[str, float] = field(default_factory=dict)
    weights: str = ""


@dataclass(frozen=True, kw_only=True)
class Level:
    """A strength: a search that may look at so many nodes, and errs so often. Never by time, so that it plays the same
    on every machine.

    Attributes:
        search: which of the game's searches.
        nodes: what it may look at for a turn, in the search's own unit.
        blunder: how likely a turn is one of a beginner's instead, in [0, 1].
        settings: others that differ from the search's, by name.
    """

    search: str
    nodes: int
    blunder: float = 0.0
    settings: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Strength:
    """How strong a built-in opponent is, as it was measured.

    Attributes:
        player: its name. elo: where `random` is 0. low, high: the 95 % interval. matches: how many it played.
    """

    player: str
    elo: int
    low: int
    high: int
    matches: int


def read_strengths(folder: Traversable) -> tuple[Strength, ...]:
    """What the file in a game's folder says, the weakest first; nothing where there is none."""
    file = folder / FILE
    if not file.is_file():
        return ()
    rows = csv.DictReader(file.read_text(encoding="utf-8").splitlines(), strict=True)
    return tuple(
        Strength(row["player"], int(row["elo"]), int(row["low"]), int(row["high"]), int(row["matches"])) for row in rows
    )
