"""The kernels' disk cache: every source that machine code can be made of is in its key, and stale code goes away."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import chain
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

import lapilli
from conformance.walks import home
from lapilli.games import load, names
from lapilli.kernels import cache
from lapilli.kernels.cache import ROOT, sources_of
from lapilli.kernels.source_folders import ELSEWHERE, VARIABLE
from warm_compiler import run_program

PACKAGE = Path(lapilli.__file__).parent
COPIED = {PACKAGE: "lapilli"} | {folder: f"elsewhere-{number}" for number, folder in enumerate(ELSEWHERE)}
"""What a copy is made of, and what each part is called in it."""
OURS = [file for floor in ("kernels", "core", "games") for file in (PACKAGE / floor).rglob("*.py")]
KERNEL_FILES = sorted(
    file
    for file in chain(OURS, *(folder.glob("*/**/*.py") for folder in ELSEWHERE))
    if "\n@kernel\n" in file.read_text(encoding="utf-8")
)


def elsewhere(root: Path) -> tuple[Path, ...]:
    """The folders of games outside the package that lie in a copy."""
    return tuple(sorted(root.glob("elsewhere-*")))


def copied(file: Path, root: Path) -> Path:
    """Where a file lies in the copy."""
    (place,) = (
        root / name / file.relative_to(folder) for folder, name in COPIED.items() if file.is_relative_to(folder)
    )
    return place


def places(root: Path) -> dict[str, str]:
    """The environment of a program on the copy of the package and of games below `root`, with a cache beside them."""
    place = {"PYTHONPATH": str(root), "NUMBA_CACHE_DIR": str(root / "cache"), "NUMBA_DISABLE_JIT": "0"}
    return {**os.environ, **place, VARIABLE: os.pathsep.join(map(str, elsewhere(root)))}


def python(code: str, root: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a program there."""
    return run_program(code, places(root) | environment)


def python_from_nothing(code: str, root: Path) -> subprocess.CompletedProcess[str]:
    """The same in a process that was not forked, and so goes through sets of names in an order of its own."""
    words = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(words, env=places(root), capture_output=True, text=True, check=True, timeout=300)


