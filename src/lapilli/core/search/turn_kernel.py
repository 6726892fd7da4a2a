"""Opponents that choose whole turns in compiled code, for code that plays many games without Python in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from types import ModuleType
from typing import Any

import numpy as np

from lapilli.core.state import State

_SEED_BITS = 62


@dataclass(frozen=True)
class TurnKernel:
    """A way to choose turns in compiled code.

    Attributes:
        module: module with the kernel `choose_turn(p, player, seed, nodes, w, static, turn)`. It writes the actions of
            the player's whole turn at the position `p` into `turn`, and returns their number. It does not change `p`.
            Equal arguments give equal turns, whatever was searched before. If the turn needs more actions than the
            kernel wrote, the caller plays the lowest legal ones.

            The other arguments: `player` is the player to act, or any player in a simultaneous turn. `seed` is the seed
            of all random numbers, from 0 to 2^62 - 1. `nodes` is the limit of nodes; opponents that do not search
            ignore it. `w` is a result of `new_workspace`. `static` is the game's constant data (`State.static`).
        most_actions: length of `turn`, the greatest number of actions that the kernel writes.
        new_workspace: function that returns new arrays for the kernel. Threads need arrays of their own.
    """

    module: ModuleType
    most_actions: int
    new_workspace: Callable[[], Any]


class KernelEngine:
    """A simple engine, such as `greedy`, that is a kernel. It can be declared in `Game.engines`, like a function.

    Args:
        module: module with the kernel `choose_turn` (see `TurnKernel`), the function `new_workspace()`, and TURN, the
            greatest number of actions of a turn.
    """

    def __init__(self, module: ModuleType) -> None:
        self.turn_kernel = TurnKernel(module, module.TURN, module.new_workspace)
        self.__module__ = module.__name__

    @cached_property
    def _workspace(self) -> Any:
        return self.turn_kernel.new_workspace()

    def __call__(self, state: State, player: int, random: Random) -> Sequence[int]:
        return self.choose(state, player, random.getrandbits(_SEED_BITS))

    def choose(self, state: State, player: int, seed: int) -> list[int]:
        """Returns the actions of the whole turn of `player`. `seed`: seed of all random numbers, below 2^62."""
        kernel, turn = self.turn_kernel, np.empty(self.turn_kernel.most_actions, np.int64)
        count = kernel.module.choose_turn(state.record, player, seed, 0, self._workspace, state.static, turn)
        actions: list[int] = turn[:count].tolist()
        return actions
