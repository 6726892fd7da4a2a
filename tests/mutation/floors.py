"""What can be changed on each floor, and the tests that should notice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mutation.scripts import script_mutants_of
from mutation.sites import Mutant, mutants_of, plain_mutants_of

ROOT = Path(__file__).resolve().parents[2]
SOURCES = Path("src", "lapilli")
GAMES = SOURCES / "games"
RULES = "rules"
"""The kernels of the single games, which are tried game by game, each mutant with machine code of its own."""
_PROGRAMS_OF_OTHERS = ("starters", "vendor", "codemirror")
"""Folders of programs that others run or made: bots to begin with, and the editor's bundle."""
_MINUTES = re.compile("ray|fuzz|cluster|gpu$|memory_of|killed|disk|compilers|freezing|starters|examples")
"""Files of tests with such a word in their names take minutes, or a compiler, a GPU or a cluster."""


@dataclass(frozen=True)
class Floor:
    """A floor's tests.

    Attributes:
        tests: the folders and files, from the checkout's root.
    """

    tests: tuple[str, ...]

    def files(self, root: Path) -> Iterator[Path]:
        """The files of tests, without those that take minutes."""
        for test in self.tests:
            place = root / test
            found = [place] if place.is_file() else sorted(place.rglob("test_*.py"))
            yield from (file for file in found if not _MINUTES.search(file.stem))


FLOORS = {
    "kernels": Floor(("tests/kernels", "tests/hostile/test_cache.py")),
    "core": Floor(("tests/core", "tests/games", "tests/conformance", "tests/fifth")),
    "games": Floor(("tests/games", "tests/conformance", "tests/fifth")),
    "search": Floor(("tests/search", "tests/conformance/test_searches.py")),
    "players": Floor(("tests/players", "tests/hostile/sandbox")),
    "match": Floor(("tests/match",)),
    "viewer": Floor(("tests/viewer",)),
    "store": Floor(("tests/store", "tests/hostile/test_store_damage.py")),
    "arena": Floor(("tests/arena",)),
    "envs": Floor(("tests/envs", "tests/conformance/test_batches.py")),
    "site": Floor(("tests/web", "tests/hostile/site")),
    "cli": Floor(("tests/cli", "tests/hostile/test_connect.py")),
}


def game_names() -> list[str]:
    """The games of the checkout."""
    return sorted(file.parent.name for file in (ROOT / GAMES).glob("*/__init__.py"))


def kernel_mutants(game: str) -> list[Mutant]:
    """All mutants of a game's kernels."""
    return [mutant for file in _python(GAMES / game) for mutant in mutants_of(file, (ROOT / file).read_bytes())]


def floor_mutants(floor: str) -> list[Mutant]:
    """All mutants of a floor's programs and scripts; of the games, without the kernels of a game's own folder."""
    folder = SOURCES / floor
    found: list[Mutant] = []
    files = _python(folder)
    if floor == "cli":
        files += sorted(file.relative_to(ROOT) for file in (ROOT / SOURCES).glob("*.py"))
    for file in files:
        source = (ROOT / file).read_bytes()
        found += plain_mutants_of(file, source)
        if file.parent == folder or floor != "games":
            found += mutants_of(file, source)
    scripts = _own(sorted((ROOT / folder).rglob("static/**/*.js")))
    return found + (script_mutants_of(ROOT, scripts) if scripts else [])


def _python(folder: Path) -> list[Path]:
    return _own(sorted((ROOT / folder).rglob("*.py")))


def _own(files: list[Path]) -> list[Path]:
    paths = [file.relative_to(ROOT) for file in files]
    return [path for path in paths if not set(path.parts) & set(_PROGRAMS_OF_OTHERS)]
