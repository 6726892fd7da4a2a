"""Skills in a league: ratings for any number of players that are updated after each match, by openskill.

The model is Plackett-Luce in the form of Weng and Lin (2011): a normal distribution for each player's skill, whose mean
and deviation change with the ranks of each match. Results are used in the order in which they come, and are not stored.
Ratings from a whole table of results are in `lapilli.arena.statistics.ratings`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from openskill.models import PlackettLuce

from lapilli.core.errors import LapilliError

_MODEL = PlackettLuce()


@dataclass(frozen=True, slots=True)
class Skill:
    """The estimated skill of a player. The defaults are those of a new player.

    Attributes:
        mu: mean, on openskill's scale: 25 for a new player.
        sigma: standard deviation: 25/3 for a new player; it shrinks with each match.
    """

    mu: float = _MODEL.mu
    sigma: float = _MODEL.sigma

    @property
    def ordinal(self) -> float:
        """Sort key of leaderboards: mu - 3 sigma, which the skill almost surely exceeds; 0 for a new player."""
        return self.mu - 3 * self.sigma


def updated(skills: Sequence[Skill], ranks: Sequence[int]) -> tuple[Skill, ...]:
    """Returns the skills of the players after a match.

    Args:
        skills: skills of the players before the match.
        ranks: rank of each player; 1 is best, ties share a rank.

    Raises:
        LapilliError: there are fewer than two players, or there is not one rank for each.
    """
    if len(skills) < 2 or len(ranks) != len(skills):
        raise LapilliError(f"a match has two players or more and a rank for each, not {len(skills)} and {len(ranks)}")
    teams = [[_MODEL.rating(skill.mu, skill.sigma)] for skill in skills]
    rated = _MODEL.rate(teams, ranks=[float(rank) for rank in ranks])
    return tuple(Skill(player.mu, player.sigma) for [player] in rated)


def chances(skills: Sequence[Skill]) -> tuple[float, ...]:
    """Returns each player's probability of winning a match between all of them; the sum is 1.

    The closer the probabilities are to each other, the more a match tells.

    Raises:
        LapilliError: there are fewer than two players.
    """
    if len(skills) < 2:
        raise LapilliError(f"a match has two players or more, not {len(skills)}")
    return tuple(_MODEL.predict_win([[_MODEL.rating(skill.mu, skill.sigma)] for skill in skills]))
