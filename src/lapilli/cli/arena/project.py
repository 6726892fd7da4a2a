"""The command `lapilli test`, which builds and tests the bots of a project."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from lapilli.arena.progress.comparison import Comparison
from lapilli.arena.progress.running import StopReason
from lapilli.arena.project.gauntlet import Gauntlet, gauntlet_of
from lapilli.arena.project.junit import junit_xml
from lapilli.arena.project.project_file import PROJECT_FILE, read_project
from lapilli.arena.project.results import CaseResult, CaseStatus, ProjectResult
from lapilli.arena.project.running import ProjectRun, RunHooks
from lapilli.arena.project.template import write_project
from lapilli.arena.project.versions import own_folder
from lapilli.arena.project.watching import FilesSaved, FileWatch
from lapilli.arena.reports.verdict import Verdict
from lapilli.cli.arena.progress import Display, show_earlier
from lapilli.cli.compiling import compile_aside
from lapilli.cli.options.commands import add_command, example_game
from lapilli.cli.options.output import JsonOption, file_option, path_of
from lapilli.cli.options.store import StoreOption, open_store
from lapilli.cli.options.workers import JobsOption
from lapilli.cli.shared import codes
from lapilli.cli.shared.console import console, error, errors, print_json, visible
from lapilli.cli.shared.stores import command
from lapilli.cli.shared.streams import unless_closed
from lapilli.core.api import Game
from lapilli.core.errors import LapilliError, StoreError
from lapilli.games import load
from lapilli.match.files.writing import check_writable, write_atomically
from lapilli.players.engines.precompile import uses_search
from lapilli.store.results import Contestant

if TYPE_CHECKING:
    from lapilli.store import Store

_MOST_OUTPUT = 20
"""Maximum number of lines of a bot's or compiler's output that are printed."""
_STYLES = {
    CaseStatus.PASSED: "green",
    CaseStatus.FAILED: "bold red",
    CaseStatus.ERROR: "bold red",
    CaseStatus.SKIPPED: "dim",
}


def register(app: typer.Typer) -> None:
    """Adds the command `lapilli test` to the app."""
    game = example_game()
    examples = (
        f"lapilli test --init {game}",
        "lapilli test",
        "lapilli test --junit results.xml",
        "lapilli test --watch",
    )
    add_command(app, "test", run_tests, examples=examples)


@dataclass(frozen=True, kw_only=True)
class ProjectOptions:
    """Options of `lapilli test`, which runs the tests in a file `lapilli.toml`."""

    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only", metavar="NAME", help="Run only the tests with this name, or of this bot; can be repeated."
        ),
    ] = None
    junit: Annotated[Path | None, file_option("--junit", "Write the results to this file as JUnit XML.")] = None
    jobs: JobsOption = None
    store: StoreOption = None
    resume: Annotated[
        bool,
        typer.Option("--resume/--fresh", help="Count earlier matches of the same bots, or play all matches anew."),
    ] = True
    as_json: JsonOption = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the result only, as one line.")] = False


def run_tests(
    file: Annotated[
        Path, typer.Argument(parser=path_of, metavar="FILE", help="Project file, or the folder with lapilli.toml.")
    ] = Path(PROJECT_FILE),
    *,
    init: Annotated[
        str | None,
        typer.Option(
            "--init", metavar="GAME", help="Write lapilli.toml for the bot in this folder and GAME, and test nothing."
        ),
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Run the tests again on every save, until Ctrl-C.")] = False,
    options: ProjectOptions,
) -> None:
    """Builds and tests the bots of a project: plays the matches that lapilli.toml lists.

    A bot fails if it has a fault, if its score is surely below the one that the file demands, or if it is weaker than
    its last good version. That is the last version that passed all tests.

    Exit codes: 0 if all tests passed, 1 if one did not, 2 if the file is wrong, 3 if this machine was too busy, 130 if
    you stopped it.
    """
    if init is not None:
        written = write_project(load(init), Path())
        console.print(f"Wrote {written}. Test the bot:  lapilli test")
        return
    if options.junit is not None:
        check_writable(options.junit)
    if watch:
        _watch(file, options)
        return
    gauntlet = gauntlet_of(read_project(file), options.only or ())
    own_folder(gauntlet.project.folder)  # the store may lie in it
    with open_store(options.store) as store:
        result = _run(gauntlet, store, options)
    raise typer.Exit(_exit_code(result))


class _CaseDisplay:
    """Shows the progress of each test on stderr, and then its result as one line on stdout.

    Use an instance as a context manager.

    Args:
        options: the options of the command.
    """

    def __init__(self, options: ProjectOptions) -> None:
        self._quiet = options.quiet
        self._shows_cases = not (options.quiet or options.as_json)
        self._display: Display[Comparison] | None = None

    def __enter__(self) -> _CaseDisplay:
        return self

    def __exit__(self, *_: object) -> None:
        if self._display is not None:
            self._display.__exit__()
            self._display = None

    def show(self, run: Comparison) -> None:
        """Updates the display of the test that is running, from the comparison that this test plays."""
        if self._display is None:
            self._display = Display[Comparison](_line_text, _line, quiet=self._quiet).__enter__()
        self._display.show(run)

    def finish(self, case: CaseResult) -> None:
        """Ends the display of a test's progress, and prints the result of the test. `case`: the result."""
        self.__exit__()
        if self._shows_cases and case.ending != StopReason.INTERRUPTED:
            _show_case(case)


