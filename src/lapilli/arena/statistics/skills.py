"""Skills in a league: ratings that a match at a time moves, for any number of players, by openskill.

The model is Plackett and Luce's in the form of Weng and Lin (2011): a normal belief about each player's skill, which
the ranks of a match shift and sharpen. It uses results in the order in which they come, and forgets them; ratings from
a whole table of results are in `lapilli.arena.statistics.ratings`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from openskill.models import PlackettLuce

from lapilli.core.errors import LapilliError

_MODEL = PlackettLuce()


@dataclass(frozen=True, slots=True)
class Skill:
    """What is believed of a player's skill; a new player's as it is made.

    Attributes:
        mu: the mean, on openskill's scale: 25 for a new player.
        sigma: the standard deviation, 25/3 for a new player; it shrinks with each match.
    """

    mu: float = _MODEL.mu
    sigma: float = _MODEL.sigma

    @property
    def ordinal(self) -> float:
        """What a leaderboard sorts by: the skill that the player almost surely has, mu - 3 sigma; 0 when new."""
        return self.mu - 3 * self.sigma


def updated(skills: Sequence[Skill], ranks: Sequence[int]) -> tuple[Skill, ...]:
    """The skills after a match.

    Args:
        skills: of the players, before it.
        ranks: one per player, 1 is best; ties share a rank.

    Raises:
        LapilliError: fewer than two players, or not a rank for each.
    """
    if len(skills) < 2 or len(ranks) != len(skills):
        raise LapilliError(f"a match has two players or more and a rank for each, not {len(skills)} and {len(ranks)}")
    teams = [[_MODEL.rating(skill.mu, skill.sigma)] for skill in skills]
    rated = _MODEL.rate(teams, ranks=[float(rank) for rank in ranks])
    return tuple(Skill(player.mu, player.sigma) for [player] in rated)


def chances(skills: Sequence[Skill]) -> tuple[float, ...]:
    """How likely each of them is to win a match between them all; they sum up to 1.

    The closer to each other, the more a match tells. Raises LapilliError for fewer than two players.
    """
    if len(skills) < 2:
        raise LapilliError(f"a match has two players or more, not {len(skills)}")
    return tuple(_MODEL.predict_win([[_MODEL.rating(skill.mu, skill.sigma)] for skill in skills]))
