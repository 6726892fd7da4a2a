"""Which tests call a mutant's function, by a run of a floor's tests without any mutant."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from mutation.sites import Mutant
from mutation.tracing import SCRIPTS

MOST_SECONDS = 150.0
"""A mutant meets the likeliest tests that take so long together."""


class Callers:
    """What a floor's tests call, and how long each takes.

    The map stays useful when sources and tests change, as it names functions and not lines. A test that it does not
    know is always run.
    """

    def __init__(self, times: dict[str, float], called: dict[str, list[str]], pause: float) -> None:
        """
        Args:
            times: how long each test takes, in seconds; negative for one that fails without a mutant, or is skipped.
            called: the tests, and files of tests, that call a function, by `file::function`.
            pause: the longest time between two tests.
        """
        self.times = times
        self.pause = pause
        self._called = called
        self._breadth: defaultdict[str, int] = defaultdict(int)
        for callers in called.values():
            for caller in callers:
                self._breadth[caller] += 1

    def __str__(self) -> str:
        failing = sum(seconds < 0 for seconds in self.times.values())
        return f"{len(self.times)} tests call {len(self._called)} functions ({failing} tests skipped or failing)"

    @classmethod
    def from_run(cls, times: str, notes: str, pause: float) -> Callers:
        """
        Args:
            times, notes: what the plugin and the tracing wrote.
        """
        measured = json.loads(times)
        took, variants = {}, defaultdict(list)
        for test, alike in measured["alike"].items():
            if alike in measured["times"]:
                took[test] = measured["times"][alike]
                variants[alike].append(test)
        called: defaultdict[str, set[str]] = defaultdict(set)
        for line in notes.splitlines():
            caller, file, function = line.split("\t")
            called[f"{file}::{function}"].update(variants.get(caller, [caller]))
        return cls(took, {function: sorted(callers) for function, callers in called.items()}, pause)

    @classmethod
    def read(cls, file: Path) -> Callers:
        kept: dict[str, Any] = json.loads(file.read_bytes())
        return cls(kept["times"], kept["called"], kept["pause"])

    def write(self, file: Path) -> None:
        kept = {"times": self.times, "called": self._called, "pause": self.pause}
        file.write_text(json.dumps(kept), encoding="utf-8")

    def tests_for(self, mutant: Mutant) -> list[str]:
        """The tests to run, in this order: those of a file together, as they share what takes long to start. First
        those that call the function and take little time for little else; then those whose files do."""
        callers = set(self._called.get(_key(mutant, mutant.function), ())) if mutant.function else set()
        if not callers:  # it is called by machine code, or on import
            start = _key(mutant, "")
            callers = {test for key, tests in self._called.items() if key.startswith(start) for test in tests}
        files = {caller.partition("::")[0] for caller in callers}
        ranks = {
            test: (test not in callers, (seconds + 0.05) * (1 + self._breadth[test]))
            for test, seconds in self.times.items()
            if seconds >= 0 and (not callers or test.partition("::")[0] in files)
        }
        first = {test.partition("::")[0]: rank for test, rank in sorted(ranks.items(), key=lambda one: one[1])[::-1]}
        chosen, left = [], MOST_SECONDS
        for test in sorted(ranks, key=lambda test: (first[test.partition("::")[0]], ranks[test])):
            if self.times[test] <= left:
                left -= self.times[test]
                chosen.append(test)
        return chosen


def _key(mutant: Mutant, function: str) -> str:
    return f"{SCRIPTS if mutant.file.suffix == '.js' else mutant.file.as_posix()}::{function}"
