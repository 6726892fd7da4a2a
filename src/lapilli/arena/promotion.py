"""A league's divisions: who plays by which rules, who keeps the gates, who is promoted. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from lapilli.arena.statistics import Skill
from lapilli.core.game import Game
from lapilli.players import builtin_names
from lapilli.players.engines.searches import level_names
from lapilli.store import LeagueEntry

DIVISIONS = ("wood", "bronze", "silver", "gold", "legend")
"""The lowest first. At the gate from each to the next stands a boss; nothing is above the last."""
ENOUGH = 20
"""Matches that a bot plays in a division until it may be promoted, where nobody says otherwise."""


def rules_of(division: int, leagues: Sequence[str]) -> str | None:
    """The league of the game, of those that it has, whose rules a division plays by: the lowest divisions by those of
    earlier leagues, all above by the last one's, which are all rules. None where the game has no leagues."""
    return leagues[min(division, len(leagues) - 1)] if leagues else None


def ladder_of(game: Game) -> tuple[str, ...]:
    """The built-in opponents of whom bosses are, the weakest first: the game's levels; without those all others that
    it has, `random` only where it is alone."""
    return level_names(game) or tuple(builtin_names(game)[1:]) or tuple(builtin_names(game))


def boss_of(division: int, ladder: Sequence[str]) -> str:
    """Which of a ladder (the weakest first) keeps the gate of a division: the weakest the first, where newcomers come,
    the strongest the last, and between them at equal steps."""
    steps = len(DIVISIONS) - 2
    return ladder[division * (len(ladder) - 1) // steps]


def above(entry: LeagueEntry, boss: LeagueEntry) -> bool:
    """Whether an entry stands above a boss in the table, which goes by the skill that each almost surely has."""
    own, its = (Skill(who.rating.mu, who.rating.sigma).ordinal for who in (entry, boss))
    return own > its


def challengers(entries: Sequence[LeagueEntry], enough: int) -> list[tuple[LeagueEntry, LeagueEntry]]:
    """Who stands above the boss of its division, with that boss: whoever has also played enough there is promoted.

    Args:
        entries: of the league, those who have withdrawn left out.
        enough: matches that both have played at least, the challenger in any division.
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
