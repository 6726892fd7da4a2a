"""The contract every game fulfils, handed on from where it stands: Game, State, Setup, Protocol, Outcome.

A game is a folder whose `__init__` holds one `GAME: Game`, written as data. Two faces look at its
positions:

* `State` is for search and learning. It speaks OpenSpiel's terms and *atomic* actions, small integers, of which a turn
  may be made of one or of many.
* `Protocol` is for referees. It speaks bot text and whole *turns*: what each asked player is sent, and what its
  answer, however odd, does to the position. Records hold turns, and replay through the same door.
"""

from __future__ import annotations

from lapilli.core.game import Engine, Game
from lapilli.core.outcome import Fault, Outcome, Termination
from lapilli.core.protocol import Protocol, Replies, Step, TurnReport
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.kernels.kernel import CHANCE, SIMULTANEOUS, TERMINAL

__all__ = [
    "CHANCE",
    "SIMULTANEOUS",
    "TERMINAL",
    "Engine",
    "Fault",
    "Game",
    "Outcome",
    "Protocol",
    "Replies",
    "Setup",
    "State",
    "Step",
    "Termination",
    "TurnReport",
]
