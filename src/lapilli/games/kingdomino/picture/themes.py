"""Says what kind of turn a puzzle of Kingdomino asks for. Implements `Game.themes`."""

from __future__ import annotations

from lapilli.core.protocol.protocol import Step
from lapilli.core.state import State
from lapilli.games.kingdomino.picture.reasons import crowns
from lapilli.games.kingdomino.picture.story import effects_of

_MANY = 6
"""A tile that brings so many points has a theme."""


def themes(step: Step, after: State, player: int) -> list[str]:
    """Returns whether a turn picks crowns, puts a tile for many points, puts a last tile, or discards one."""
    effects = effects_of(after, step)
    assert effects is not None
    found = {
        "Crowns": effects.picked and crowns(effects.picked) > 0,
        "Many points": effects.gain is not None and effects.gain.points >= _MANY,
        "Last tiles": not effects.picked,
        "Discarded tile": effects.discarded,
    }
    return [title for title, fits in found.items() if fits]
