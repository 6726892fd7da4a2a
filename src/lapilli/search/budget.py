"""How long a search may go on."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from lapilli.core.errors import LapilliError

MAX_NODES = 10**9


@dataclass(frozen=True, slots=True)
class Budget:
    """Nodes, milliseconds, or whichever of both is used up first. With nodes alone a search is the same everywhere.

    Attributes:
        nodes: how many nodes, simulations or turns, in the search's own unit.
        ms: how long, in milliseconds of wall-clock time.

    Raises:
        LapilliError: neither is given, or one is no number in its range.
    """

    nodes: int | None = None
    ms: float | None = None

    def __post_init__(self) -> None:
        if self.nodes is None and self.ms is None:
            raise LapilliError("a search needs a budget: nodes or ms")
        if self.nodes is not None and not 1 <= self.nodes <= MAX_NODES:
            raise LapilliError(f"nodes must be a number from 1 to {MAX_NODES}, not {self.nodes}")
        if self.ms is not None and not 0 < self.ms < inf:
            raise LapilliError(f"ms must be milliseconds above 0, not {self.ms:g}")

    @property
    def most_nodes(self) -> int:
        """The nodes, for a kernel: very many where there is no such limit."""
        return MAX_NODES if self.nodes is None else self.nodes

    @property
    def most_ns(self) -> int:
        """The time, for a kernel, in nanoseconds; 0 where there is no such limit."""
        return 0 if self.ms is None else max(1, round(1e6 * self.ms))
