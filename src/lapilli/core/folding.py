"""Finds positions and turns that are the same up to the symmetries of a game."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from lapilli.core.game import Game
from lapilli.core.setup import Setup
from lapilli.core.state import State


class FoldedPosition(NamedTuple):
    """A position up to symmetry, as one player sees it.

    Attributes:
        key: hash of what the player observes, the same for all mapped positions. A signed integer of 64 bits.
        maps: indices of the symmetries that map the position to the form from which the key is computed.
    """

    key: int
    maps: tuple[int, ...]


class Folding:
    """Compares positions and turns of one game in one form, up to its symmetries.

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
        """Returns a position up to symmetry, as `player` sees it."""
        mapped = [row.tobytes() for row in state.observation(player)[self._places]]
        least = min(mapped)
        key = int.from_bytes(blake2b(self._form + least, digest_size=8).digest(), "little", signed=True)
        return FoldedPosition(key, tuple(number for number, data in enumerate(mapped) if data == least))

    def fold(self, turn: Sequence[int], position: FoldedPosition) -> tuple[int, ...]:
        """Returns a turn's form that is the same in all mapped positions. `position`: the position before the turn."""
        return min(tuple(self._actions[number, list(turn)].tolist()) for number in position.maps)

    def unfold(self, turn: Sequence[int], position: FoldedPosition) -> tuple[int, ...]:
        """Returns a turn in this position whose form (`fold`) is `turn`."""
        actions = self._actions[position.maps[0]].tolist()
        return tuple(actions.index(action) for action in turn)
