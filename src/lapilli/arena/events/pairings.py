"""Pairings of a tournament: round robin, gauntlet and Swiss rounds. Pure functions.

A *meeting* is a group of as many players as a match has seats. A round robin has every such group, and a gauntlet every
group with the first player in it. In Swiss rounds, players with similar points meet, if possible without having met.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from math import ceil, comb, log2

from lapilli.arena.events.schedule import pair_seed, seating
from lapilli.core.errors import LapilliError
from lapilli.store.results import MatchTask

MAX_MEETINGS = 100_000
"""Maximum number of meetings in a round robin or gauntlet."""
_TRIES = 20_000
"""Number of groups that Swiss pairing tries before it allows players to meet once more often."""

Group = tuple[int, ...]
Met = Mapping[tuple[int, int], int]
"""Number of meetings of two players, by their numbers, the lower number first; 0 for players who are missing here."""


class Format(StrEnum):
    """The format of a tournament."""

    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"
    SWISS = "swiss"


def all_meetings(kind: Format, players: int, seats: int) -> tuple[Group, ...]:
    """Returns the meetings of a round robin or a gauntlet, each with its players in ascending order.

    Args:
        kind: ROUND_ROBIN or GAUNTLET.
        players: number of players in the tournament.
        seats: number of players in a match.

    Raises:
        LapilliError: there are more than MAX_MEETINGS meetings.
    """
    number = comb(players, seats) if kind == Format.ROUND_ROBIN else comb(players - 1, seats - 1)
    if number > MAX_MEETINGS:
        raise LapilliError(f"{players} players, {seats} a match, have {number:,} meetings: {MAX_MEETINGS:,} at most")
    if kind == Format.ROUND_ROBIN:
        return tuple(combinations(range(players), seats))
    return tuple((0, *others) for others in combinations(range(1, players), seats - 1))


def usual_rounds(players: int, seats: int) -> int:
    """Returns the default number of Swiss rounds: enough to leave one player unbeaten, and two more.

    It is limited to the number of rounds after which everybody has met.
    """
    return max(1, min(ceil(log2(players)) + 2, (players - 1) // (seats - 1)))


def swiss_round(points: Sequence[float], met: Met, byes: Sequence[int], seats: int) -> tuple[Group, ...]:
    """Returns the meetings of a Swiss round.

    If the players cannot all be grouped, the remaining ones get a bye: those with the fewest byes so far, and among
    these those with the fewest points. Then, from the top of the standings, each player is grouped with the next
    players below that it has met least often.

    Args:
        points: points of each player so far.
        met: number of meetings of each two players so far.
        byes: number of byes of each player so far.
        seats: number of players in a meeting; at most len(points).

    Returns:
        len(points) // seats groups; no player is in two of them.
    """
    out = len(points) % seats
    sitting_out = sorted(range(len(points)), key=lambda who: (byes[who], points[who], -who))[:out]
    standing = sorted(set(range(len(points))) - set(sitting_out), key=lambda who: (-points[who], who))
    most = max(met.values(), default=0)
    return next(found for again in range(most + 1) if (found := _grouped(standing, met, seats, again)) is not None)


def _grouped(standing: list[int], met: Met, seats: int, again: int) -> tuple[Group, ...] | None:
    """Groups players so that no two of a group have met more than `again` times; None if no such grouping was found."""
    tries = 0

    def rest(left: list[int]) -> list[Group] | None:
        nonlocal tries
        if not left:
            return []
        first, *others = left
        for group in _groups((first,), others, met, seats, again):
            tries += 1
            if tries > _TRIES:
                return None
            more = rest([who for who in others if who not in group])
            if more is not None:
                return [group, *more]
        return None

    found = rest(standing)
    return None if found is None else tuple(found)


def _groups(group: Group, others: Sequence[int], met: Met, seats: int, again: int) -> Iterator[Group]:
    """Yields the ways to complete a group, in the order of preference.

    Players that the group has met least often come first, and among these those with the better standing.
    """
    if len(group) == seats:
        yield group
        return
    times = {who: [met.get((min(who, own), max(who, own)), 0) for own in group] for who in others}
    fitting = sorted((who for who in others if max(times[who]) <= again), key=lambda who: sum(times[who]))
    for place, who in enumerate(fitting, 1):
        yield from _groups((*group, who), fitting[place:], met, seats, again)


@dataclass(frozen=True, kw_only=True)
class PairingPlan:
    """The order of a tournament's matches: finds a match by its number, once the meetings of its round are known.

    All meetings of a round play their first pair (or round of rotations) before any plays its second.

    Attributes:
        seed: seed of the first pair.
        seats: number of players in a match.
        meetings: number of meetings in a round.
        pairs: number of pairs in a meeting.
        positions: start positions of the pairs, used in turn. Empty for the game's usual start, which is also the start
            of the first pair of each meeting in the first round.
    """

    seed: int
    seats: int
    meetings: int
    pairs: int
    positions: Sequence[str] = ()

    @property
    def round_matches(self) -> int:
        """Number of matches in a round."""
        return self.meetings * self.pairs * self.seats

    def task(self, number: int, rounds: Sequence[Sequence[Group]]) -> MatchTask:
        """Returns match `number`, counted from 0.

        Args:
            rounds: meetings of all rounds up to the match's own.
        """
        pair, turn = divmod(number, self.seats)
        cycle, meeting = divmod(pair, self.meetings)
        group = rounds[cycle // self.pairs][meeting]
        start = self.positions[(cycle - 1) % len(self.positions)] if cycle and self.positions else None
        seats, seed = seating(group, cycle, turn), pair_seed(self.seed, pair)
        return MatchTask(number=number, pair=pair, seed=seed, seats=seats, position=start)
