"""Statistics are pure: they import nothing that reads, writes or waits, and openskill in one file only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from lapilli.arena import statistics

FILES = sorted(Path(next(iter(statistics.__path__))).glob("*.py"))
ALLOWED = ("__future__", "collections", "dataclasses", "enum", "math", "numpy", "statistics", "lapilli")


def imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_imports(file: Path) -> None:
    for name in imported(file):
        assert name.split(".")[0] in (*ALLOWED, *(["openskill"] if file.name == "skills.py" else [])), name
        if name.startswith("lapilli."):
            assert name.startswith("lapilli.arena.statistics.") or name == "lapilli.core.errors", name


def test_what_is_offered_is_there() -> None:
    assert len(FILES) > 8
    assert all(hasattr(statistics, name) for name in statistics.__all__)
