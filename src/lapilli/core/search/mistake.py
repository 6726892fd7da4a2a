"""A mistake: a turn and a better turn in its place. A game's function `Game.reason` explains why the turn is worse."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lapilli.core.protocol.protocol import Step

if TYPE_CHECKING:
    from lapilli.core.state import State


class Mistake(NamedTuple):
    """A turn of a player, and a better one from the same position.

    If other players acted in the same turn, their replies are the same in both.

    Attributes:
        player: the player whose turn it was.
        played: the step in which the player's turn was played.
        after: the position after `played`.
        better: the step in which the better turn is played instead.
        instead: the position after `better`.
    """

    player: int
    played: Step
    after: State
    better: Step
    instead: State


def no_reason(mistake: Mistake) -> str:
    """Returns no reason. The default of `Game.reason`."""
    return ""
