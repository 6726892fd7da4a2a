"""Seeds, seats and start positions of an event's matches, computed from the number of the match alone.

A pair consists of the two matches on one seed with seats exchanged; with three or four players, of one match for each
rotation of the seats. No two pairs of an event share a seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lapilli.store.results import MatchTask

SEEDS = 1 << 31
"""Number of seeds: they are non-negative and fit 31 bits, as on the command line and in other referees."""
_STEP = 1_640_531_527
"""Difference between the seeds of successive pairs: about 2^32 divided by the golden ratio squared.

It is odd, so that all seeds are used before one is repeated.
"""


@dataclass(frozen=True)
class Schedule:
    """The matches of a comparison, or of one meeting in a tournament.

    Attributes:
        seed: seed of the first pair.
        seats: number of players in a match, and number of matches in a pair.
        positions: start positions of the pairs after the first `usual` ones, used in turn and then again from the
            first; empty for the game's usual start, which may depend on the seed.
        usual: number of first pairs that always start from the game's usual start.
    """

    seed: int
    seats: int = 2
    positions: Sequence[str] = ()
    usual: int = 0

    def task(self, number: int) -> MatchTask:
        """Returns match `number`, counted from 0. Contestants are 0 (A), 1 (B) and, with more seats, the others."""
        pair, turn = divmod(number, self.seats)
        seats = seating(range(self.seats), pair, turn)
        return MatchTask(number=number, pair=pair, seed=self.seed_of(pair), seats=seats, position=self.start_of(pair))

    def seed_of(self, pair: int) -> int:
        """Returns the seed that all matches of a pair share."""
        return pair_seed(self.seed, pair)

    def start_of(self, pair: int) -> str | None:
        """Returns the position that all matches of a pair start from; None for the game's usual start."""
        if not self.positions or pair < self.usual:
            return None
        return self.positions[(pair - self.usual) % len(self.positions)]


def seating(players: Sequence[int], pair: int, turn: int) -> tuple[int, ...]:
    """Returns the players by seat for one match of a pair: the given order, rotated by `turn` seats.

    With three or four players, the first two exchange places in every other pair, so that each of them follows the
    other equally often.
    """
    order = list(players)
    if len(order) > 2 and pair % 2:
        order[0], order[1] = order[1], order[0]
    return tuple(order[-turn:] + order[:-turn])


def pair_seed(first: int, pair: int) -> int:
    """Returns the seed that all matches of a pair share, given that of the first pair."""
    return (first + pair * _STEP) % SEEDS
