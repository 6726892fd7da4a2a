"""The names of Numba that the fast compiler uses are as they were in the versions that it was tested with."""

from __future__ import annotations

import ast
from importlib.metadata import version
from pathlib import Path

import pytest

from kernels.numba_names import NONE, NumbaName, rows
from lapilli import kernels
from lapilli.kernels.compiler_choice import TESTED_VERSIONS

FILES = [Path(kernels.__file__).with_name(name) for name in ("compiler.py", "cache_parts.py")]
"""The files of the fast compiler."""
PUBLIC = {"numba:types", "numba.core:typing", "numba.core:serialize", "llvmlite:binding", "llvmlite.binding:Linkage"}
"""Modules and documented names that are imported as a whole."""


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.name)
def test_a_name_is_as_it_was(row: NumbaName) -> None:
    assert row.signature != NONE
    if version("numba") in row.seen_in:
        assert row.now() == row.signature


def test_the_tested_versions_are_those_in_which_every_name_was_seen() -> None:
    seen = set.intersection(*(set(row.seen_in) for row in rows()))
    assert seen == set(TESTED_VERSIONS)


def test_the_list_has_every_name_that_is_imported() -> None:
    listed = {f"{module}:{path.split('.')[0]}" for module, _, path in (row.name.partition(":") for row in rows())}
    imported = {
        f"{node.module}:{alias.name}"
        for tree in map(parsed, FILES)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in ("numba", "llvmlite")
        for alias in node.names
    }
    assert imported - PUBLIC <= listed


def test_the_list_has_every_private_attribute_that_is_used() -> None:
    listed = {row.name.rpartition(".")[2] for row in rows()}
    trees = [parsed(file) for file in FILES]
    own = {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    own |= {"_parallel", "_replace"}  # of `Kernel`, and of every named tuple
    used = {node.attr for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert {name for name in used if name.startswith("_") and not name.startswith("__")} - own <= listed


def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))
