"""Matchmaking in a league: draws the players of the next matches at random, and informative matches more often.

A match is more informative if its players' skills are more uncertain, and if its result is more open. Uncertainty and
openness determine the weights of the draw. Every player has a chance to be drawn. A group of n players plays n matches
with rotated seats, so that each player has each seat once.

The functions have no side effects, except that they use the random generator that they receive.
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
    """A player who may be drawn for a match.

    Attributes:
        number: index of the player in the event's list of contestants.
        division: division of the player; only players of the same division meet.
        skill: rating of the player.
        boss: whether the player is the boss of its division.
    """

    number: int
    division: int
    skill: Skill
    boss: bool = False


def next_group(candidates: Sequence[Candidate], sizes: Collection[int], random: Random) -> tuple[int, ...]:
    """Draws the group of players for the next matches, all from one division.

    Args:
        candidates: players who may be drawn.
        sizes: numbers of players that a match may have.
        random: random generator.

    Returns:
        The `number` of each player, in random order. The group has the largest size for which its division has enough
        players. The group is empty if no division has enough players for any size.
    """
    by_division: dict[int, list[Candidate]] = {}
    for candidate in candidates:
        by_division.setdefault(candidate.division, []).append(candidate)
    eligible = [candidate for candidate in candidates if len(by_division[candidate.division]) >= min(sizes)]
    if not eligible:
        return ()
    first = _draw(eligible, [candidate.skill.sigma for candidate in eligible], random)
    others = [candidate for candidate in by_division[first.division] if candidate is not first]
    group = [first]
    for _ in range(max(size for size in sizes if size <= len(others) + 1) - 1):
        chosen = _draw(others, _weights(first, others), random)
        others.remove(chosen)
        group.append(chosen)
    random.shuffle(group)
    return tuple(candidate.number for candidate in group)


def _weights(first: Candidate, others: Sequence[Candidate]) -> list[float]:
    """Returns the weight of each of `others` in the draw of opponents for `first`.

    The weight of a boss is at least the sum of the other bots' weights, because only matches against a boss decide
    about promotions.
    """
    found = [informative(first.skill, other.skill) for other in others]
    bots = sum(weight for weight, other in zip(found, others, strict=True) if not other.boss)
    return [max(weight, bots) if other.boss else weight for weight, other in zip(found, others, strict=True)]


def informative(one: Skill, other: Skill) -> float:
    """Returns how informative a match of two players with these skills is.

    This is the variance of the match's result, multiplied by the sum of the variances of both skills.
    """
    variance = one.sigma**2 + other.sigma**2
    distance = (one.mu - other.mu) / math.sqrt(variance + 2 * _PLAY)
    return variance / (2 + 2 * math.cosh(min(abs(distance), 100.0)))


def _draw(candidates: Sequence[Candidate], weights: Sequence[float], random: Random) -> Candidate:
    return random.choices(candidates, weights)[0]
