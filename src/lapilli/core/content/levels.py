"""Built-in opponents that use a search, as data: searches with settings, levels based on them, measured strengths."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable

from lapilli.core.errors import LapilliError, in_one_line

FILE = "levels.csv"
"""Name of the file with the measured strengths, in a game's data folder. `tests/levels.py` writes it."""
MOST_LEVELS = 10
"""Greatest number of levels of a game. An opponent between two levels is named by its Elo rating: `level:1250`."""
_TITLES = (
    "First steps",
    "Beginner",
    "Learner",
    "Casual",
    "Regular",
    "Club",
    "Skilled",
    "Strong",
    "Expert",
    "Master",
)
"""Names that people use for the strengths of levels, the weakest first."""
USUAL, OPENINGS = "usual", "openings"
"""How the matches that measure strengths begin (`Strength.start`). USUAL: from the usual start, as people play.
OPENINGS: from the game's balanced openings, as most matches of a tournament are played."""


@dataclass(frozen=True, slots=True)
class SettingRange:
    """The values that a numeric setting of a search may have: from `low` to `high`.

    `whole`: whether the value must be a whole number.
    """

    low: float
    high: float
    whole: bool = False

    def check(self, name: str, value: float) -> None:
        """Raises LapilliError if `value` is outside the range. `name`: name of the setting, for the message."""
        if not self.low <= value <= self.high or (self.whole and value != int(value)):
            kind = "a whole number" if self.whole else "a number"
            raise LapilliError(f"the setting {name} must be {kind} from {self.low:g} to {self.high:g}, not {value:g}")


@dataclass(frozen=True, kw_only=True)
class Search:
    """A way to choose turns in a game: a search method of `lapilli.search`, with settings that suit the game.

    Attributes:
        method: name of the method.
        settings: values by name, for the settings that differ from the method's defaults.
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
        settings: further values by name, which replace settings of the search.
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
        start: how its matches began: USUAL (the usual start) or OPENINGS (balanced openings).
        elo: its Elo rating, on a scale where the player `random` has 0.
        low, high: the rating's 95 % confidence interval.
        matches: number of matches that it played.
    """

    player: str
    start: str
    elo: int
    low: int
    high: int
    matches: int


def level_title(number: int, count: int) -> str:
    """Returns what people call a level, such as "Casual". `number`: from 1 to `count`, the game's number of levels."""
    return _TITLES[(number - 1) * (len(_TITLES) - 1) // max(1, count - 1)]


def level_between(weaker: Level, stronger: Level, share: float) -> Level:
    """Returns a level whose settings lie between those of two levels of the same search.

    Nodes and settings of the search are interpolated geometrically where both are positive. All others, and `blunder`,
    are interpolated linearly.

    Args:
        weaker, stronger: the two levels.
        share: from 0 for the settings of `weaker` to 1 for those of `stronger`.
    """
    known = {**weaker.settings, **stronger.settings}
    return Level(
        search=stronger.search,
        nodes=round(_between(weaker.nodes, stronger.nodes, share)),
        blunder=weaker.blunder + share * (stronger.blunder - weaker.blunder),
        settings={
            name: _between(weaker.settings.get(name, value), stronger.settings.get(name, value), share)
            for name, value in known.items()
        },
    )


def _between(one: float, other: float, share: float) -> float:
    if one == other:
        return one
    if min(one, other) > 0:
        return float(one ** (1 - share) * other**share)
    return one + share * (other - one)


def read_strengths(folder: Traversable, start: str = USUAL) -> tuple[Strength, ...]:
    """Returns the measured strengths of a game's built-in opponents, the weakest first; empty without a file.

    They are read from `levels.csv`, and keep the order of the file.

    Args:
        folder: the game's data folder.
        start: how the matches began, USUAL or OPENINGS.

    Raises:
        LapilliError: the file is no such table, or a value is no number.
    """
    file = folder / FILE
    if not file.is_file():
        return ()
    rows = csv.DictReader(file.read_text(encoding="utf-8").splitlines(), strict=True)
    try:
        found = [
            Strength(row["player"], row["start"], *(int(row[name]) for name in ("elo", "low", "high", "matches")))
            for row in rows
        ]
    except csv.Error as error:
        raise LapilliError(f"{file}: {error}") from None
    except (KeyError, TypeError, ValueError) as error:
        raise LapilliError(f"{file}, line {rows.line_num}: {in_one_line(error)}") from None
    return tuple(strength for strength in found if strength.start == start)
