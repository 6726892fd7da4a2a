"""Who is to play next in a league: those of whom least is known, against those who are likely to be their equals. Pure,
but for the lots that are handed in.

What a match can tell of its players is the more, the less is known of them (the variance of their skill) and the less
certain its end is. So both weigh; and all is drawn by lot, so that nobody is left out for good. Everybody in a group
sits everywhere: its matches are as many as it has players, with the seats rotated.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random

from lapilli.arena.statistics import Skill

_PLAY = (25 / 6) ** 2
"""The variance of what a player shows in one match, in openskill's usual scale."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Somebody who may play.

    Attributes:
        number: its place among the contestants. division: only those of one division meet.
        skill: what is believed of it.
    """

    number: int
    division: int
    skill: Skill


def next_group(candidates: Sequence[Candidate], sizes: Collection[int], lots: Random) -> tuple[int, ...]:
    """Who plays next: numbers, in no particular order of seats; as many as can, of the sizes that a match may have.

    Nobody (an empty group) where in no division there are enough.
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
    """How much a match between two can tell: the variance of its result, times what is not known of their skills."""
    unknown = one.sigma**2 + other.sigma**2
    apart = (one.mu - other.mu) / math.sqrt(unknown + 2 * _PLAY)
    return unknown / (2 + 2 * math.cosh(min(abs(apart), 100.0)))


def _drawn(candidates: Sequence[Candidate], weights: Sequence[float], lots: Random) -> Candidate:
    return lots.choices(candidates, weights)[0]
