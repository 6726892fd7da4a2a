"""The divisions of a league: their rules, their bosses, and who is promoted. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence

from lapilli.arena.statistics import Skill
from lapilli.core.game import Game
from lapilli.players import builtin_names
from lapilli.players.engines.searches import level_names
from lapilli.store import LeagueEntry

DIVISIONS = ("wood", "bronze", "silver", "gold", "legend")
"""Names of the divisions, the lowest first. Each but the last has a boss that a bot must overtake to be promoted."""
ENOUGH = 20
"""Default number of matches that a bot must play in a division before it may be promoted."""


def rules_of(division: int, leagues: Sequence[str]) -> str | None:
    """Returns the game's league whose rules a division plays by; None if the game has no leagues.

    The lowest divisions play by the game's earlier leagues, in their order. All higher divisions play by its last
    league, which has the complete rules.

    Args:
        division: index in DIVISIONS.
        leagues: the game's leagues, the earliest first.
    """
    return leagues[min(division, len(leagues) - 1)] if leagues else None


def ladder_of(game: Game) -> tuple[str, ...]:
    """Returns the names of the built-in opponents from which bosses are taken, the weakest first.

    They are the game's levels; without levels, its other built-in opponents; and `random` only if there is no other.
    """
    return level_names(game) or tuple(builtin_names(game)[1:]) or tuple(builtin_names(game))


def boss_of(division: int, ladder: Sequence[str]) -> str:
    """Returns the boss of a division.

    The lowest division, where new bots start, has the weakest opponent of the ladder, the second highest division the
    strongest one. The divisions between are at equal steps.

    Args:
        division: index in DIVISIONS; the highest division has no boss.
        ladder: names of built-in opponents, the weakest first.
    """
    steps = len(DIVISIONS) - 2
    return ladder[division * (len(ladder) - 1) // steps]


def above(entry: LeagueEntry, boss: LeagueEntry) -> bool:
    """Returns whether an entry stands above a boss in the table, which is sorted by mu - 3 sigma of the rating."""
    own, its = (Skill(who.rating.mu, who.rating.sigma).ordinal for who in (entry, boss))
    return own > its


def challengers(entries: Sequence[LeagueEntry], enough: int) -> list[tuple[LeagueEntry, LeagueEntry]]:
    """Returns the entries that stand above the boss of their division, each with that boss.

    Such an entry is promoted if it has also played enough matches in its division, which is not checked here.

    Args:
        entries: entries of the league, without withdrawn ones.
        enough: minimum number of matches of the boss and of the entry; those of the entry count in any division.
    """
    bosses = {entry.division: entry for entry in entries if entry.boss and entry.matches >= enough}
    return [
        (entry, bosses[entry.division])
        for entry in entries
        if not entry.boss
        and entry.division in bosses
        and entry.matches >= enough
        and above(entry, bosses[entry.division])
    ]
