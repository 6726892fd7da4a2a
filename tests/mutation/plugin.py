"""A plugin for pytest in a mutant's copy: which test runs, which one fails, and the likely killers first."""

from __future__ import annotations

import importlib.util
import os
import resource
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

PLACE = Path(os.environ["LAPILLI_MUTANT"])
"""The copy's folder."""
NOW, KILLER, ORDER, COMPILER = (PLACE / name for name in ("now", "killer", "order", "compiler"))
"""The test that runs; the test that failed; tests to begin with, one a line; there if the compiler refused."""
MOST_MEMORY = 8 << 30

_spec = importlib.util.find_spec("lapilli")
assert _spec is not None
assert _spec.origin is not None
assert Path(_spec.origin).is_relative_to(PLACE), f"{_spec.origin} is not the copy's"
resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
# The same examples every time, as in CI; a failure is enough, nobody reads the smallest one.
settings.register_profile(
    "mutants",
    phases=(Phase.explicit, Phase.generate),
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("mutants")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    wanted = ORDER.read_text(encoding="utf-8").splitlines()
    places = {name: place for place, name in enumerate(wanted)}
    items.sort(key=lambda item: places.get(item.nodeid, len(places)))


def pytest_runtest_logstart(nodeid: str) -> None:
    NOW.write_text(nodeid, encoding="utf-8")


def pytest_exception_interact(node: Any, call: pytest.CallInfo[Any]) -> None:
    if not KILLER.exists():
        KILLER.write_text(node.nodeid, encoding="utf-8")
    if call.excinfo is not None and call.excinfo.type.__module__.startswith("numba."):
        COMPILER.touch()
