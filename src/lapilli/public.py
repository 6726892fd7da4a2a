"""The names that `import lapilli` offers."""

from __future__ import annotations

from lapilli.games import load, names
from lapilli.games.api import Setup, State
from lapilli.games.errors import IllegalAction, LapilliError
from lapilli.match import Record, load_record, load_records, play_match, replay, verify
from lapilli.players import PlayerSpec
from lapilli.viewer.notebook import show_in_notebooks

__all__ = [
    "IllegalAction",
    "LapilliError",
    "PlayerSpec",
    "Record",
    "Setup",
    "State",
    "load",
    "load_record",
    "load_records",
    "names",
    "play_match",
    "replay",
    "verify",
]

show_in_notebooks()
