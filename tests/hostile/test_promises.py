"""The pages of promises name a test for each promise, and each test that they name exists."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from hostile.sandbox.attacks import ALLOWED, ATTACKS

TESTS = Path(__file__).resolve().parents[1]
PAGE = "\n".join((TESTS.parent / "docs" / name).read_text() for name in ("security.md", "security-site.md"))
NAMED = sorted(set(re.findall(r"`([\w/]+\.py)(?:::(\w+))?`", PAGE)))
ATTACKS_TABLE = PAGE.split("| A bot cannot |")[1].split("\n\n")[0]


@cache
def functions_of(file: Path) -> set[str]:
    """The names of the functions of a file, those of classes included."""
    return {node.name for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_what_it_names_exists(file: str, test: str) -> None:
    source = next(
        (place / file for place in (TESTS, TESTS.parent / "src" / "lapilli") if (place / file).is_file()), None
    )
    assert source, f"there is no {file}"
    assert not test or test in functions_of(source), f"{file} has no {test}"


def test_every_row_of_promises_names_a_test_or_an_attack() -> None:
    tables = re.findall(r"(?:^\|.*\n)+", PAGE, re.MULTILINE)
    promises = [table for table in tables if "The test |" in table.splitlines()[0]]
    assert len(promises) == 2
    for row in (row for table in promises for row in table.splitlines()[2:]):
        assert re.search(r"`[\w/]+test_\w+\.py", row), f"no test is named: {row}"


def test_every_attack_is_on_the_page() -> None:
    named = re.findall(r"`([^`]+)`", "\n".join(row.split("|")[2] for row in ATTACKS_TABLE.splitlines()[2:]))
    assert sorted(named) == sorted(ATTACKS)
    for name in ALLOWED:
        assert f"`{name}`" in PAGE
