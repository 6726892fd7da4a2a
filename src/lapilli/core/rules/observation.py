"""Layouts of observations: what a player may know of a position, as numbers for learning.

The verb `observe` writes them.
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
        name: its name.
        shape: its shape; planes come first, then the board's own axes.
        meaning: what each plane or number means, in words.
    """

    name: str
    shape: tuple[int, ...]
    meaning: str


@dataclass(frozen=True)
class Observation:
    """The layout of the flat array that `observe` fills: its parts, one after the other.

    Attributes:
        parts: the parts, in their order.
        dtype: type of the numbers. A value that does not fit is replaced by the largest that does.
    """

    parts: tuple[Part, ...]
    dtype: type[np.signedinteger[Any]] = np.int8

    @cached_property
    def size(self) -> int:
        """Number of numbers in an observation."""
        return sum(prod(part.shape) for part in self.parts)

    def new(self) -> Any:
        """Returns a new array for one observation, filled with zeros."""
        return np.zeros(self.size, self.dtype)

    def split(self, observed: Any) -> dict[str, Any]:
        """Returns the parts of an observation by name, as views of it in their shapes.

        Leading axes, for example of a batch, are kept.
        """
        parts, start = {}, 0
        for part in self.parts:
            end = start + prod(part.shape)
            parts[part.name] = observed[..., start:end].reshape(*observed.shape[:-1], *part.shape)
            start = end
        return parts