def _call(build: Callable[[], None]) -> None:
    build()


def _exit_code(result: ProjectResult) -> int:
    if result.is_interrupted:
        return codes.INTERRUPTED
    if result.has_passed:
        return 0
    return codes.ABANDONED if result.is_too_busy else codes.FAILED


def _run(gauntlet: Gauntlet, store: Store, options: ProjectOptions, watch: FileWatch | None = None) -> ProjectResult:
    """Runs the tests of a project. Prints the results, writes them to the file of --junit, and returns them.

    Args:
        gauntlet: the tests and bots of the project.
        store: the store for the matches.
        options: options of the command.
        watch: object that watches the project's files, and raises FilesSaved when a file is saved; None without
            --watch.
    """
    with _CaseDisplay(options) as display:

        def show(now: Comparison) -> None:
            display.show(now)
            if watch is not None:
                watch.check()

        hooks = RunHooks(
            show=show,
            finished=display.finish,
            prepare=_compile,
            view=lambda match: command(f"view {match}", options.store),
            around_build=_call if watch is None else watch.during,
        )
        run = ProjectRun(gauntlet=gauntlet, store=store, jobs=options.jobs, resume=options.resume, hooks=hooks)
        result = run.run()
    if options.junit is not None:
        write_atomically(options.junit, junit_xml(result))
    if options.as_json:
        unless_closed(lambda: print_json(result.to_json()))
    else:
        unless_closed(lambda: _show(result, options.quiet))
    return result


def _compile(game: Game, contestants: Sequence[Contestant]) -> None:
    compile_aside(game, uses_search(game, (contestant.player for contestant in contestants)))


def _watch(file: Path, options: ProjectOptions) -> None:
    """Runs the tests of a project, and runs them again each time a file is saved, until Ctrl-C."""
    path = file / PROJECT_FILE if file.is_dir() else file
    watch = FileWatch(path)
    if path.exists():
        own_folder(path.resolve().parent)
    with open_store(options.store) as store:
        while True:
            watch.remember()
            try:
                gauntlet = gauntlet_of(read_project(path), options.only or ())
                watch.folders = gauntlet.folders
                watch.remember()
                if _run(gauntlet, store, options, watch).is_interrupted:
                    raise typer.Exit(codes.INTERRUPTED)
            except FilesSaved:
                _tell(options, "A file was saved: testing again.")
                continue
            except StoreError:
                raise
            except LapilliError as problem:
                error(str(problem))
            _tell(options, f"Watching {watch.number} files; Ctrl-C ends.")
            saved = watch.wait()
            more = f" and {len(saved) - 1} more" if len(saved) > 1 else ""
            _tell(options, f"{Path(saved[0]).name}{more} saved: testing again.")


def _tell(options: ProjectOptions, line: str) -> None:
    if not options.quiet:
        errors.print(Text(visible(line), style="dim"))


def _line(run: Comparison) -> str:
    verdict = Verdict.of(run)
    return f"{run.event.name}: {verdict.matches} matches, {100 * verdict.elo.score:.1f} %"


def _line_text(run: Comparison) -> Text:
    return Text(visible(_line(run)))


def _show_case(case: CaseResult) -> None:
    """Prints the result of a test on stdout, and the last lines of the bot's or compiler's output on stderr."""
    status = Text(f"{case.status:8}", style=_STYLES[case.status])
    unless_closed(lambda: console.print(Text.assemble(status, visible(f"{case.group}: {case.name}: {case.sentence}"))))
    if case.verdict is not None:
        show_earlier(case.verdict.earlier.sentence)
    for line in case.output.rstrip().splitlines()[-_MOST_OUTPUT:]:
        errors.print(Text(f"         {visible(line)}", style="dim"))


def _show(result: ProjectResult, quiet: bool) -> None:
    if result.kept and not quiet:
        console.print(Text(visible(f"Last good version now: {', '.join(result.kept)}"), style="dim"))
    console.print(Text(visible(result.sentence), style="bold"))
