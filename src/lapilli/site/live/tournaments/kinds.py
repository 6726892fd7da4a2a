"""The kinds of tournaments, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lapilli.site.live.tournaments.pairing import (
    arena,
    knockout,
    knockout_legs,
    knockout_rounds,
    round_robin,
    round_robin_rounds,
    swiss,
)
from lapilli.site.live.tournaments.progress import PlannedMatch, TournamentProgress


def _no_legs(progress: TournamentProgress) -> list[PlannedMatch]:
    return []


@dataclass(frozen=True)
class TournamentKind:
    """A kind of tournament.

    Attributes:
        name: name in forms and in the API.
        title: name for people.
        summary: how it is played, in one sentence.
        pair: function that pairs the players of the next round; in a timed tournament, the players without a match.
        order: names of the numbers in `CRITERIA` by which players are ordered; the first counts most.
        rounds: function that returns the number of rounds; None for a timed tournament, which has no rounds.
        legs: function that returns further matches of the current round, for pairs that need more than one match.
        unit: unit of the length that the organiser chooses, such as "rounds"; "" if the organiser chooses no length.
        lengths: lengths to choose from; the first is the usual one.
        most: largest number of players.
        patience_s: time within which a player must come to a table, in seconds.
    """

    name: str
    title: str
    summary: str
    pair: Callable[[TournamentProgress], list[PlannedMatch]]
    order: Sequence[str]
    rounds: Callable[[TournamentProgress], int] | None
    legs: Callable[[TournamentProgress], list[PlannedMatch]] = _no_legs
    unit: str = ""
    lengths: Sequence[int] = (0,)
    most: int = 200
    patience_s: float = 120.0

    @property
    def is_timed(self) -> bool:
        """Whether this kind of tournament has a time limit instead of rounds.

        Until the time is over, players play as many matches as they like.
        """
        return self.rounds is None


def _swiss_rounds(progress: TournamentProgress) -> int:
    players = len(progress.starters)
    return min(progress.plan.length, max(1, players - 1 + players % 2))


KINDS: Mapping[str, TournamentKind] = {
    kind.name: kind
    for kind in (
        TournamentKind(
            name="swiss",
            title="Swiss",
            summary="In each round, everybody plays somebody with about as many points.",
            pair=swiss,
            order=("points", "buchholz", "sonneborn", "wins"),
            rounds=_swiss_rounds,
            unit="rounds",
            lengths=(5, 3, 4, 6, 7, 9, 11),
        ),
        TournamentKind(
            name="arena",
            title="Arena",
            summary="Play as many matches as you like until the time is over.",
            pair=arena,
            order=("points", "wins", "quickness"),
            rounds=None,
            unit="minutes",
            lengths=(60, 10, 20, 30, 45, 90, 120),
            patience_s=60.0,
        ),
        TournamentKind(
            name="round-robin",
            title="Round robin",
            summary="Everybody plays everybody.",
            pair=round_robin,
            order=("points", "sonneborn", "wins"),
            rounds=round_robin_rounds,
            unit="meetings",
            lengths=(1, 2),
            most=24,
        ),
        TournamentKind(
            name="knock-out",
            title="Knock-out",
            summary="Two matches decide who goes on, once on each side; after a tie, the first win decides.",
            pair=knockout,
            order=("depth",),
            rounds=knockout_rounds,
            legs=knockout_legs,
            most=64,
        ),
    )
}
"""All kinds of tournaments, by name."""
