"""Symmetries of games: permutations of actions and observations under which the rules stay the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from lapilli.core.rules.observation import Observation


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A symmetry of a game, such as a rotation of the board.

    A symmetry maps each position P to a position P', and each action a to the action `actions[a]`. The rules stay the
    same: if a leads from P to Q, then `actions[a]` leads from P' to Q'.

    Attributes:
        actions: for each action, the corresponding action in the mapped position; shape (number of actions,).
        places: where the numbers of the mapped position's observation come from: for each index in it, an index in the
            original position's observation; shape (size of an observation,).
    """

    actions: Any
    places: Any

    def observe(self, observations: Any) -> Any:
        """Converts observations of positions to observations of the mapped positions, and returns them.

        `observations` is an array whose last axis contains the numbers of one observation.
        """
        return observations[..., self.places]

    def by_action(self, values: Any) -> Any:
        """Rearranges an array with one number per action, such as a mask or visits, for the mapped positions, and
        returns it.

        In the result, each number stands at the action to which the symmetry maps its action. `values` is an array
        whose last axis has one number per action.
        """
        return values[..., self._originals]

    @cached_property
    def _originals(self) -> Any:
        return np.argsort(self.actions)


def identity(actions: int, observation: Observation) -> Symmetry:
    """Returns the symmetry that changes nothing. `actions`: number of actions. `observation`: layout of the
    observations."""
    return Symmetry(np.arange(actions), np.arange(observation.size))


def mapped_places(observation: Observation, cells: Mapping[str, Iterable[int]]) -> Any:
    """Returns the permutation of an observation's numbers that belongs to a permutation of a board's cells.

    The result is in the form of `Symmetry.places`.

    Args:
        observation: the layout.
        cells: the permutation of the board's cells, for each part of the observation that has one number per cell in
            each plane. The keys are the parts' names. A value lists, for each cell, the cell that the symmetry maps to
            it; cells are numbered in the order in which a plane of the part contains them. The numbers of all other
            parts stay where they are.
    """
    places, start = np.arange(observation.size), 0
    for part in observation.parts:
        size = prod(part.shape)
        if part.name in cells:
            order = np.fromiter(cells[part.name], np.int64)
            planes = places[start : start + size].reshape(part.shape[0], -1)
            places[start : start + size] = planes[:, order].ravel()
        start += size
    return places
