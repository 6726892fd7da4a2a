"""Positions for the tests of searches."""

from __future__ import annotations

from lapilli.core.api import CHANCE, State


def after(state: State, action: int) -> State:
    """Returns the position after an action and the automatic steps that follow it."""
    state = state.clone()
    state.apply_action(action)
    while state.current_player() == CHANCE:
        state.apply_action(state.legal_actions()[0])
    return state
