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

    If a player plays `actions[a]` in the mapped position instead of action a, the next position is the mapped one, too.

    Attributes:
        actions: by action, the action that corresponds to it in the mapped position; shape (actions,).
        places: by place in the observation of a mapped position, the place of its number in the original one; shape
            (size of an observation,).
    """

    actions: Any
    places: Any

    def observe(self, observations: Any) -> Any:
        """Returns the observations of the mapped positions. The last axis of the array is that of an observation."""
        return observations[..., self.places]

    def by_action(self, values: Any) -> Any:
        """Returns numbers that belong to actions, such as a mask or visits, for the mapped positions.

        The last axis of the array is that of the actions.
        """
        return values[..., self._originals]

    @cached_property
    def _originals(self) -> Any:
        return np.argsort(self.actions)


def identity(actions: int, observation: Observation) -> Symmetry:
    """Returns the symmetry that changes nothing. `actions`: number of actions."""
    return Symmetry(np.arange(actions), np.arange(observation.size))


def mapped_places(observation: Observation, cells: Mapping[str, Iterable[int]]) -> Any:
    """Returns the places of a symmetry (`Symmetry.places`) that permutes the cells of a board.

    Args:
        observation: the layout.
        cells: for each part of the observation that goes by cell, by name: for each cell, the cell that is mapped to
            it. Cells are numbered as in a plane of the part, whose axes after the first are those of the board. All
            other parts stay the same.
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