def copied_to(place: Path) -> Path:
    """A folder with a copy of the package, and of the folders of games elsewhere, in it."""
    for folder, name in COPIED.items():
        shutil.copytree(folder, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    return place


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return copied_to(tmp_path)


@pytest.fixture(scope="module")
def edited_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One that tests may only add lines to."""
    return copied_to(tmp_path_factory.mktemp("edited"))


ANSWER = "@kernel\ndef answer(x: int) -> int:\n    return x + 1\n"


IMPORTS = [
    "from lapilli.games.callee import answer",
    "from lapilli.games import handing, callee\nanswer = callee.answer",
    "from lapilli.games import (\n    handing,\n    callee,\n)\nanswer = callee.answer",
    "from lapilli.games.callee import (  # a comment\n    answer,\n)",
    "from lapilli.core.errors import LapilliError\nfrom lapilli.games.callee import answer",
    "from lapilli.games.callee import answer as other\nanswer = other",
    "from lapilli.games.callee import *",
    "import lapilli.games.callee\nanswer = lapilli.games.callee.answer",
    "import lapilli.core.errors, lapilli.games.callee as c\nanswer = c.answer",
    "from .callee import answer",
    "from . import callee\nanswer = callee.answer",
    "from lapilli.games.handing import answer",
    "from lapilli.games.package import answer",
    "import lapilli.games.package as p\nanswer = p.answer",
    "if True:\n    from lapilli.games.callee import answer",
]
"""How a kernel's file may import what the kernel calls."""


def test_an_edited_callee_in_another_file_is_seen(tmp_path: Path) -> None:
    games = small_package(tmp_path)
    (games / "package").mkdir()
    (games / "package" / "__init__.py").write_text("from lapilli.games.callee import answer as answer\n")
    (games / "callee.py").write_text(HEAD + ANSWER)
    (games / "handing.py").write_text("from lapilli.games.callee import answer as answer\n")
    check_an_edit_is_seen(tmp_path, IMPORTS, games, "lapilli.games", games / "callee.py")


IMPORTS_ELSEWHERE = [
    "from lapilli.games.mine.callee import answer",
    "from lapilli.games.mine import callee\nanswer = callee.answer",
    "import lapilli.games.mine.callee as c\nanswer = c.answer",
    "from lapilli.games.mine import answer",
    "from lapilli.games import mine\nanswer = mine.answer",
    "from .callee import answer",
    "from . import callee\nanswer = callee.answer",
    "from ..mine.callee import answer",
    "from ..other.handing import answer",
    "from lapilli.games.other.handing import answer",
]
"""The same in a game that lies outside the package."""


@pytest.mark.parametrize("home_is", ["a folder", "a link"])
def test_an_edited_callee_of_a_game_elsewhere_is_seen(tmp_path: Path, home_is: str) -> None:
    small_package(tmp_path)
    mine, other = tmp_path / "elsewhere-0" / "mine", tmp_path / "elsewhere-1" / "other"
    for folder in (mine.parent, tmp_path / "checkout" if home_is == "a link" else mine, other):
        folder.mkdir(parents=True)
    if home_is == "a link":
        mine.symlink_to(tmp_path / "checkout")
    (mine / "__init__.py").write_text("from lapilli.games.mine.callee import answer as answer\n")
    (mine / "callee.py").write_text(HEAD + ANSWER)
    (other / "__init__.py").touch()
    (other / "handing.py").write_text("from ..mine.callee import answer as answer\n")
    check_an_edit_is_seen(tmp_path, IMPORTS_ELSEWHERE, mine, "lapilli.games.mine", mine / "callee.py")


HEAD = "from lapilli.kernels.kernel import kernel\n"
ASK = "\n\n@kernel\ndef ask(x: int) -> int:\n    return answer(x)\n"


def small_package(root: Path) -> Path:
    """The least of the package that compiles a kernel; the folder of its games."""
    games = root / "lapilli" / "games"
    games.mkdir(parents=True)
    shutil.copytree(PACKAGE / "kernels", root / "lapilli" / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
    (games.parent / "core").mkdir()
    shutil.copy(PACKAGE / "core" / "errors.py", games.parent / "core")
    (games.parent / "core" / "__init__.py").touch()
    (games.parent / "__init__.py").touch()
    (games / "__init__.py").write_text(
        "from lapilli.kernels.source_folders import ELSEWHERE\n__path__ += map(str, ELSEWHERE)\n"
    )
    return games


ASK_ALL = """
from importlib import import_module
for number in range({callers}):
    print(import_module(f"{package}.caller_{{number}}").ask(1))
"""


def check_an_edit_is_seen(root: Path, imports: list[str], folder: Path, package: str, callee: Path) -> None:
    """A program compiles kernels that import `callee` in these ways once, and each again after an edit of it."""
    for number, how_imported in enumerate(imports):
        (folder / f"caller_{number}.py").write_text(HEAD + how_imported + ASK)

    def ask() -> tuple[dict[str, str], str]:
        """The answers, by the way of importing, and what was said on stderr."""
        done = python(ASK_ALL.format(callers=len(imports), package=package), root)
        return dict(zip(imports, done.stdout.split(), strict=True)), done.stderr

    answers, said = ask()
    assert answers == dict.fromkeys(imports, "2")
    assert "compiling" in said
    assert ask() == (answers, ""), "a warm cache compiles nothing and says nothing"
    # Longer than before: within a second, Python's own cache of byte code tells an edit by the file's size alone.
    callee.write_text(callee.read_text().replace("x + 1", "x + 50"))
    answers, _ = ask()
    assert answers == dict.fromkeys(imports, "51")
    folders = [folder.name for folder in (root / "cache" / "lapilli").iterdir() if folder.is_dir()]
    assert len(folders) == len({name.rsplit("-", 1)[0] for name in folders}), "the stale folders are gone"


def test_who_does_not_know_of_games_elsewhere_keeps_their_machine_code(tmp_path: Path) -> None:
    games = small_package(tmp_path)
    mine = tmp_path / "elsewhere-0" / "mine"
    mine.mkdir(parents=True)
    (mine / "__init__.py").write_text(HEAD + ANSWER)
    (mine / "caller.py").write_text(f"{HEAD}from . import answer{ASK}")
    code = "from lapilli.games.mine.caller import ask; print(ask(1))"
    python(code, tmp_path)
    (games / "callee.py").write_text(HEAD + ANSWER)
    python("from lapilli.games.callee import answer; print(answer(1))", tmp_path, LAPILLI_GAMES="")
    assert python(code, tmp_path).stderr == ""


@pytest.mark.parametrize("file", KERNEL_FILES, ids=lambda file: str(copied(file, Path())))
def test_an_edit_of_any_source_under_a_kernel_changes_its_folder(edited_copy: Path, file: Path) -> None:
    root, file, games = edited_copy, copied(file, edited_copy), elsewhere(edited_copy)
    sources = sources_of(file, root, games)
    assert file in sources
    names_seen = {cache._name(root, (file,), games)}
    for source in sorted(sources):
        source.write_text(source.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
        cache._read.cache_clear()
        names_seen.add(cache._name(root, (file,), games))
    assert len(names_seen) == len(sources) + 1


def kernels_of(file: Path) -> Iterator[FunctionType]:
    """The functions that a module compiles."""
    (folder,) = (folder for folder in COPIED if file.is_relative_to(folder))
    parents = ("lapilli",) if folder == PACKAGE else ("lapilli", "games")
    module = import_module(".".join((*parents, *file.relative_to(folder).with_suffix("").parts)))
    for value in vars(module).values():
        function = getattr(value, "py_func", None)
        if isinstance(function, FunctionType) and function.__module__ == module.__name__:
            yield function


def callees(function: FunctionType) -> Iterator[FunctionType]:
    """The kernels that a kernel names, be it through a module."""
    for name in function.__code__.co_names:
        value: Any = function.__globals__.get(name)
        for callee in (value, *(getattr(value, other, None) for other in function.__code__.co_names)):
            if isinstance(getattr(callee, "py_func", None), FunctionType):
                yield callee.py_func


@pytest.mark.parametrize("file", KERNEL_FILES, ids=lambda file: str(copied(file, Path())))
def test_what_a_kernel_really_calls_is_among_its_sources(file: Path) -> None:
    sources, queue, seen = sources_of(file), list(kernels_of(file)), set()
    assert queue, f"{file} has no kernel"
    while queue:
        function = queue.pop()
        if function not in seen:
            seen.add(function)
            assert Path(function.__code__.co_filename).resolve() in sources, function
            queue += callees(function)


def test_versions_are_in_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    file = (KERNEL_FILES[0],)
    before = cache._name(ROOT, file)
    for package in ("lapilli", "numba", "numpy"):
        assert f"{package} " in cache._versions()
    monkeypatch.setattr(cache, "_versions", lambda: "another")
    assert cache._name(ROOT, file) != before


def test_what_lies_in_the_cache_and_is_nobodys_is_thrown_away_and_what_is_somebodys_is_kept(copy: Path) -> None:
    code = "from lapilli.kernels.kernel import popcount; popcount(3)"
    python(code, copy)
    base = copy / "cache" / "lapilli"
    kept = {folder.name for folder in base.iterdir()}
    folders = {name for name in kept if name.startswith("lapilli.kernels.")}
    assert folders, "one for each file of kernels that was loaded"
    assert kept - folders == {".lock", "imports.json"}, "a lock, and what is remembered of imports"
    (base / "rules-0123456789abcdef").mkdir()
    (base / "torn-0123456789abcdef").mkdir()
    (base / "torn-0123456789abcdef" / "made-of.json").write_text('{"root": 7')
    other = copy.parent / "other"
    shutil.copytree(copy / "lapilli", other / "lapilli")
    kernel_file = other / "lapilli" / "kernels" / "kernel.py"
    kernel_file.write_text(kernel_file.read_text(encoding="utf-8") + "\n# another checkout\n", encoding="utf-8")
    python(code, other, NUMBA_CACHE_DIR=str(copy / "cache"))
    after = {folder.name for folder in base.iterdir()}
    assert kept < after, "two checkouts share a cache"
    assert 1 <= len(after - kept) <= len(folders)
    shutil.rmtree(other)
    kernel_file = copy / "lapilli" / "kernels" / "kernel.py"
    kernel_file.write_text(kernel_file.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
    python(code, copy)
    assert len({folder.name for folder in base.iterdir()}) == len(kept), (
        "an edit and a checkout that is gone leave nothing"
    )


def test_a_folder_that_a_package_elsewhere_shares_outlives_the_package_that_made_it(copy: Path) -> None:
    """As after `pip install .`, a match and then `pip install -e .`; by either compiler."""
    code = "from lapilli.kernels.kernel import popcount; popcount(3)"
    first = copy.parent / "first"
    shutil.copytree(copy / "lapilli", first / "lapilli")
    places = {"NUMBA_CACHE_DIR": str(copy / "cache")}
    python(code, first, **places)
    python(code, copy, **places)
    kept = {str(file) for file in (copy / "cache").rglob("*.nbc")}
    shutil.rmtree(first)
    python(code, copy, **places, LAPILLI_COMPILER="plain")
    made = {str(file) for file in (copy / "cache").rglob("*.nbc")}
    assert kept < made
    code = "from lapilli.kernels.java_random import next_int; next_int(3, 5)"
    python(code, copy, **places)
    assert made < {str(file) for file in (copy / "cache").rglob("*.nbc")}


MOVERS = """
import numpy as np
from lapilli.games import load, names
from lapilli.kernels.kernel import compile_callback
compiled = []
for game in map(load, names()):
    with compile_callback(lambda function: compiled.append(game.name)):
        game.verbs.current_player(np.zeros(1, game.state.DTYPE)[0])
print(*sorted(set(compiled)))
"""


def test_one_edited_callee_of_each_game_is_seen_by_a_warm_second_process(copy: Path) -> None:
    """All kernels of a file have one key: the quickest to compile stands for the others."""

    def compiled(runs: Callable[[str, Path], subprocess.CompletedProcess[str]] = python) -> list[str]:
        return runs(MOVERS, copy).stdout.split()

    assert compiled() == sorted(names())
    assert compiled(python_from_nothing) == []
    for game in map(load, names()):
        kernel_file = Path(game.rules.__file__ or "")
        own = [source for source in sources_of(kernel_file) if source.is_relative_to(home(game))]
        callee = copied(max(own, key=lambda source: (source != kernel_file, source)), copy)
        callee.write_text(callee.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
    assert compiled() == sorted(names())
