"""The names of all games, found without importing a game: imports would take a third of a second."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from pkgutil import iter_modules

from lapilli.core.errors import LapilliError
from lapilli.kernels.source_folders import ELSEWHERE, VARIABLE


@cache
def game_names() -> tuple[str, ...]:
    """Returns the slugs of all games, sorted. A slug is the name of the game's folder.

    Raises:
        LapilliError: LAPILLI_GAMES lists a path that is not a folder.
    """
    for folder in ELSEWHERE:
        if not folder.is_dir():
            raise LapilliError(f"{VARIABLE} names {str(folder)!r}, which is not a folder")
    folders = Path(__file__).parents[1] / "games", *ELSEWHERE
    return tuple(sorted(module.name for module in iter_modules(map(str, folders)) if module.ispkg))
