"""The list of all checks, and a function that runs them in a worker process and reports each result at once."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from lapilli.cli.checking.rules import (
    check_copies,
    check_declaration,
    check_ends,
    check_legal_actions,
    check_observations,
    check_starts,
)
from lapilli.cli.checking.shown import (
    check_choices,
    check_notes,
    check_opponents,
    check_pictures,
    check_reasons,
    check_rules_page,
    check_starter,
)
from lapilli.cli.checking.subject import CheckFailed, CheckSkipped, Subject
from lapilli.cli.checking.texts import (
    check_actions,
    check_bots,
    check_positions,
    check_records,
    check_wrong_replies,
)
from lapilli.core.api import Game
from lapilli.core.errors import LapilliError, in_one_line
from lapilli.core.reading.text import shortened
from lapilli.games import load, place_of
from lapilli.kernels.kernel import compile_callback
from lapilli.workers.call_worker import send_report

CHECKS: dict[str, Callable[[Subject], str]] = {
    "declaration": check_declaration,
    "start": check_starts,
    "legal actions": check_legal_actions,
    "end and result": check_ends,
    "copies": check_copies,
    "observation": check_observations,
    "positions as text": check_positions,
    "actions as text": check_actions,
    "text for bots": check_bots,
    "wrong replies": check_wrong_replies,
    "records": check_records,
    "pictures": check_pictures,
    "choices": check_choices,
    "notes": check_notes,
    "reasons": check_reasons,
    "opponents": check_opponents,
    "rules page": check_rules_page,
    "starter bot": check_starter,
}
"""All checks, by the names that the command prints. A check may assume that the game passes all checks before it."""
FIRST = "declaration"
"""Name of the first check. If it fails, the other checks are not run."""
_CORRECT = "correct this line, or what leads to it"
_LONGEST = 240
"""Greatest length of an error message from a game's code, in characters. Messages of the compiler can be very long."""
_OF_NUMBA = re.compile(r"Failed in nopython mode pipeline \(step: [^)]*\)")
"""A part of numba's error messages that does not help the user."""


class CheckResult(NamedTuple):
    """The result of one check.

    Attributes:
        name: name of the check.
        passed: whether the game passed; None if the check was skipped, because the game lacks this optional part.
        text: what was tested, or what is wrong, in a few words.
        advice: what to do about it; "" if the game passed.
        seed: seed of the match in which the check failed; None if no match was played.
    """

    name: str
    passed: bool | None
    text: str
    advice: str = ""
    seed: int | None = None


class CheckProgress(NamedTuple):
    """A report of what the worker process does now.

    Attributes:
        name: name of the running check.
        text: what the check does now, in a few words.
        seed: seed of the current match; None before the first match.
    """

    name: str
    text: str
    seed: int | None = None


def results_of(
    game: Game, seed: int, matches: int, show: Callable[[CheckProgress], None] = lambda _: None
) -> Iterator[CheckResult]:
    """Runs the checks of a game one after the other, and yields their results.

    Args:
        game: the game.
        seed: seed of the first match.
        matches: number of matches of each form of the game.
        show: function that is called with a report whenever a check begins something new.
    """
    for name in CHECKS:
        result = _result_of(name, Subject(game, seed, matches), show)
        yield result
        if name == FIRST and not result.passed:
            return


def _result_of(name: str, subject: Subject, show: Callable[[CheckProgress], None]) -> CheckResult:
    def tell(text: str) -> None:
        show(CheckProgress(name, text, subject.seed_now))

    subject.show = tell
    tell("")
    try:
        with compile_callback(lambda kernel: tell(f"compiling {kernel.__name__}")):
            return CheckResult(name, True, CHECKS[name](subject))
    except CheckSkipped as skipped:
        return CheckResult(name, None, str(skipped))
    except CheckFailed as failed:
        problem, advice = failed.problem, failed.advice
    except Exception as error:  # whatever the game's code raises
        problem, advice = explained(error, subject.game.name)
    return CheckResult(
        name, False, f"{subject.place}: {problem}" if subject.place else problem, advice, subject.seed_now
    )


def explained(error: Exception, slug: str) -> tuple[str, str]:
    """Describes an exception that a game's code has raised. `slug`: name of the game's folder.

    Returns two texts. The first is the message in one line; if the place in the game's code is known, it begins with
    the file and line. The second is advice on what to do.
    """
    place = place_of(error, slug)
    if not place and (found := re.search(rf'File "([^"]*/{slug}/[^"]*)", line (\d+)', str(error))):
        place = f"{os.path.abspath(found[1])}:{found[2]}: "  # numba names the place in its message
    text = " ".join(_OF_NUMBA.sub("", in_one_line(error)).split())
    advice = _CORRECT if place else "set NUMBA_DISABLE_JIT=1: kernels are then plain Python, which names the line"
    return f"{place}{shortened(text, _LONGEST)}", advice


def run_checks(slug: str, seed: int, matches: int) -> None:
    """Runs the checks of the game in the folder `slug`, in a worker process.

    `seed`: seed of the first match. `matches`: number of matches of each form of the game (number of players, variant
    and league).

    Sends reports to the parent process: a `CheckResult` for each check, and before it a `CheckProgress` for each step
    of the check. If the game cannot be loaded, the only result is a failure that says so.
    """
    send_report(CheckProgress(FIRST, "loading"))
    try:
        game = load(slug)
    except LapilliError as refusal:
        send_report(CheckResult(FIRST, False, str(refusal), _CORRECT))
        return
    for result in results_of(game, seed, matches, send_report):
        send_report(result)
