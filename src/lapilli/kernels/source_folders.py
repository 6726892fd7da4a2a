"""Games outside the package: folders of games that the environment variable LAPILLI_GAMES names."""

from __future__ import annotations

import os
from pathlib import Path

from lapilli.games.errors import LapilliError

VARIABLE = "LAPILLI_GAMES"
"""Folders, written as in PATH; each sub-folder with an `__init__.py` is a game, as those of `lapilli.games` are."""
ELSEWHERE = tuple(
    dict.fromkeys(Path(folder).resolve() for folder in os.environ.get(VARIABLE, "").split(os.pathsep) if folder)
)
"""These folders, each once, as they were named when the program began."""


def check_folders() -> None:
    """Raises LapilliError where one of them is no folder."""
    for folder in ELSEWHERE:
        if not folder.is_dir():
            raise LapilliError(f"{VARIABLE} names {str(folder)!r}, which is no folder")
