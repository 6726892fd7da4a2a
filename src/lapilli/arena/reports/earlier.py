"""The matches that were stored before a run of an event: their number, their time, and versions of contestants."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from lapilli.arena.matches.versions.fingerprint import short_hash
from lapilli.arena.progress.running import Run

_MOST_NAMED = 2
"""Largest number of contestants that `EarlierMatches.sentence` lists by name."""


@dataclass(frozen=True)
class EarlierMatches:
    """The earlier matches of a run: those that were stored before the run, by earlier runs or other processes.

    Attributes:
        matches: number of matches stored before the run.
        since: time when the event of these matches began, in seconds since 1970.
        players: name and short hash of each contestant. The hash changes with the contestant's files, code or settings.
    """

    matches: int
    since: float
    players: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, run: Run) -> EarlierMatches:
        """Returns the earlier matches of a run."""
        event = run.event
        players = tuple((contestant.name, short_hash(contestant.hash)) for contestant in event.contestants)
        return cls(run.resumed, event.created, players)

    @property
    def sentence(self) -> str:
        """A sentence that states how many earlier matches count, too, and names the option to begin without them.

        "" if there are no earlier matches.
        """
        if not self.matches:
            return ""
        if len(self.players) > _MOST_NAMED:
            who = f"of these {len(self.players)} players"
        else:
            who = "of " + " and ".join(f"{name} ({digits})" for name, digits in self.players)
        noun, verb = ("match", "counts") if self.matches == 1 else ("matches", "count")
        since = _clock_text(self.since)
        return f"{self.matches} earlier {noun} {who}, stored since {since}, {verb}, too; --fresh begins anew."

    def to_json(self) -> dict[str, Any]:
        """Returns the data that `--json` prints: `resumed`, `resumed_since` (ISO 8601, UTC) and `hashes`, by name."""
        since = datetime.fromtimestamp(self.since, UTC).isoformat(timespec="seconds") if self.matches else None
        return {"resumed": self.matches, "resumed_since": since, "hashes": dict(self.players)}


def _clock_text(seconds: float) -> str:
    """Formats a time of today as "09:19", and an earlier one as "2026-11-24 09:19", in local time."""
    then = time.localtime(seconds)
    is_today = time.strftime("%F", then) == time.strftime("%F")
    return time.strftime("%H:%M" if is_today else "%F %H:%M", then)
