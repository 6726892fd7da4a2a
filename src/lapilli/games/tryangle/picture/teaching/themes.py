"""Says what kind of turn a puzzle of TryAngle Catch asks for. Implements `Game.themes`."""

from __future__ import annotations

from lapilli.core.protocol.protocol import Step
from lapilli.core.state import State
from lapilli.games.tryangle.picture.story import story


def themes(step: Step, after: State, player: int) -> list[str]:
    """Returns the titles of the themes that describe a turn: "Moves alone", or the purposes for which triangles are
    used up.

    `step` is the turn, and `after` the position after it.
    """
    events = story(after, step)
    found = {
        "Attack": any(attack.player == player for attack in events.attacks),
        "New units": any(owner == player for owner, _ in events.spawns),
        "Paths": any(change.player == player for change in events.changes),
    }
    return [title for title, fits in found.items() if fits] or ["Moves alone"]
