"""Rates people, programs and bots at tables, on one scale per game.

Ratings are computed by the library openskill (`lapilli.arena.statistics.skills`), and converted to Elo points. Unlike
Glicko-2, openskill also rates matches of three and four players, and leagues and puzzles use it, too. The built-in
opponents of a game have fixed ratings, their measured strengths. So a person with 1,200 points is as strong as a level
with 1,200 points.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from statistics import fmean, pstdev

from lapilli.arena.statistics.skills import ELO_UNIT, Skill, updated
from lapilli.core.errors import LapilliError
from lapilli.games import load
from lapilli.site.live.table.plan import TablePlan
from lapilli.site.people.identity.people import Person
from lapilli.store import PlayerRating, RatingRules, Store

_DEVIATION = 350.0
"""Least deviation of a new player's rating, in Elo points."""
_MEAN = 1000.0
"""Rating of a new player in a game whose built-in opponents have not been measured."""
_LEAST_DEVIATION = 10.0
"""Least deviation of a built-in opponent's rating, in Elo points."""
_USUAL_DEVIATION = 80.0
"""Deviation of an opponent's rating for which `matches_to_settle` counts matches, in Elo points."""


@cache
def rules_of(name: str) -> RatingRules:
    """Returns the rules by which ratings change in a game.

    A new player's rating is the mean of the measured strengths. Its deviation is the standard deviation of these
    strengths, but at least `_DEVIATION`.
    """
    strengths = load(name).strengths
    elos = [strength.elo for strength in strengths]
    mean = round(fmean(elos)) if elos else _MEAN
    deviation = max(_DEVIATION, float(round(pstdev(elos)))) if elos else _DEVIATION
    anchors = {
        strength.player: PlayerRating(
            float(strength.elo), max(_LEAST_DEVIATION, (strength.high - strength.low) / (2 * 1.96))
        )
        for strength in strengths
    }
    return RatingRules(PlayerRating(float(mean), deviation), anchors, rated)


def rated(before: Sequence[PlayerRating], ranks: Sequence[int], weight: float) -> list[PlayerRating]:
    """Returns the players' ratings after a match.

    Args:
        before: ratings before the match.
        ranks: rank of each player; 1 is best, ties share a rank.
        weight: weight of the match: 1 for a usual match, 0 for a match that changes nothing.
    """
    skills = [Skill(player.rating / ELO_UNIT, player.deviation / ELO_UNIT) for player in before]
    return [
        _between(player, PlayerRating(skill.mu * ELO_UNIT, skill.sigma * ELO_UNIT), weight)
        for player, skill in zip(before, updated(skills, ranks), strict=True)
    ]


def matches_to_settle(rating: PlayerRating) -> int:
    """Estimates after how many further rated matches a rating is no longer provisional.

    Counts matches against opponents of the same strength, lost and won in turn. Other matches say less about a player's
    strength, so more of them are needed.
    """
    count = 0
    while rating.is_provisional:
        opponent = PlayerRating(rating.rating, _USUAL_DEVIATION)
        rating = rated([rating, opponent], (2, 1) if count % 2 == 0 else (1, 2), weight=1)[0]
        count += 1
    return count


def _between(before: PlayerRating, after: PlayerRating, weight: float) -> PlayerRating:
    variance = (1 - weight) * before.deviation**2 + weight * after.deviation**2
    return PlayerRating(before.rating + weight * (after.rating - before.rating), math.sqrt(variance))


def check_rated(plan: TablePlan, person: Person, has_accounts: bool) -> None:
    """Raises LapilliError if a match with this plan cannot be rated.

    Args:
        plan: the plan of a new table.
        person: the person or program that opens the table.
        has_accounts: whether the site has accounts.
    """
    if not has_accounts:
        raise LapilliError("a site without accounts has no ratings: play without a rating")
    if not person.id:
        raise LapilliError("guests have no rating: sign in first, or play without a rating")
    if not plan.control.seconds:
        raise LapilliError("a rated match needs a clock: choose one, or play without a rating")
    game = plan.load_game()
    if plan.setup.get("variant") not in (None, "", *game.variants[:1]):
        raise LapilliError(f"only the variant {game.variants[0]!r} is rated, because levels were measured with it")
    anchors = rules_of(plan.game).anchors
    for seat in plan.seats:
        if seat.engine and seat.engine not in anchors:
            raise LapilliError(f"{seat.name} has no measured strength: choose a level, or play without a rating")


def check_accounts(store: Store, plan: TablePlan, joining: Person | None = None) -> None:
    """Raises LapilliError if an account would play a rated match against itself, its own program or its own bot.

    Reads the store, and blocks.

    Args:
        store: the database.
        plan: plan of the table.
        joining: the person or program that wants to take an open seat. None for a new table: the members for whom seats
            are reserved are then checked, too.
    """
    if not plan.rated or (joining is not None and plan.seat_of(joining.holder) is not None):
        return
    if joining is None:
        subjects = [seat.subject or seat.member for seat in plan.seats]
    else:
        subjects = [*(seat.subject for seat in plan.seats), joining.holder]
    present = [account for account in store.site.ratings.accounts(subjects) if account]
    if len(set(present)) < len(present):
        raise LapilliError("at a rated table an account has one seat, its programs and bots included")


def points(rating: float) -> str:
    """Formats a rating for people, such as "1512"."""
    return f"{round(rating)}"


def rating_text(rating: PlayerRating) -> str:
    """Formats a rating, such as "1512"; a question mark marks a provisional rating."""
    return points(rating.rating) + ("?" if rating.is_provisional else "")


def change_text(before: PlayerRating, after: PlayerRating) -> str:
    """Formats the change of a rating, such as "1512 → 1519 (+7)"; a question mark marks a provisional rating."""
    difference = round(after.rating) - round(before.rating)
    return f"{points(before.rating)} → {rating_text(after)} ({difference:+,})".replace("-", "−")
