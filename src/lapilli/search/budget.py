"""The limits of a search."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from lapilli.core.errors import LapilliError

MAX_NODES = 10**9
MAX_MS = 1e9
"""Greatest limit of time, in milliseconds: eleven days."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The limit of a search: a number of nodes, a time, or both. The search stops when it reaches one of them.

    With a limit of nodes only, a search returns the same result on every machine.

    Attributes:
        nodes: limit of nodes; None for no limit. Each search method defines what a node is, for example one simulation.
        ms: limit of wall-clock time, in milliseconds; None for no limit.

    Raises:
        LapilliError: both are None, or a limit is out of its range.
    """

    nodes: int | None = None
    ms: float | None = None

    def __post_init__(self) -> None:
        if self.nodes is None and self.ms is None:
            raise LapilliError("a search needs a budget: nodes or ms")
        if not hasattr(self.nodes, "__index__") and self.nodes is not None:  # kernels are compiled for integers
            raise LapilliError(f"nodes must be a whole number, not {self.nodes}")
        if self.nodes is not None and not 1 <= self.nodes <= MAX_NODES:
            raise LapilliError(f"nodes must be a number from 1 to {MAX_NODES}, not {self.nodes}")
        if self.ms is not None and not 0 < self.ms < inf:
            raise LapilliError(f"ms must be milliseconds above 0, not {self.ms:g}")
        if self.ms is not None and self.ms > MAX_MS:
            raise LapilliError(f"ms must be at most {MAX_MS:.0f}, not {self.ms:g}")

    @property
    def most_nodes(self) -> int:
        """The limit of nodes as kernels expect it: MAX_NODES for no limit."""
        return MAX_NODES if self.nodes is None else self.nodes

    @property
    def most_ns(self) -> int:
        """The limit of time as kernels expect it: in nanoseconds, 0 for no limit."""
        return 0 if self.ms is None else max(1, round(1e6 * self.ms))
