"""A plugin for pytest in a mutant's copy: which test runs, which one fails, and the likely killers first."""

from __future__ import annotations

import importlib.util
import json
import os
import resource
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

from mutation import tracing

PLACE = Path(os.environ["LAPILLI_MUTANT"])
"""The copy's folder."""
NOW, KILLER, ORDER, COMPILER, KNOWN, TIMES = (
    PLACE / "mutant" / name for name in ("now", "killer", "order", "compiler", "known", "times")
)
"""The test that runs; the test that failed; tests to begin with, one a line; there if the compiler refused; tests that
are left out unless they are in the order. And of a traced run: how long each test took, negative if it failed, and
which test stands for each.
"""
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


def pytest_configure(config: pytest.Config) -> None:
    if "LAPILLI_TRACED" in os.environ:
        config.pluginmanager.register(Traced())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that nobody knows are new, and first: they may have been written for this mutant."""
    wanted = _lines(ORDER)
    places = {name: place for place, name in enumerate(wanted)}
    left_out = set(_lines(KNOWN)) - set(wanted)
    items[:] = [item for item in items if item.nodeid not in left_out]
    rank = -1 if KNOWN.exists() else len(places)
    items.sort(key=lambda item: places.get(item.nodeid, rank))


def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


def pytest_runtest_logstart(nodeid: str) -> None:
    NOW.write_text(nodeid, encoding="utf-8")


def pytest_exception_interact(node: Any, call: pytest.CallInfo[Any]) -> None:
    if not KILLER.exists():
        KILLER.write_text(node.nodeid, encoding="utf-8")
    if call.excinfo is not None and call.excinfo.type.__module__.startswith("numba."):
        COMPILER.touch()


class Traced:
    """Notes what each test calls, and how long it takes. Of the variants of a test only one for each game is run."""

    def __init__(self) -> None:
        self._alike: dict[str, str] = {}
        self._times: defaultdict[str, float] = defaultdict(float)
        self._failed: set[str] = set()
        self._watch: tracing.Watch | None = None

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        from lapilli.games import names

        first: dict[tuple[str, ...], str] = {}
        for item in items:
            test, _, variant = item.nodeid.partition("[")
            kind = (test, *(name for name in names() if name in variant))
            self._alike[item.nodeid] = first.setdefault(kind, item.nodeid)
        items[:] = [item for item in items if self._alike[item.nodeid] == item.nodeid]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        tracing.note_for(item.nodeid.partition("::")[0])
        if self._watch is None and "browser" in getattr(item, "fixturenames", ()):
            self._watch = tracing.Watch()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        tracing.note_for(item.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        if self._watch is not None and "browser" in getattr(item, "fixturenames", ()):
            self._watch.look()
        tracing.note_for(item.nodeid.partition("::")[0])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._times[report.nodeid] += report.duration
        if report.failed or report.skipped:
            self._failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        tracing.note_for("")
        times = {test: -1.0 if test in self._failed else time for test, time in self._times.items()}
        TIMES.write_text(json.dumps({"times": times, "alike": self._alike}), encoding="utf-8")
