"""Finds positions and turns that are the same except for a symmetry of the game, such as a rotation of the board."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lapilli.core.setup import Setup
from lapilli.core.state import State

if TYPE_CHECKING:
    from lapilli.core.game import Game


class FoldedPosition(NamedTuple):
    """The key of a position, as one player sees it. All positions that are symmetric to each other have the same key.

    Of all symmetric positions, the one whose observation has the lowest bytes is the *canonical* position.

    Attributes:
        key: hash of the canonical position's observation, a signed integer of 64 bits.
        maps: indices of the symmetries (`Game.symmetries`) that map the position to the canonical position.
    """

    key: int
    maps: tuple[int, ...]


class Folding:
    """Compares positions and turns of one form of a game. Symmetric positions, and symmetric turns, count as equal.

    A form is a number of players, a variant and a league. Positions are compared by the observation of one player, so
    whatever this player cannot know makes no difference.

    Args:
        game: the game.
        setup: a setup of this form, with defaults filled in.
    """

    def __init__(self, game: Game, setup: Setup) -> None:
        maps = game.symmetries(setup)
        self._form = repr((game.name, setup.players, setup.variant, setup.league)).encode()
        self._places = np.stack([one.places for one in maps])
        self._actions = np.stack([one.actions for one in maps])

    def position(self, state: State, player: int) -> FoldedPosition:
        """Folds a position: returns its key, and the symmetries that map it to the canonical position.

        Both are computed from what `player` sees.
        """
        mapped = [row.tobytes() for row in state.observation(player)[self._places]]
        least = min(mapped)
        key = int.from_bytes(blake2b(self._form + least, digest_size=8).digest(), "little", signed=True)
        return FoldedPosition(key, tuple(number for number, data in enumerate(mapped) if data == least))

    def fold(self, turn: Sequence[int], position: FoldedPosition) -> tuple[int, ...]:
        """Maps the actions of a turn to the canonical position, so that symmetric turns become equal.

        `position`: the position before the turn. If several symmetries map it to the canonical position, the result is
        the lowest tuple of mapped actions.
        """
        return min(tuple(self._actions[number, list(turn)].tolist()) for number in position.maps)

    def unfold(self, turn: Sequence[int], position: FoldedPosition) -> tuple[int, ...]:
        """Maps the actions of a turn from the canonical position back to this position: the inverse of `fold`."""
        actions = self._actions[position.maps[0]].tolist()
        return tuple(actions.index(action) for action in turn)
