"""Who meets whom in a tournament: everybody, one against the rest, or those who stand alike. Pure.

A *meeting* is a group of as many players as a match has seats. A round robin is every such group; a gauntlet, every one
that the first player is in; in Swiss rounds, those who have the same points meet, as far as they have not met.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from math import ceil, comb, log2

from lapilli.arena.schedule import pair_seed, seating
from lapilli.core.errors import LapilliError
from lapilli.store.results import MatchTask

MAX_MEETINGS = 100_000
"""The most groups that a round robin or gauntlet may have."""
_TRIES = 20_000
"""How long Swiss pairing looks for groups of players who have not met, until it lets some meet again."""

Group = tuple[int, ...]
Met = Mapping[tuple[int, int], int]
"""How often two have met, the lower number first; 0 times where they are missing."""


class Format(StrEnum):
    """How a tournament is played."""

    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"
    SWISS = "swiss"


def all_meetings(kind: Format, players: int, seats: int) -> tuple[Group, ...]:
    """The meetings of a round robin or a gauntlet, each in the order of the players' numbers.

    Raises:
        LapilliError: there are more than MAX_MEETINGS.
    """
    number = comb(players, seats) if kind == Format.ROUND_ROBIN else comb(players - 1, seats - 1)
    if number > MAX_MEETINGS:
        raise LapilliError(f"{players} players, {seats} a match, have {number:,} meetings: {MAX_MEETINGS:,} at most")
    if kind == Format.ROUND_ROBIN:
        return tuple(combinations(range(players), seats))
    return tuple((0, *others) for others in combinations(range(1, players), seats - 1))


def usual_rounds(players: int, seats: int) -> int:
    """How many Swiss rounds there are where nobody says otherwise: enough to leave one player unbeaten, and two more,
    as far as not everybody has met by then."""
    return max(1, min(ceil(log2(players)) + 2, (players - 1) // (seats - 1)))


def swiss_round(points: Sequence[float], met: Met, byes: Sequence[int], seats: int) -> tuple[Group, ...]:
    """The meetings of a Swiss round.

    Those who sit out (as many as are left over) are the last of those who have done so least. From the top, each is
    put together with the next below whom it has met least often.

    Args:
        points: of each player so far.
        met: how often who has met whom.
        byes: how often each has sat out.
        seats: how many players a meeting has; not more than there are players.

    Returns:
        len(points) // seats groups, no player in two of them.
    """
    out = len(points) % seats
    sitting_out = sorted(range(len(points)), key=lambda who: (byes[who], points[who], -who))[:out]
    standing = sorted(set(range(len(points))) - set(sitting_out), key=lambda who: (-points[who], who))
    most = max(met.values(), default=0)
    return next(found for again in range(most + 1) if (found := _grouped(standing, met, seats, again)) is not None)


def _grouped(standing: list[int], met: Met, seats: int, again: int) -> tuple[Group, ...] | None:
    """Groups of players of whom no two have met more than `again` times; None where none were found."""
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
    """What a group can become, those first whom it has met least often, and of them those who stand above."""
    if len(group) == seats:
        yield group
        return
    times = {who: [met.get((min(who, own), max(who, own)), 0) for own in group] for who in others}
    fitting = sorted((who for who in others if max(times[who]) <= again), key=lambda who: sum(times[who]))
    for place, who in enumerate(fitting, 1):
        yield from _groups((*group, who), fitting[place:], met, seats, again)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """From a match's number to the match, once the meetings of its round are known.

    All meetings of a round have their first pair (or round of rotations) before any has its second.

    Attributes:
        seed: of the first pair. seats: players in a match.
        meetings: in a round. pairs: how many each meeting has.
        positions: what the pairs of a meeting start from after the first one; empty for the game's usual start.
    """

    seed: int
    seats: int
    meetings: int
    pairs: int
    positions: Sequence[str] = ()

    @property
    def round_matches(self) -> int:
        """How many matches a round has."""
        return self.meetings * self.pairs * self.seats

    def task(self, number: int, rounds: Sequence[Sequence[Group]]) -> MatchTask:
        """Match `number`, from 0, given the meetings of all rounds up to its own."""
        pair, turn = divmod(number, self.seats)
        cycle, meeting = divmod(pair, self.meetings)
        group = rounds[cycle // self.pairs][meeting]
        start = self.positions[(cycle - 1) % len(self.positions)] if cycle and self.positions else None
        seats, seed = seating(group, cycle, turn), pair_seed(self.seed, pair)
        return MatchTask(number=number, pair=pair, seed=seed, seats=seats, position=start)
