"""Results of a project's tests: one for each build, one for each opponent of a test, and one for the whole run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from lapilli.arena.progress.running import StopReason
from lapilli.arena.reports.verdict import Verdict


class CaseStatus(StrEnum):
    """The status of a case: of a build, or of a test against one opponent."""

    PASSED = "passed"
    FAILED = "failed"
    """The bot had faults, scored too little, or is weaker than its last good version."""
    ERROR = "error"
    """The bot could not be built or started, or the matches could not be finished."""
    SKIPPED = "skipped"
    """No matches were needed, or they could not be played because the tested bot was not built."""


@dataclass(frozen=True, kw_only=True)
class CaseResult:
    """The result of one case: of a build, or of a test against one opponent.

    Attributes:
        group: name of the test, or "build".
        name: name of the built bot; for a test, the players, as in "mine against greedy".
        status: status of the case.
        sentence: the reason for the result, in one or two sentences.
        output: the last lines that the bot wrote to stderr before a fault, or the messages of a build.
        seconds: duration, in seconds.
        verdict: the results of the matches; None if no matches were played.
    """

    group: str
    name: str
    status: CaseStatus
    sentence: str
    output: str = ""
    seconds: float = 0.0
    verdict: Verdict | None = None

    @property
    def is_good(self) -> bool:
        """Whether the case (a build, or a test against one opponent) passed or was skipped."""
        return self.status in (CaseStatus.PASSED, CaseStatus.SKIPPED)

    @property
    def ending(self) -> StopReason | None:
        """Reason why the matches of the case (a test against one opponent) stopped; None if none were played."""
        return self.verdict.ending if self.verdict else None

    def to_json(self) -> dict[str, Any]:
        """Returns the result as data for JSON."""
        return {
            "test": self.group,
            "name": self.name,
            "status": self.status,
            "sentence": self.sentence,
            "output": self.output,
            "seconds": round(self.seconds, 3),
            "matches": self.verdict.to_json() if self.verdict else None,
        }


@dataclass(frozen=True, kw_only=True)
class ProjectResult:
    """The results of a run of a project's tests.

    Attributes:
        cases: results of the builds and of the tests, in the order in which they ran.
        kept: names of the bots that have a new last good version: the version that passed all tests of this run.
        began: time when the run began, in seconds since 1970.
        seconds: duration of the run, in seconds.
    """

    cases: Sequence[CaseResult]
    kept: Sequence[str]
    began: float
    seconds: float

    @property
    def has_passed(self) -> bool:
        """Whether all cases (builds, and tests against one opponent each) passed or were skipped."""
        return all(case.is_good for case in self.cases)

    @property
    def is_interrupted(self) -> bool:
        """Whether the user stopped the run."""
        return any(case.ending == StopReason.INTERRUPTED for case in self.cases)

    @property
    def is_too_busy(self) -> bool:
        """Whether some cases did not pass, and the only reason was that this machine was too busy for the matches."""
        bad = [case for case in self.cases if not case.is_good]
        return bool(bad) and all(case.ending == StopReason.TOO_BUSY for case in bad)

    @property
    def sentence(self) -> str:
        """The result of the run in one line: the number of cases that passed, or the cases that did not."""
        if self.is_interrupted:
            return "Stopped. Run the same command again to continue."
        bad = [case for case in self.cases if not case.is_good]
        played = sum(case.status != CaseStatus.SKIPPED for case in self.cases)
        if not bad:
            return f"All {played} passed." if played > 1 else "Passed."
        named = "; ".join(f"{case.name}: {case.sentence}" for case in bad[:3])
        more = f"; and {len(bad) - 3} more" if len(bad) > 3 else ""
        return f"{len(bad)} of {played} did not pass. {named}{more}"

    def to_json(self) -> dict[str, Any]:
        """Returns the data that `lapilli test --json` prints."""
        return {
            "passed": self.has_passed,
            "sentence": self.sentence,
            "cases": [case.to_json() for case in self.cases],
            "last_good": list(self.kept),
            "seconds": round(self.seconds, 1),
        }
