"""Lists the legal cap steps of a player, each with the two cells on which to click."""

from __future__ import annotations

from typing import cast

from lapilli.core.picture.choices import Choice
from lapilli.core.state import State
from lapilli.games.pyramids.picture.words import landing_words
from lapilli.games.pyramids.state.state import PyramidsState


def choices(state: State, player: int) -> list[Choice]:
    """Returns the legal cap steps of a player.

    Each step takes two clicks: on the cell that the cap leaves, then on its new cell. The list is empty if it is not
    the player's turn.
    """
    state = cast(PyramidsState, state)
    if player != state.current_player():
        return []
    found = []
    for action in state.legal_actions(player):
        source, to = state.action_to_string(action).split("-")
        found.append(Choice(action, (f"cell-{source}", f"cell-{to}"), _label(state, action, source, to)))
    return found


def prompt(state: State, player: int) -> str:
    """Returns what a player is to choose now. Implements `Game.prompt`."""
    return "move a cap, until a stack erupts" if cast(PyramidsState, state).paths() else "move a cap"


def _label(state: PyramidsState, action: int, source: str, to: str) -> str:
    landed, captured = state.preview(action)
    step = f"cap from {source} to {to}"
    return f"{step}: {source} erupts, {landing_words(landed, captured)}" if landed else step
