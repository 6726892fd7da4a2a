"""Folders outside the package that hold games, taken from the environment variable LAPILLI_GAMES."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "LAPILLI_GAMES"
"""Name of an environment variable whose value is a list of folders, separated as in PATH. In each of these folders,
every sub-folder with an `__init__.py` is a game, as in the folder `lapilli.games`."""
ELSEWHERE = tuple(
    dict.fromkeys(Path(folder).resolve() for folder in os.environ.get(VARIABLE, "").split(os.pathsep) if folder)
)
"""The folders that LAPILLI_GAMES listed when the program started, resolved and without duplicates."""
