"""Says what kind of turn a puzzle of Volcano with pyramids asks for. Implements `Game.themes`."""

from __future__ import annotations

from lapilli.core.protocol.protocol import Step
from lapilli.core.state import State
from lapilli.games.pyramids.picture.story import last_turn


def themes(step: Step, after: State, player: int) -> list[str]:
    """Returns the theme of a turn, as a list of one title: whether its eruption captures no piece, one, or several."""
    captured = len(last_turn(step).captured)
    return ["Several captures" if captured > 1 else "One capture" if captured else "No capture"]
