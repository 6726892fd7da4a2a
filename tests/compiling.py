"""`python tests/compiling.py GAME` compiles a game's kernels in two stages, and writes a report of both.

Tests begin with it, as all need the kernels. `tests/players/test_precompile.py` reads the report: a test that compiled
them once more, in an empty folder, would take longer than any other.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from lapilli.core.game import Game
from lapilli.games import load, names
from lapilli.kernels.cache import cache_base, folder_of
from lapilli.kernels.kernel import compile_seconds
from lapilli.players.engines.precompile import compile_ahead, is_compiled, kernels_of

STAGES = (False, True)
"""The rules alone, without pictures and searches, for which those who use none do not wait; then all kernels."""


def compile_in_stages(game: Game) -> None:
    """Compiles a game's kernels. Writes the report, unless they were there already, but for what games share."""
    from_nothing = len(kernels_on_disk(game, rest=False)) < len(kernels_of(game, False, False)) / 2
    reports: list[dict[str, Any]] = []
    for rest in STAGES:
        calls: list[tuple[int, int]] = []
        were_there = [is_compiled(game), is_compiled(game, pictures=rest, searches=rest)]
        before = compile_seconds()
        compile_ahead(game, lambda done, wanted, calls=calls: calls.append((done, wanted)), rest, rest)  # type: ignore[misc]
        reports.append(
            {
                "were_there": were_there,
                "are_there": is_compiled(game, pictures=rest, searches=rest),
                "calls": calls,
                "on_disk": len(kernels_on_disk(game, rest)),
                "seconds": compile_seconds() - before,
                "files": files_without_other_games(game),
                "folders": folders_of(game),
            }
        )
    if from_nothing:
        _report_file(game).write_text(json.dumps(reports))


def report_of(game: Game) -> list[dict[str, Any]] | None:
    """Returns what was reported of each stage, unless no report is there, or sources were changed since."""
    file = _report_file(game)
    reports: list[dict[str, Any]] = json.loads(file.read_text()) if file.exists() else []
    return reports if reports and set(reports[-1].get("folders", [""])) <= set(folders_of(game)) else None


def folders_of(game: Game) -> list[str]:
    """Returns the names of the folders for a game's machine code, which change with the sources."""
    assert game.facade  # loads its kernels, which a process that has not played a match has not loaded yet
    return sorted({folder_of(kernel).name for kernel in kernels_of(game)})


def kernels_on_disk(game: Game, rest: bool) -> list[str]:
    """Returns the names of a stage's kernels whose machine code is in the cache."""
    found = []
    for kernel in kernels_of(game, rest, rest):
        files = [file.name for file in folder_of(kernel).iterdir()]
        if any(name.startswith(f"{kernel.__name__}-") or f".{kernel.__name__}-" in name for name in files):
            found.append(kernel.__name__)
    return found


def files_without_other_games(game: Game) -> list[str]:
    """Returns the cached files, relative to the folder of all machine code, that are not another game's alone.

    Files that another process is still writing are left out: Numba renames them when they are complete.
    """
    others = tuple(f"{name}." for name in names() if name != game.name)
    found = (file for file in cache_base().rglob("*") if file.is_file() and ".tmp." not in file.name)
    files = (file.relative_to(cache_base()) for file in found)
    return sorted(str(file) for file in files if len(file.parts) > 1 and not file.parts[0].startswith(others))


def _report_file(game: Game) -> Path:
    return cache_base() / f"compiled-{game.name}.json"


if __name__ == "__main__":
    compile_in_stages(load(sys.argv[1]))
