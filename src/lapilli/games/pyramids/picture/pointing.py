"""The legal moves of a player as shapes to click."""

from __future__ import annotations

from typing import cast

from lapilli.core.picture.choices import Choice
from lapilli.core.state import State
from lapilli.games.pyramids.picture.words import come_down
from lapilli.games.pyramids.state.state import PyramidsState


def choices(state: State, player: int) -> list[Choice]:
    """Returns the cells to click for each cap step: the cell that the cap leaves, then the cell that it goes to. A step
    with an eruption needs no further click.
    """
    state = cast(PyramidsState, state)
    if player != state.current_player():
        return []
    found = []
    for action in state.legal_actions(player):
        source, to = state.action_to_string(action).split("-")
        found.append(Choice(action, (f"cell-{source}", f"cell-{to}"), _label(state, action, source, to)))
    return found


def _label(state: PyramidsState, action: int, source: str, to: str) -> str:
    landed, captured = state.preview(action)
    step = f"cap from {source} to {to}"
    return f"{step}: {source} erupts, {come_down(landed, captured)}" if landed else step
