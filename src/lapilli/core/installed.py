"""Installed games and libraries: the names of all games, and the command that installs the libraries of an extra.

Games are found without importing them: imports would take a third of a second.
"""

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
        LapilliError: LAPILLI_GAMES lists a path that is not a folder, or the folder of a game itself.
    """
    for folder in ELSEWHERE:
        if not folder.is_dir():
            raise LapilliError(f"{VARIABLE} names {str(folder)!r}, which is not a folder")
        if _is_game(folder):
            raise LapilliError(
                f"{VARIABLE} names {str(folder)!r}, but that folder is a game: "
                f"give the folder that contains it, {str(folder.parent)!r}"
            )
    folders = Path(__file__).parents[1] / "games", *ELSEWHERE
    return tuple(sorted(module.name for module in iter_modules(map(str, folders)) if module.ispkg))


def how_to_install(extra: str) -> str:
    """Returns the shell command that installs an extra of Lapilli, such as "site".

    The command adds libraries to a Lapilli that is already installed, from a checkout or from a wheel. So pip does not
    look for Lapilli on a package index.
    """
    return f"pip install 'lapilli[{extra}]'"


def _is_game(folder: Path) -> bool:
    """Returns whether a folder is a game's own folder: its `__init__.py` defines `GAME`."""
    try:
        text = folder.joinpath("__init__.py").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return any(line.startswith(("GAME =", "GAME=", "GAME:")) for line in text.splitlines())
