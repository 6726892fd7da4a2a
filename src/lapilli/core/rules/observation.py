"""What a player may know of a position, in numbers for those who learn: the description of what `observe` writes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import numpy as np


class Part(NamedTuple):
    """A piece of an observation.

    Attributes:
        name: what to call it. shape: of its numbers; planes come first, then the board's own axes.
        meaning: of each plane or number, in words.
    """

    name: str
    shape: tuple[int, ...]
    meaning: str


@dataclass(frozen=True)
class Observation:
    """How the flat array that `observe` fills is made up: its parts, one after the other.

    Attributes:
        parts: in their order. dtype: of the numbers; what does not fit is cut off at the largest that does.
    """

    parts: tuple[Part, ...]
    dtype: type[np.signedinteger[Any]] = np.int8

    @cached_property
    def size(self) -> int:
        """How many numbers there are in all."""
        return sum(prod(part.shape) for part in self.parts)

    def new(self) -> Any:
        """An array for one observation."""
        return np.zeros(self.size, self.dtype)

    def split(self, observed: Any) -> dict[str, Any]:
        """The parts of an observation by name: views of it in their shapes. Leading axes, as of a batch, are kept."""
        parts, start = {}, 0
        for part in self.parts:
            end = start + prod(part.shape)
            parts[part.name] = observed[..., start:end].reshape(*observed.shape[:-1], *part.shape)
            start = end
        return parts
