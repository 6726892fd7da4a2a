"""The names that `import lapilli` offers."""

from __future__ import annotations

import lapilli.viewer  # noqa: F401  # states and records show themselves in a notebook
from lapilli.games import load, names
from lapilli.games.api import Setup, State
from lapilli.games.errors import IllegalAction, LapilliError
from lapilli.match import Record, load_record, load_records, play_match, replay, verify

__all__ = [
    "IllegalAction",
    "LapilliError",
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
