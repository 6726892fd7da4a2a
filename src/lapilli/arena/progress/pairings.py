"""Pairings of a tournament: which contestants meet in a round robin, gauntlet or Swiss tournament. Pure functions.

A *meeting* is a group of contestants that play each other: one contestant for each seat of a match. A round robin
consists of all possible meetings, and a gauntlet of all meetings that contain the first contestant. In a round of a
Swiss tournament, contestants with similar points meet, if possible contestants that have not met before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from math import ceil, comb, log2

from lapilli.arena.progress.schedule import pair_seed, seating
from lapilli.core.errors import LapilliError
from lapilli.store.results import MatchTask

MAX_MEETINGS = 100_000
"""Largest number of meetings in a round robin or gauntlet."""
_TRIES = 20_000
"""Number of groups that Swiss pairing tries before it allows that two contestants meet once more."""

Group = tuple[int, ...]
"""A meeting: the indices of the contestants that play each other."""
Met = Mapping[tuple[int, int], int]
"""How often two contestants have met, by (lower index, higher index); a missing entry means 0."""


class Format(StrEnum):
    """The format of a tournament: all against all, the first contestant against all others, or Swiss."""

    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"
    SWISS = "swiss"


def all_meetings(kind: Format, players: int, seats: int) -> tuple[Group, ...]:
    """Returns the meetings (groups of contestants) of a round robin or a gauntlet, each in ascending order.

    Args:
        kind: ROUND_ROBIN or GAUNTLET.
        players: number of contestants in the tournament.
        seats: number of players in a match.

    Raises:
        LapilliError: there are more than MAX_MEETINGS meetings.
    """
    number = comb(players, seats) if kind == Format.ROUND_ROBIN else comb(players - 1, seats - 1)
    if number > MAX_MEETINGS:
        raise LapilliError(
            f"{players} players, {seats} a match, make {number:,} meetings, more than the maximum of {MAX_MEETINGS:,}"
        )
    if kind == Format.ROUND_ROBIN:
        return tuple(combinations(range(players), seats))
    return tuple((0, *others) for others in combinations(range(1, players), seats - 1))


def usual_rounds(players: int, seats: int) -> int:
    """Returns the default number of rounds of a Swiss tournament: log2(players), rounded up, plus 2.

    After log2(players) rounds without draws, one contestant is unbeaten. The result is at most the number of rounds
    that a contestant needs to meet all others once.

    Args:
        players: number of contestants in the tournament.
        seats: number of players in a match.
    """
    return max(1, min(ceil(log2(players)) + 2, (players - 1) // (seats - 1)))


def swiss_round(points: Sequence[float], met: Met, byes: Sequence[int], seats: int) -> tuple[Group, ...]:
    """Returns the meetings (groups of contestants) of the next round of a Swiss tournament.

    If the number of contestants is not a multiple of `seats`, some contestants get a bye: they do not play in this
    round. The contestants with the fewest byes so far get one; among these, the contestants with the fewest points.
    Then, from the top of the standings, each contestant is grouped with contestants below it. Contestants that it has
    met least often are preferred, and among these the highest in the standings.

    Args:
        points: points of each contestant so far.
        met: number of times that two contestants have met so far.
        byes: number of byes of each contestant so far.
        seats: number of contestants in a meeting; at most len(points).

    Returns:
        len(points) // seats groups; no contestant is in two groups.
    """
    number_of_byes = len(points) % seats
    sitting_out = sorted(range(len(points)), key=lambda player: (byes[player], points[player], -player))[
        :number_of_byes
    ]
    standing = sorted(set(range(len(points))) - set(sitting_out), key=lambda player: (-points[player], player))
    most = max(met.values(), default=0)
    return next(
        found
        for most_meetings in range(most + 1)
        if (found := _grouped(standing, met, seats, most_meetings)) is not None
    )


def _grouped(standing: list[int], met: Met, seats: int, most_meetings: int) -> tuple[Group, ...] | None:
    """Divides contestants into groups in which no two contestants have met more than `most_meetings` times.

    Args:
        standing: indices of the contestants, the best first.
        met: number of times that two contestants have met.
        seats: number of contestants in a group.
        most_meetings: largest number of times that two contestants of a group may have met before.

    Returns:
        The groups; None if none were found in _TRIES tries.
    """
    tries = 0

    def rest(left: list[int]) -> list[Group] | None:
        nonlocal tries
        if not left:
            return []
        first, *others = left
        for group in _groups((first,), others, met, seats, most_meetings):
            tries += 1
            if tries > _TRIES:
                return None
            following = rest([player for player in others if player not in group])
            if following is not None:
                return [group, *following]
        return None

    found = rest(standing)
    return None if found is None else tuple(found)


def _groups(group: Group, others: Sequence[int], met: Met, seats: int, most_meetings: int) -> Iterator[Group]:
    """Extends `group` to groups of `seats` contestants, and yields these groups in order of preference.

    Contestants that the group has met least often are preferred as new members, and among these the contestants with
    the better standing.

    Args:
        group: the members so far.
        others: contestants that may become members, the best first.
        met: number of times that two contestants have met.
        seats: number of contestants in a group.
        most_meetings: largest number of times that two contestants of a group may have met before.
    """
    if len(group) == seats:
        yield group
        return
    times = {player: [met.get((min(player, own), max(player, own)), 0) for own in group] for player in others}
    fitting = sorted(
        (player for player in others if max(times[player]) <= most_meetings), key=lambda player: sum(times[player])
    )
    for place, player in enumerate(fitting, 1):
        yield from _groups((*group, player), fitting[place:], met, seats, most_meetings)


@dataclass(frozen=True, kw_only=True)
class PairingPlan:
    """The order of a tournament's matches: computes the task of a match from its number and the meetings of its round.

    A meeting is a group of contestants that play each other. In a round, each meeting plays its first pair of matches
    before any meeting plays its second pair.

    Attributes:
        seed: seed of the first pair; it determines the seeds of all later pairs.
        seats: number of players in a match.
        meetings: number of meetings in a round.
        pairs: number of pairs of matches in a meeting.
        positions: start positions of the pairs, used in turn; empty for the game's usual start position.
        usual: number of pairs of each meeting, at the beginning of the first round, that are played from the game's
            usual start position.
    """

    seed: int
    seats: int
    meetings: int
    pairs: int
    positions: Sequence[str] = ()
    usual: int = 1

    @property
    def round_matches(self) -> int:
        """Number of matches in a round."""
        return self.meetings * self.pairs * self.seats

    def task(self, number: int, rounds: Sequence[Sequence[Group]]) -> MatchTask:
        """Returns the task of match `number`, counted from 0.

        Args:
            number: number of the match.
            rounds: meetings of each round, at least up to the round of this match.
        """
        pair, turn = divmod(number, self.seats)
        cycle, meeting = divmod(pair, self.meetings)
        group = rounds[cycle // self.pairs][meeting]
        later = cycle - self.usual
        start = self.positions[later % len(self.positions)] if later >= 0 and self.positions else None
        seats, seed = seating(group, cycle, turn), pair_seed(self.seed, pair)
        return MatchTask(number=number, pair=pair, seed=seed, seats=seats, position=start)
