"""Matchmaking in a league: players with uncertain ratings meet opponents of probably equal strength.

A match tells more about its players the less is known of their skills (the higher the variance) and the less certain
its result is. Both determine the weight of a player in a random draw, so that no player is left out for good. Each
group of n players plays n matches with rotated seats, so that each player sits in each seat once.

The functions are pure except for the random generator that is passed in.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random

from lapilli.arena.statistics import Skill

_PLAY = (25 / 6) ** 2
"""Variance of a player's performance in a single match, on openskill's default scale."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A player that may be drawn for a match.

    Attributes:
        number: index of the player in the event's list of contestants.
        division: division of the player; only players of the same division meet.
        skill: rating of the player.
    """

    number: int
    division: int
    skill: Skill


def next_group(candidates: Sequence[Candidate], sizes: Collection[int], lots: Random) -> tuple[int, ...]:
    """Draws the group of players for the next matches.

    Args:
        candidates: players that may be drawn.
        sizes: numbers of players that a match may have.
        lots: source of random numbers.

    Returns:
        The `number` of each player, in random order. The group has the largest of the sizes that its division can
        fill; it is empty if no division has enough players.
    """
    there: dict[int, list[Candidate]] = {}
    for candidate in candidates:
        there.setdefault(candidate.division, []).append(candidate)
    able = [candidate for candidate in candidates if len(there[candidate.division]) >= min(sizes)]
    if not able:
        return ()
    first = _drawn(able, [candidate.skill.sigma for candidate in able], lots)
    others = [candidate for candidate in there[first.division] if candidate is not first]
    group = [first]
    for _ in range(max(size for size in sizes if size <= len(others) + 1) - 1):
        chosen = _drawn(others, [informative(first.skill, candidate.skill) for candidate in others], lots)
        others.remove(chosen)
        group.append(chosen)
    lots.shuffle(group)
    return tuple(candidate.number for candidate in group)


def informative(one: Skill, other: Skill) -> float:
    """Returns how much a match between two players can tell: the variance of its result times that of their skills."""
    unknown = one.sigma**2 + other.sigma**2
    apart = (one.mu - other.mu) / math.sqrt(unknown + 2 * _PLAY)
    return unknown / (2 + 2 * math.cosh(min(abs(apart), 100.0)))


def _drawn(candidates: Sequence[Candidate], weights: Sequence[float], lots: Random) -> Candidate:
    return lots.choices(candidates, weights)[0]
