"""A function is another contestant once it plays by other code or other data."""

from __future__ import annotations

import functools
import importlib
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lapilli.arena.matches.versions import function_hash as reading
from lapilli.arena.matches.versions.function_hash import function_hash
from lapilli.core.errors import LapilliError

SOURCE = """
import functools, json, re
import numpy as np
import {helper}
DEPTH = 3
WEIGHTS = np.array([1.0, 2.0])
NAMES = {{"a": [1, 2], "b": {{3, 4}}}}

def value(state):
    return {helper}.value(state) + DEPTH

class Bot:
    bonus = 1

    def __init__(self, depth):
        self.depth = depth

    def choose(self, state):
        return self.depth + self.bonus

    @property
    def more(self):
        return 1

def play(state, *, width=2):
    \"\"\"Plays.\"\"\"
    if re.match("x", str(state)):
        return max(state, key=lambda one: value(one) * WEIGHTS[0] + width)
    return NAMES["a"]

@functools.cache
def cached(state):
    return value(state)

def closed(depth):
    def inner(state):
        return depth + value(state)
    return inner
"""
HELPER = "def value(state):\n    return 1\n"
CHANGES = {
    "code": ("return NAMES", "return -1 or NAMES"),
    "a constant": ("max(state", "min(state"),
    "the function inside": ("* WEIGHTS[0] + width", "* WEIGHTS[1] + width"),
    "a default": ("width=2", "width=3"),
    "a number of the module": ("DEPTH = 3", "DEPTH = 4"),
    "an array of the module": ("2.0])", "2.5])"),
    "data of the module": ("{{3, 4}}", "{{3, 5}}"),
    "a function of the module": ("+ DEPTH", "- DEPTH"),
}
_number = iter(range(1000))


def made(folder: Path, source: str = SOURCE, helper: str = HELPER) -> Any:
    """A new module of its own, imported as another process would import it."""
    number = next(_number)
    (folder / f"helper_{number}.py").write_text(helper)
    (folder / f"mine_{number}.py").write_text(source.format(helper=f"helper_{number}"))
    importlib.invalidate_caches()
    module = importlib.import_module(f"mine_{number}")
    vars(module)["helper"] = sys.modules[f"helper_{number}"]
    return module


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_what_it_uses(change: str, folder: Path) -> None:
    module = made(folder)
    before, after = CHANGES[change]
    assert before in SOURCE
    source = SOURCE.replace(before, after)
    exec(
        compile(source.format(helper=module.helper.__name__), "mine", "exec", dont_inherit=True),
        other := {"__name__": module.__name__},
    )
    exec(
        compile(SOURCE.format(helper=module.helper.__name__), "mine", "exec", dont_inherit=True),
        same := {"__name__": module.__name__},
    )
    assert function_hash(same["play"]) == function_hash(module.play)
    assert function_hash(other["play"]) != function_hash(module.play)


def test_a_module_that_it_uses(folder: Path) -> None:
    module = made(folder)
    before = function_hash(module.play)
    Path(module.helper.__file__).write_text("def value(state):\n    return 2\n")
    assert function_hash(module.play) != before


def test_a_redefined_function() -> None:
    def first() -> Callable[[Any], int]:
        def play(state: Any) -> int:
            return 0

        return play

    def second() -> Callable[[Any], int]:
        def play(state: Any) -> int:
            return 1

        return play

    assert function_hash(first()) == function_hash(first())
    assert function_hash(first()) != function_hash(second())


def test_values_of_a_closure_and_of_an_object(folder: Path) -> None:
    module = made(folder)
    assert function_hash(module.closed(1)) == function_hash(module.closed(1))
    assert function_hash(module.closed(1)) != function_hash(module.closed(2))
    assert function_hash(module.Bot(1).choose) == function_hash(module.Bot(1).choose)
    assert function_hash(module.Bot(1).choose) != function_hash(module.Bot(2).choose)
    before = function_hash(module.Bot(1).choose)
    module.Bot.bonus = 2
    assert function_hash(module.Bot(1).choose) != before
    assert function_hash(functools.partial(module.play, width=4)) != function_hash(
        functools.partial(module.play, width=5)
    )
    before = function_hash(module.cached)
    module.DEPTH = 5
    assert function_hash(module.cached) != before
    table = np.zeros(1000)
    before = function_hash(module.closed(table))
    table[500] = 1e-9
    assert function_hash(module.closed(table)) != before


def test_playing_changes_nothing(folder: Path) -> None:
    module = made(folder)
    draws = random.Random(1)
    before = function_hash(module.closed(draws)), function_hash(module.cached)
    draws.random()
    module.cached(3)
    assert (function_hash(module.closed(draws)), function_hash(module.cached)) == before


def test_data_without_end_or_bottom() -> None:
    endless: list[Any] = [1]
    endless.append(endless)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    lock = sys.stdout

    def play(state: Any) -> Any:
        return endless, deep, lock

    assert function_hash(play) == function_hash(play)


def test_what_is_too_large_is_refused_and_not_read_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_MAX_VALUES", 1000)
    table = [[number] for number in range(2000)]

    def play(state: Any) -> Any:
        return table

    with pytest.raises(LapilliError, match="more than 1,000 objects"):
        function_hash(play)
