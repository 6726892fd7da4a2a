"""Folders with source files of games outside the package: the environment variable LAPILLI_GAMES names them."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "LAPILLI_GAMES"
"""Folders, written as in PATH; each sub-folder with an `__init__.py` is a game, as those of `lapilli.games` are."""
ELSEWHERE = tuple(
    dict.fromkeys(Path(folder).resolve() for folder in os.environ.get(VARIABLE, "").split(os.pathsep) if folder)
)
"""These folders, each once, as they were named when the program began."""
