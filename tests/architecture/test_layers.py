"""The import rule of the design, held by import-linter; and fences around third parties and games."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from importlinter import cli as import_linter

import lapilli
from conformance.walks import home, in_package
from lapilli.games import load, names

PACKAGE = Path(lapilli.__file__).parent
ROOT = Path(__file__).resolve().parents[2]
OURS = [game for game in map(load, names()) if in_package(game)]
"""The games that come with Lapilli."""
SOURCES = [
    source
    for room in ("kernels", "core", "games", "search", "envs")
    for source in sorted((PACKAGE / room).rglob("*.py"))
]
"""Where kernels are."""

FENCES = {
    "numba": ("kernels", "players/engines/precompile.py", "envs"),
    "llvmlite": ("kernels",),
    "subprocess": ("players",),
    "sqlalchemy": ("store",),
    "psycopg": ("store/site/shared/notices.py",),  # elsewhere SQLAlchemy finds it by a URL
    "prometheus_client": ("site/http/monitoring/metrics.py",),
    "httpx": ("cli/web/api_client.py",),
    "openskill": ("arena",),
    "networkx": ("site/live/tournaments/pairing.py",),
    "ray": ("workers/ray_pool.py",),
    "optuna": ("arena/tuning/optuna_method.py",),
    "fastapi": ("site",),
    "starlette": ("site",),
    "uvicorn": ("site",),
    "h11": ("site",),
    "pydantic": ("site/api",),
    "markupsafe": ("arena/pages", "site"),
    "jinja2": ("viewer/jinja.py",),
    "argon2": ("site",),
    "pettingzoo": ("envs/pettingzoo.py",),
    "gymnasium": ("envs/pettingzoo.py", "envs/gymnasium.py"),
    "pyspiel": ("envs/openspiel.py",),
    "open_spiel": (),
    "torch": (),
    "typer": ("cli",),
    "rich": ("cli",),
}


def nodes(source: Path) -> Iterator[ast.AST]:
    """All nodes of a file's syntax tree."""
    return ast.walk(ast.parse(source.read_text(encoding="utf-8")))


@cache
def imports(source: Path) -> tuple[str, ...]:
    """The modules that a file imports from; each rule asks for those of every file."""
    names: list[str] = []
    for node in nodes(source):
        if isinstance(node, ast.Import):
            names += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.append(node.module or "")
    return tuple(names)


def test_imports_point_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert import_linter.lint_imports(no_cache=True) == import_linter.EXIT_STATUS_SUCCESS


@pytest.mark.parametrize("library", FENCES)
def test_third_parties_stay_behind_their_fences(library: str) -> None:
    for source in PACKAGE.rglob("*.py"):
        if library in {name.split(".")[0] for name in imports(source)}:
            assert any(source.is_relative_to(PACKAGE / room) for room in FENCES[library]), source


def test_the_tables_of_the_store_are_its_own() -> None:
    """Others see the store's face and plain data."""
    for source in PACKAGE.rglob("*.py"):
        if not source.is_relative_to(PACKAGE / "store"):
            inner = {name for name in imports(source) if name.startswith("lapilli.store.")}
            assert inner <= {"lapilli.store.results", "lapilli.store.places"}, source


def test_only_a_games_own_folder_names_it() -> None:
    for source in PACKAGE.rglob("*.py"):
        where = source.relative_to(PACKAGE).parts
        for name in imports(source):
            game = name.removeprefix("lapilli.games.").split(".")[0]
            if name.startswith("lapilli.games.") and game in names():
                assert where[:2] == ("games", game), f"{source} imports {name}"


def texts(*patterns: str) -> Iterator[Path]:
    """The text files that fit these patterns, without those in folders of single games, pictures and fonts."""
    games = (ROOT / "src" / "lapilli" / "games", ROOT / "tests" / "games")
    own = [folder / game.name for game in OURS for folder in games] + [PACKAGE / "viewer" / "fonts"]
    for file in sorted({file for pattern in patterns for file in ROOT.glob(pattern) if file.is_file()}):
        if file.suffix in (".png", ".woff2") or "__pycache__" in file.parts:
            continue
        if not any(file.is_relative_to(folder) for folder in own):
            yield file


SHARED = ("pyproject.toml", "src/lapilli/**/*", "tests/*.py")
SHARED_TESTS = (
    "tests/architecture/*",
    "tests/bots/*",
    "tests/conformance/*",
    "tests/core/*.py",
    "tests/kernels/*.py",
    "tests/games/*.py",
    "tests/mutation/*.py",
)
"""Not the tests of matches, players, pages and commands: they play examples, as the README does."""


def test_no_list_of_games() -> None:
    """Nothing outside a game's folders names it, nor says how many there are; so there is nothing to be forgotten."""
    words = {word for game in OURS for word in (game.name, game.title, *game.aliases)}
    counted = r"(four|five|six|seven|eight)(\s\w+){0,3}\sgames"
    named = re.compile(rf"(?<![a-z])({'|'.join(map(re.escape, words))}|{counted})(?![a-z])", re.IGNORECASE)
    files = list(texts(*SHARED, *SHARED_TESTS))
    assert len(files) > 400, "the patterns find the sources"
    offenders = [
        f"{file.relative_to(ROOT)}: {found.group()}"
        for file in files
        for found in named.finditer(file.read_text(encoding="utf-8"))
    ]
    assert offenders == []


@pytest.mark.parametrize("game", [name for name in names() if load(name).twin])
def test_the_naive_twin_shares_no_rule_with_the_kernel(game: str) -> None:
    """What is held against each other must not lean on each other: geometry and tile lists at most are common."""
    for name in imports(home(load(game)) / "naive.py"):
        assert name == f"lapilli.games.{game}.board" or name.split(".")[0] in sys.stdlib_module_names, name


def test_kernels_are_called_where_their_sources_are_hashed() -> None:
    """A kernel's disk cache follows the imports of its file, so those must be written as `lapilli.…`."""
    for source in SOURCES:
        for node in nodes(source):
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{source}: relative import"


def kernels(source: Path) -> Iterator[ast.FunctionDef]:
    """The functions under `@kernel` in a file."""
    for node in nodes(source):
        if isinstance(node, ast.FunctionDef) and any(
            getattr(mark, "id", "") == "kernel" for mark in node.decorator_list
        ):
            yield node


def test_kernels_allocate_nothing() -> None:
    """Room is handed in: what allocates runs on no GPU, and slowly in a search."""
    makers = {
        "empty",
        "zeros",
        "ones",
        "full",
        "array",
        "arange",
        "copy",
        "concatenate",
        "append",
        "list",
        "dict",
        "set",
    }
    seen = 0
    for source in SOURCES:
        for function in kernels(source):
            seen += 1
            for node in ast.walk(function):
                if isinstance(node, ast.Call):
                    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                    assert name not in makers, f"{source}:{node.lineno} allocates in {function.name}"
                assert not isinstance(node, (ast.List, ast.ListComp, ast.Dict, ast.Set)), f"{source}:{function.name}"
    assert seen > 100


def test_kernels_come_from_their_own_files() -> None:
    """Never through a package's `__init__`, which would tie their cache to all that it imports."""
    for source in SOURCES:
        if any(kernels(source)):
            for node in nodes(source):
                module = getattr(node, "module", None) or ""
                if isinstance(node, ast.ImportFrom) and module.startswith("lapilli."):
                    place = PACKAGE.parent.joinpath(*module.split("."))
                    for name in node.names if place.is_dir() else ():
                        target = place / name.name
                        assert target.is_dir() or target.with_suffix(".py").is_file(), f"{source}: {module}.{name.name}"
