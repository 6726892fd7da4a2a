"""Says what kind of turn a puzzle of Kingdomino asks for. Implements `Game.themes`."""

from __future__ import annotations

from lapilli.core.protocol.protocol import Step
from lapilli.core.state import State
from lapilli.games.kingdomino.picture.story import effects_of
from lapilli.games.kingdomino.picture.teaching.reasons import crowns

_MANY = 6
"""Least number of points that a tile must score for the theme "Many points"."""


def themes(step: Step, after: State, player: int) -> list[str]:
    """Returns the titles of the themes that describe a turn: crowns, many points, last tiles, discarded tile.

    `step` is the turn, and `after` the position after it.
    """
    effects = effects_of(after, step)
    assert effects is not None
    found = {
        "Crowns": effects.picked and crowns(effects.picked) > 0,
        "Many points": effects.gain is not None and effects.gain.points >= _MANY,
        "Last tiles": not effects.picked,
        "Discarded tile": effects.discarded,
    }
    return [title for title, fits in found.items() if fits]
