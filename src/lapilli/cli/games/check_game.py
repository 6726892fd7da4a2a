"""The command `lapilli check-game`, which checks a game of the user's own."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from lapilli.cli.checking.checks import FIRST, CheckProgress, CheckResult, run_checks
from lapilli.cli.options.commands import add_command, example_game
from lapilli.cli.shared.codes import FAILED
from lapilli.cli.shared.console import console, errors, line_of
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.core.installed import game_names
from lapilli.kernels.source_folders import ELSEWHERE, VARIABLE
from lapilli.workers.call_worker import CallWorker, WorkerDied

SILENCE_S = 120.0
"""Longest time between two reports of the checks, in seconds. Compiling one kernel takes less time."""
_MARKS = {True: ("✓", "green"), False: ("✗", "bold red"), None: ("–", "dim")}


def register(app: typer.Typer) -> None:
    """Adds the command `lapilli check-game` to the app."""
    add_command(
        app,
        "check-game",
        check_game,
        examples=(
            "lapilli check-game ~/games/mygame",
            f"lapilli check-game {example_game()}",
            "lapilli check-game ~/games/mygame --seed 17 --matches 1",
        ),
    )


def check_game(
    game: Annotated[str, typer.Argument(metavar="GAME_OR_FOLDER", help="The folder of a game, or the name of a game.")],
    seed: Annotated[int, typer.Option(metavar="SEED", help="Seed of the first match.", min=0, max=2**31)] = 1,
    matches: Annotated[
        int, typer.Option(metavar="N", help="Matches of each form of the game and each check.", min=1, max=10_000)
    ] = 4,
) -> None:
    """Checks a game of your own: plays random matches, and tests whether the game works with all parts of Lapilli.

    It tests the rules, copies and observations, the text for bots, records, pictures and opponents. Below each
    check that fails is a line that says what to do next. The last line is about the first failure: what is wrong, what
    to do next, and how to repeat the match in which it happened. In matches with
    even seeds, chance events are decided only when they happen; in the others, the seed decides them.

    Exit codes: 0 if the game passed all checks, 1 if not, 2 if there is no such game, 130 if you stopped it.
    """
    slug = find_game(game)
    results = _shown_results(slug, seed, matches)
    failure = next((result for result in results if result.passed is False), None)
    if failure is None:
        passed = sum(result.passed is True for result in results)
        console.print(Text(f"{slug} has passed {passed} checks.", style="bold"))
        return
    again = ""
    if failure.seed is not None:
        again = f" To repeat it: lapilli check-game {shlex.quote(game)} --seed {failure.seed} --matches 1"
    line = f"{failure.name}: {failure.text}. Next: {failure.advice}.{again}"
    console.print(Text(line_of(line), style="bold"), soft_wrap=True)
    raise typer.Exit(FAILED)


def find_game(game: str) -> str:
    """Returns the name of a game. For a game in a folder, sets an environment variable so that worker processes find
    it.

    Args:
        game: name of a game, or path of a game's folder.

    Raises:
        LapilliError: the folder does not contain a game, or its name cannot be used.
        UnknownName: there is no such folder, and no game has this name.
    """
    folder = Path(game).expanduser()
    folder = folder.parent if folder.name == "__init__.py" else folder
    if game in game_names():
        return game
    if not folder.is_dir():
        raise UnknownName("game or folder", game, game_names())
    folder = folder.resolve()
    if not (folder / "__init__.py").is_file():
        raise LapilliError(f"{folder} is no game: it has no file __init__.py ('lapilli new-game' writes one)")
    if folder.name in game_names() and folder.parent not in ELSEWHERE:
        raise LapilliError(f"there is another game {folder.name!r}: give the folder another name")
    if not (folder.name.isidentifier() and folder.name.islower()):
        raise LapilliError(f"{folder.name!r} cannot name a game: use lower-case letters, digits and _")
    os.environ[VARIABLE] = os.pathsep.join(map(str, [folder.parent, *ELSEWHERE]))
    return folder.name


def _shown_results(slug: str, seed: int, matches: int) -> list[CheckResult]:
    """Runs the checks in a worker process, prints a line for each check and each advice, and returns the results.

    Args:
        slug: the game's name.
        seed: seed of the first match.
        matches: number of matches of each form of the game (number of players, variant and league).
    """
    results: list[CheckResult] = []
    with errors.status("starting") as status:
        for report in reports_of(slug, seed, matches):
            if isinstance(report, CheckResult):
                results.append(report)
                sign, style = _MARKS[report.passed]
                text = Text.assemble((f"{sign} ", style), f"{report.name:18} ")
                text.append(line_of(report.text), style="dim" if report.passed is not False else "")
                console.print(text, soft_wrap=True)
                if report.advice:
                    console.print(Text(line_of(f"  Next: {report.advice}.")), soft_wrap=True)
            else:
                status.update(Text(line_of(": ".join(filter(None, [report.name, report.text])))))
    return results


def reports_of(
    slug: str, seed: int, matches: int, silence_s: float = SILENCE_S
) -> Iterator[CheckResult | CheckProgress]:
    """Runs the checks in a worker process, and yields its reports. If a kernel crashes, only the worker process dies.

    If the process dies, or sends no report for a long time, the last report is a failed check that says so.

    Args:
        slug: the game's name.
        seed: seed of the first match.
        matches: number of matches of each form.
        silence_s: longest time between two reports, in seconds.
    """
    worker, now = CallWorker(), CheckProgress(FIRST, "")
    try:
        call = worker.call(run_checks, slug, seed, matches)
        for report in call.reports(every_s=silence_s):
            if report is None:
                problem, advice = f"nothing has happened for {silence_s:g} s", "look for a loop that never ends"
                yield CheckResult(now.name, False, problem, advice, now.seed)
                return
            now = report if isinstance(report, CheckProgress) else now
            yield report
        call.result()
    except WorkerDied as died:
        advice = "set NUMBA_DISABLE_JIT=1: kernels are then plain Python, which names the line of a wrong index"
        yield CheckResult(now.name, False, str(died), advice, now.seed)
    finally:
        worker.end()
