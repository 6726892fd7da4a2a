"""Layouts of observations. An observation is an array with all that a player may know about a position.

Each game's verb `observe` fills the array.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import numpy as np


class Part(NamedTuple):
    """One part of an observation.

    Attributes:
        name: name of the part.
        shape: shape of the part. If it has several axes, the first is the number of planes, and the others are the
            axes of the board.
        meaning: meaning of each plane, or of each number, in words.
    """

    name: str
    shape: tuple[int, ...]
    meaning: str


@dataclass(frozen=True)
class Observation:
    """The layout of the flat array that a game's verb `observe` fills: its parts, one after the other.

    Attributes:
        parts: the parts, in their order in the array.
        dtype: type of the numbers. A value that is too large for this type is replaced by the type's greatest value.
    """

    parts: tuple[Part, ...]
    dtype: type[np.signedinteger[Any]] = np.int8

    @cached_property
    def size(self) -> int:
        """Length of the array that the verb `observe` fills."""
        return sum(prod(part.shape) for part in self.parts)

    def new(self) -> Any:
        """Returns a new array for one observation, filled with zeros."""
        return np.zeros(self.size, self.dtype)

    def split(self, observed: Any) -> dict[str, Any]:
        """Returns the parts of an observation by name. Each is a view of the array `observed`, in the part's shape.

        The array may have further axes before its last, for example one for a batch of positions. Then each view begins
        with the same axes.
        """
        parts, start = {}, 0
        for part in self.parts:
            end = start + prod(part.shape)
            parts[part.name] = observed[..., start:end].reshape(*observed.shape[:-1], *part.shape)
            start = end
        return parts
