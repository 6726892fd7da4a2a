"""Computes the seed, the seats and the start position of a match from its number in an event.

The matches of a pair have the same seed and different seats: two matches with exchanged seats or, with three or four
players, one match for each rotation of the seats. All pairs of an event have different seeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lapilli.store.results import MatchTask

SEEDS = 1 << 31
"""Number of possible seeds: 0 to SEEDS - 1.

The seeds have 31 bits, because referees of other tools also accept such seeds.
"""
_STEP = 1_640_531_527
"""Difference between the seeds of successive pairs: about 2^32 divided by the golden ratio squared.

The difference is odd, so that no seed is repeated before all seeds have been used.
"""


@dataclass(frozen=True)
class Schedule:
    """The matches of a comparison, or of one meeting in a tournament.

    Attributes:
        seed: seed of the first pair; it determines the seeds of all later pairs.
        seats: number of players in a match, which is also the number of matches in a pair.
        positions: start positions of the pairs after the first `usual` pairs, used in turn; empty for the game's usual
            start position, which may depend on the seed.
        usual: number of pairs, at the beginning, that are played from the game's usual start position.
    """

    seed: int
    seats: int = 2
    positions: Sequence[str] = ()
    usual: int = 0

    def task(self, number: int) -> MatchTask:
        """Returns the task of match `number`, counted from 0.

        Contestants 0 (A) and 1 (B) play, and in larger matches also 2 and 3.
        """
        pair, turn = divmod(number, self.seats)
        seats = seating(range(self.seats), pair, turn)
        return MatchTask(number=number, pair=pair, seed=self.seed_of(pair), seats=seats, position=self.start_of(pair))

    def seed_of(self, pair: int) -> int:
        """Returns the seed of all matches of a pair."""
        return pair_seed(self.seed, pair)

    def start_of(self, pair: int) -> str | None:
        """Returns the start position of all matches of a pair; None for the game's usual start position."""
        if not self.positions or pair < self.usual:
            return None
        return self.positions[(pair - self.usual) % len(self.positions)]


def seating(players: Sequence[int], pair: int, turn: int) -> tuple[int, ...]:
    """Returns the player in each seat, for one match of a pair: `players`, rotated by `turn` seats.

    With three or four players, the first two players exchange places in every second pair. So each of them plays
    directly after the other equally often.

    Args:
        players: the players of the pair.
        pair: number of the pair.
        turn: number of the match in the pair, from 0.
    """
    order = list(players)
    if len(order) > 2 and pair % 2:
        order[0], order[1] = order[1], order[0]
    return tuple(order[-turn:] + order[:-turn])


def pair_seed(first: int, pair: int) -> int:
    """Returns the seed of all matches of pair number `pair`; `first` is the seed of pair 0."""
    return (first + pair * _STEP) % SEEDS
