"""What fuzzers have in common: how long, from where, and how a site stays as it was."""

from __future__ import annotations

import os

from web.pressing import MIB, Watched

SECONDS = float(os.environ.get("LAPILLI_FUZZ_SECONDS", "45"))
"""For all three together. A night can give them more."""
SEED = int(os.environ.get("LAPILLI_FUZZ_SEED", "27"))
"""The same for everybody, so that a change is not blamed for what it did not do. Others find more."""
_GROWTH = 64 * MIB
"""Tables that are played stay in memory, 2,000 at most; so do the caches of pages and positions."""
_DESCRIPTORS = 16
_WARM = 3
"""Looks until all is loaded that is loaded once."""


class Steady:
    """Watches whether a process goes on taking more."""

    def __init__(self, pid: int) -> None:
        self._process = Watched(pid)
        self._resident: list[int] = []
        self._descriptors = self._process.descriptors

    def look(self) -> None:
        """Notes what it takes now."""
        self._resident.append(self._process.resident)

    def check(self, told: str) -> None:
        """That memory and descriptors are about what they were."""
        self.look()
        grown = self._resident[-1] - max(self._resident[: _WARM + 1])
        assert grown < _GROWTH, f"{told}: {grown / MIB:.0f} MiB more, {[one // MIB for one in self._resident]}"
        most = self._descriptors + _DESCRIPTORS
        assert self._process.settled(most) <= most, told
