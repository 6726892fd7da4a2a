"""What a method of tuning does: it proposes values to play with, and learns from the result."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from lapilli.arena.tuning.parameters import Positions, Values


class MethodName(StrEnum):
    """The name of a method of tuning."""

    SPSA = "spsa"
    OPTUNA = "optuna"


@dataclass(frozen=True, slots=True)
class Proposal:
    """The values that the sides of one step play with.

    Attributes:
        sides: values of each side: of the raised and the lowered one, or of the only one that is tried.
    """

    sides: tuple[Values, ...]


class Method(Protocol):
    """A method of tuning. The order of its calls determines what it proposes, together with its seed.

    Attributes:
        sides: number of sides of a proposal: 2 if they play each other, 1 if the side plays the start.
    """

    sides: int

    def propose(self) -> Proposal:
        """Returns the next proposal. Results of earlier proposals may still be missing."""

    def learn(self, result: float) -> None:
        """Receives the result of the oldest proposal without one, see `result_of_scores` in `course`."""

    def positions(self) -> Positions:
        """Returns the current estimate of the best positions."""
