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
        sides: the sets of parameter values to try. SPSA proposes two sets (with the parameters changed in opposite
            directions), which are compared with each other. Optuna proposes one set, which is compared with the start
            values or an opponent.
    """

    sides: tuple[Values, ...]


class Method(Protocol):
    """A tuning method.

    Its proposals depend only on its seed, and on the order and the arguments of the calls of its functions.
    """

    def propose(self) -> Proposal:
        """Returns the parameter values to try next. Results of earlier proposals may still be missing."""

    def learn(self, result: float) -> None:
        """Learns the result of the oldest proposal that has no result yet.

        `result`: how much stronger the proposal's first set of values was than the second set, or its only set than the
        opponent; about 0.0029 for each Elo.
        """

    def positions(self) -> Positions:
        """Returns the current estimate of the parameters' best positions in their ranges, each from 0 to 1."""
