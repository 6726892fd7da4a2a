"""The command line interface: parses arguments, calls the library, prints results."""

from __future__ import annotations

import gc
import sys
from contextlib import suppress
from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from lapilli.cli.options.panels import ORDER
from lapilli.cli.options.setup import example_game
from lapilli.cli.shared.codes import ABANDONED
from lapilli.cli.shared.signals import INTERRUPTED, stop_on_signals
from lapilli.cli.shared.streams import mute
from lapilli.core.errors import LapilliError
from lapilli.kernels.cache import cache_base
from lapilli.players.processes.interpreters import is_interpreter
from lapilli.players.processes.trouble import in_one_line, is_exhaustion

_QUICK = ("bot",)
"""Modules of commands whose start-up time counts against a clock. They are loaded without the other modules."""
_USUAL = (
    "games",
    "match",
    "arena.compare",
    "arena.tournament",
    "records.view",
    "records.analyse",
    "referee",
    "records.importing",
    "compiling",
    "train",
)
_SERVING = ("web.site", "web.connect")
_STORING = ("arena.events", "arena.league", "arena.puzzles")
"""Modules of commands that need the arena's store.

They are loaded last, since the database library takes a third of a second to load, and other commands need not wait.
"""


class _Commands(TyperGroup):
    """The group of all commands: listed in the order of their help panels, and imported when needed."""

    def list_commands(self, ctx: Any) -> list[str]:
        for files in (_USUAL, _QUICK, _SERVING, _STORING):
            self._load(files)
        return sorted(super().list_commands(ctx), key=self._place)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        for files in (_QUICK, _SERVING, _USUAL, _STORING):
            if cmd_name in self.commands:
                break
            self._load(files)
        return super().get_command(ctx, cmd_name)

    def _load(self, files: tuple[str, ...]) -> None:
        loaded = typer.Typer(rich_markup_mode="rich", pretty_exceptions_enable=False)
        for name in files:
            import_module(f"lapilli.cli.{name}").register(loaded)
        self.commands.update(typer.main.get_group(loaded).commands)

    def _place(self, name: str) -> int:
        panel = getattr(self.commands[name], "rich_help_panel", None)
        return ORDER.index(panel) if panel in ORDER else len(ORDER)


app = typer.Typer(
    name="lapilli",
    cls=_Commands,
    help="Play, write bots for and train on tactical board games.",
    epilog=f"A first match: lapilli match {example_game()} random random",
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)

_UsageError: Any = typer.BadParameter.__bases__[0]
"""The exception that a wrong command line raises; typer has no public name for it."""


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """Play, write bots for and train on tactical board games."""
    gc.enable()  # imports are done; lapilli.__main__ switched it off
    if show_version:
        print(f"lapilli {version('lapilli')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


def main() -> None:
    """Runs the `lapilli` command. An error that the user can fix is one line on stderr and exit code 2."""
    for stream in (sys.stdout, sys.stderr):  # terminals without UTF-8 get question marks
        with suppress(AttributeError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        stop_on_signals()
        code = _run()
    except KeyboardInterrupt:  # typer handles those that come while a command runs, not those before and after
        code = INTERRUPTED
    sys.exit(code)


def _run() -> int:
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except LapilliError as problem:
        _error(str(problem))
        return 2
    except _UsageError as problem:
        command = problem.ctx.command_path if problem.ctx else "lapilli"
        is_bots = hasattr(problem, "option_name") and any(map(is_interpreter, sys.argv[1:]))
        hint = "does it belong to a bot? Its command must be quoted; " if is_bots else ""
        _error(f"{problem.format_message()} ({hint}{command} --help tells more)")
        return 2
    except typer.Abort:  # raised by typer for an EOFError, which only a damaged kernel file causes here
        _error(f"a file of compiled kernels is damaged: remove the folder {cache_base()}")
        return 2
    except OSError as problem:
        if is_exhaustion(problem):
            _error(f"the machine has nothing left to go on with: {in_one_line(problem)}")
            return ABANDONED
        mute()
        if not isinstance(problem, BrokenPipeError):  # a broken pipe is no error: the reader has seen enough
            _error(f"cannot write the output: {problem.strerror}")
        return 1
    return code if isinstance(code, int) else 0


def _error(message: str) -> None:
    """Prints one line on stderr. The module for coloured output is imported here, because it is slow to load."""
    try:
        from lapilli.cli.shared.console import error
    except OSError:  # without a free file descriptor it cannot be imported
        print(f"lapilli: {message}", file=sys.stderr)
    else:
        error(message)
