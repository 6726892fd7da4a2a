"""Says what kind of move a puzzle of Volcanoes asks for. Implements `Game.themes`."""

from __future__ import annotations

from typing import cast

from lapilli.core.protocol.protocol import Step
from lapilli.core.state import State
from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.picture.words import played
from lapilli.games.volcanoes.state import VolcanoesState


def themes(step: Step, after: State, player: int) -> list[str]:
    """Returns the theme of a move, as a list of one title: it founds a volcano, raises one, or makes one erupt.

    The list is empty if no tile was played. `step` is the move, and `after` the position after it.
    """
    tile = played(step)
    if tile is None:
        return []
    trial = cast(VolcanoesState, step.before.clone())
    if trial.level(tile) == 0:
        return ["New volcano"]
    north, south = rules.begin(trial.record, tile)
    return ["Eruption" if north | south else "Raised volcano"]
