"""Skills: the ratings of a league, which the library openskill updates after each match of two or more players.

The model is Plackett-Luce in the form of Weng and Lin (2011): each player's skill has a normal distribution, and its
mean and deviation change with the ranks of each match. An update needs only the players' skills before the match, not
earlier results. In contrast, `lapilli.arena.statistics.ratings` computes ratings from a table of all results.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from openskill.models import PlackettLuce

from lapilli.core.errors import LapilliError

_MODEL = PlackettLuce()
ELO_UNIT = 400 / math.log(10) / (math.sqrt(2) * _MODEL.beta)
"""Elo points per unit of openskill's scale: a difference of 400 points means odds of ten to one."""


@dataclass(frozen=True, slots=True)
class Skill:
    """The estimated skill of a player, a normal distribution; by default that of a new player.

    Attributes:
        mu: mean, on openskill's scale; 25 for a new player.
        sigma: standard deviation; 25/3 for a new player, and smaller after each match.
    """

    mu: float = _MODEL.mu
    sigma: float = _MODEL.sigma

    @property
    def ordinal(self) -> float:
        """Sort key of leaderboards: mu - 3 sigma, a skill that the player almost certainly has; 0 for a new player."""
        return self.mu - 3 * self.sigma


def updated(skills: Sequence[Skill], ranks: Sequence[int]) -> tuple[Skill, ...]:
    """Returns the skills of the players after a match, in the same order as `skills`.

    Args:
        skills: skills of the players before the match.
        ranks: rank of each player; 1 is best, ties share a rank.

    Raises:
        LapilliError: there are fewer than two players, or the numbers of players and ranks differ.
    """
    if len(skills) < 2 or len(ranks) != len(skills):
        raise LapilliError(f"a match has two players or more and a rank for each, not {len(skills)} and {len(ranks)}")
    teams = [[_MODEL.rating(skill.mu, skill.sigma)] for skill in skills]
    rated = _MODEL.rate(teams, ranks=[float(rank) for rank in ranks])
    return tuple(Skill(player.mu, player.sigma) for [player] in rated)


def chances(skills: Sequence[Skill]) -> tuple[float, ...]:
    """Returns each player's probability of winning a match in which all these players take part; the sum is 1.

    Raises:
        LapilliError: there are fewer than two players.
    """
    if len(skills) < 2:
        raise LapilliError(f"a match has two players or more, not {len(skills)}")
    return tuple(_MODEL.predict_win([[_MODEL.rating(skill.mu, skill.sigma)] for skill in skills]))
