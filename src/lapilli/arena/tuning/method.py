"""The interface of a tuning method: it proposes parameter values to try in matches, and learns from the results."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from lapilli.arena.tuning.parameters import Positions, Values


class MethodName(StrEnum):
    """The name of a tuning method."""

    SPSA = "spsa"
    OPTUNA = "optuna"


@dataclass(frozen=True, slots=True)
class Proposal:
    """The parameter values that one step of a tuning tries.

    Attributes:
        sides: values of each side, the bot with one set of values. SPSA has two sides (parameters moved in opposite
            directions), and Optuna has one.
    """

    sides: tuple[Values, ...]


class Method(Protocol):
    """A tuning method. Its proposals depend only on its seed, and on the order and the results of the calls.

    Attributes:
        sides: number of sides (sets of values) in a proposal. Two sides are compared with each other; one side is
            compared with the start values or an opponent.
    """

    sides: int

    def propose(self) -> Proposal:
        """Returns the next proposal. Results of earlier proposals may still be missing."""

    def learn(self, result: float) -> None:
        """Learns a result: that of the oldest proposal without a result. `course.result_of_scores` defines results."""

    def positions(self) -> Positions:
        """Returns the current estimate of the parameters' best positions in their ranges, each from 0 to 1."""
