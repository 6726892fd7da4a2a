"""The divisions of a league: their rules and their bosses. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence

from lapilli.core.game import Game
from lapilli.players import builtin_names
from lapilli.players.engines.searches import level_names

DIVISIONS = ("wood", "bronze", "silver", "gold", "legend")
"""Names of a league's divisions, the lowest first.

Each division except the last has a boss: a built-in opponent that a bot must beat to be promoted.
"""
ENOUGH = 20
"""Default number of matches that a bot must play in a division before it may be promoted."""


def rules_of(division: int, leagues: Sequence[str]) -> str | None:
    """Returns the game's league (a version of its rules) for a division; None if the game has no leagues.

    The lowest divisions play by the rules of the game's first leagues, in their order. All higher divisions play by the
    rules of its last league, which are complete.

    Args:
        division: index in DIVISIONS.
        leagues: the game's leagues, the earliest first.
    """
    return leagues[min(division, len(leagues) - 1)] if leagues else None


def ladder_of(game: Game) -> tuple[str, ...]:
    """Returns the names of the built-in opponents that can be bosses, the weakest first.

    These are the game's levels. For a game without levels, they are its other built-in opponents. The opponent `random`
    is left out unless it is the only one.
    """
    return level_names(game) or tuple(builtin_names(game)[1:]) or tuple(builtin_names(game))


def boss_of(division: int, ladder: Sequence[str]) -> str:
    """Returns the name of a division's boss.

    The boss of the lowest division, in which new bots begin, is the weakest opponent of the ladder. The boss of the
    second highest division is the strongest opponent. The bosses of the divisions in between are evenly spaced on the
    ladder.

    Args:
        division: index in DIVISIONS, except the last: the highest division has no boss.
        ladder: names of built-in opponents, the weakest first.
    """
    steps = len(DIVISIONS) - 2
    return ladder[division * (len(ladder) - 1) // steps]
