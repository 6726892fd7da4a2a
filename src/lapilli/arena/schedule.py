"""Who meets whom, on which seed, in which seat: worked out from a match's number alone.

A pair is the matches on one seed with seats exchanged; with three or four players, all rotations of them. No two pairs
of an event share a seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lapilli.store.results import MatchTask

SEEDS = 1 << 31
"""Seeds are non-negative and fit 31 bits, as those of the command line and of other referees do."""
_STEP = 1_640_531_527
"""Odd, so that it leads through all seeds before one comes again: 2^31 divided by the golden ratio squared, about."""


@dataclass(frozen=True)
class Schedule:
    """The matches of a comparison, or of one meeting in a tournament.

    Attributes:
        seed: of the first pair.
        seats: how many players a match has; so many matches make a pair.
        positions: what pairs start from after the first `usual` ones, one after the other and again; empty for the
            game's usual start, which its seed may vary.
        usual: how many pairs start as usual in any case.
    """

    seed: int
    seats: int = 2
    positions: Sequence[str] = ()
    usual: int = 0

    def task(self, number: int) -> MatchTask:
        """Match `number`, from 0. The contestants are 0 (A), 1 (B) and, with more seats, those beside them."""
        pair, turn = divmod(number, self.seats)
        seats = seating(range(self.seats), pair, turn)
        return MatchTask(number=number, pair=pair, seed=self.seed_of(pair), seats=seats, position=self.start_of(pair))

    def seed_of(self, pair: int) -> int:
        """The seed that all matches of a pair share."""
        return pair_seed(self.seed, pair)

    def start_of(self, pair: int) -> str | None:
        """The position that all matches of a pair start from; None for the usual start."""
        if not self.positions or pair < self.usual:
            return None
        return self.positions[(pair - self.usual) % len(self.positions)]


def seating(players: Sequence[int], pair: int, turn: int) -> tuple[int, ...]:
    """Who sits where in one match of a pair: the players in their order, `turn` seats on.

    In every other pair of three or four players the first two change places, so that each follows the other as often
    as not.
    """
    order = list(players)
    if len(order) > 2 and pair % 2:
        order[0], order[1] = order[1], order[0]
    return tuple(order[-turn:] + order[:-turn])


def pair_seed(first: int, pair: int) -> int:
    """The seed that all matches of a pair share, given that of the first pair."""
    return (first + pair * _STEP) % SEEDS
