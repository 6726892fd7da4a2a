"""Lists the legal moves of a player as tiles to click."""

from __future__ import annotations

from typing import cast

from lapilli.core.picture.choices import Choice
from lapilli.core.state import State
from lapilli.games.volcanoes.board import NAMES
from lapilli.games.volcanoes.state import VolcanoesState


def choices(state: State, player: int) -> list[Choice]:
    """Returns the legal moves of a player. Each move takes one click, on its tile.

    The list is empty if it is not the player's turn.
    """
    if player != state.current_player():
        return []
    levels = cast(VolcanoesState, state).levels()
    return [Choice(tile, (f"tile-{NAMES[tile]}",), _label(tile, levels[tile])) for tile in state.legal_actions(player)]


def prompt(state: State, player: int) -> str:
    """Returns what a player is to choose now. Implements `Game.prompt`."""
    return "choose a tile to grow"


def _label(tile: int, level: int) -> str:
    if level == 0:
        return f"found a volcano on {NAMES[tile]}"
    higher = abs(level) + 1
    return f"raise {NAMES[tile]} to level {higher}" + (": it erupts" if higher == 4 else "")
