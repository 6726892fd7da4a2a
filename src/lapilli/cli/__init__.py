"""The command line interface: parses arguments, calls the library, prints results."""

from __future__ import annotations

import gc
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from lapilli.cli.options.commands import example_game, examples_text, new_app
from lapilli.cli.options.summaries import help_text
from lapilli.cli.shared.codes import ABANDONED, INTERRUPTED, REFUSED, UNWRITABLE
from lapilli.cli.shared.signals import stop_on_signals
from lapilli.cli.shared.streams import mute
from lapilli.core.errors import LapilliError, UnknownName, in_one_line, is_exhaustion
from lapilli.kernels.source_folders import ELSEWHERE, VARIABLE

COMMANDS = {
    "Play": {
        "games": "games.games",
        "rules": "games.games",
        "match": "match",
        "site": "web.site",
        "puzzles": "arena.puzzles",
    },
    "Look at matches": {"view": "records.view", "show": "records.view", "analyse": "records.analyse"},
    "Compare and compete": {
        "compare": "arena.compare",
        "evaluate": "learning.evaluate",
        "tune": "arena.tune",
        "tournament": "arena.tournament",
        "arena": "arena.events",
        "league": "arena.league",
    },
    "Write a bot": {
        "new": "games.games",
        "example": "games.example",
        "test": "arena.project",
        "inputs": "records.verify",
        "bot": "bot",
        "connect": "web.connect",
    },
    "Tools": {
        "bench": "games.games",
        "verify": "records.verify",
        "new-game": "games.new_game",
        "check-game": "games.check_game",
        "referee": "referee",
        "import": "records.importing",
        "compile": "compiling",
        "train": "learning.train",
        "dataset": "learning.dataset",
        "first-turns": "learning.first_turns",
    },
}
"""All commands. For each panel of `lapilli --help`, the names of its commands, each with its module in `lapilli.cli`.

A command's module is imported when the command is used, because libraries such as the database's take long to load.
"""


class _Commands(TyperGroup):
    """The group of all commands, in the order of `COMMANDS`. A command's module is imported when it is first used."""

    _is_listing = False
    """Whether the help text is being made, which needs only the commands' names and help texts."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self._is_listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._is_listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for commands in COMMANDS.values() for name in commands]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if self._is_listing:
            return self._listed(cmd_name)
        known = self.list_commands(ctx)
        for name in [cmd_name] if cmd_name in known else known:  # an unknown name loads all: Typer suggests one
            if name not in self.commands:
                self._load(name)
        return super().get_command(ctx, cmd_name)

    def _listed(self, name: str) -> Any:
        """Returns a copy of the command `name` to list in the help text of `lapilli`, without importing the module.

        The copy cannot run. It has only the command's name and help text, and the heading under which the command is
        listed (its panel).
        """
        panel, module = _place_of(name)
        file = Path(__file__).parent.joinpath(*module.split(".")).with_suffix(".py")
        return TyperCommand(name, help=help_text(file, name), rich_help_panel=panel)

    def _load(self, name: str) -> None:
        """Imports the module of the command `name`, and adds the command to `self.commands`."""
        panel, module = _place_of(name)
        app = new_app()
        import_module(f"lapilli.cli.{module}").register(app)
        command: Any = typer.main.get_group(app).commands[name]
        command.rich_help_panel = panel
        self.commands[name] = command


def _place_of(name: str) -> tuple[str, str]:
    """Returns the heading under which the help text lists the command `name` (its panel), and the command's module."""
    [place] = [(panel, commands[name]) for panel, commands in COMMANDS.items() if name in commands]
    return place


_GAME = example_game()
app = typer.Typer(
    name="lapilli",
    cls=_Commands,
    epilog=examples_text((f"lapilli match {_GAME} greedy random", f"lapilli new {_GAME} mybot", "lapilli site")),
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)

_UsageError: Any = typer.BadParameter.__bases__[0]
"""The exception class that Typer raises for a wrong command line. Typer has no public name for it."""


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Play tactical board games, write bots for them, and let the bots compete.

    Exit codes:
    0 - all went well
    1 - compare: not better; test, check-game: a test failed; verify: a record contradicts the rules
    2 - the command line, a file or a setup is wrong
    3 - this machine was too busy or had an error
    4 - compare: undecided; match --strict: a player had a fault
    74 - the output cannot be written
    130 - you stopped the command
    """
    gc.enable()  # lapilli.__main__ disabled it during the imports
    if show_version:
        from importlib.metadata import version  # slow

        print(f"lapilli {version('lapilli')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


def preload(name: str, words: list[str]) -> None:
    """Imports a command's module and parses a command line, without running the command.

    The resident process calls this at its start, so that later runs of the command in this process start faster.

    Args:
        name: name of the command.
        words: valid arguments of the command.
    """
    group: Any = typer.main.get_command(app)
    context = group.make_context("lapilli", [name])
    group.get_command(context, name).make_context(name, words, parent=context)


def main() -> None:
    """Runs the `lapilli` command with the words in `sys.argv`, and exits with its exit code.

    An error that the user can fix is reported as one line on stderr, and the exit code is REFUSED (2).
    """
    for stream in (sys.stdout, sys.stderr):  # terminals without UTF-8 get question marks
        with suppress(AttributeError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        stop_on_signals()
        code = _run()
    except KeyboardInterrupt:  # typer handles Ctrl-C while a command runs, but not before and after
        code = INTERRUPTED
    sys.exit(code)


def _run() -> int:
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except LapilliError as problem:
        _error(f"{problem}{_more_games(problem)}")
        return REFUSED
    except _UsageError as problem:
        _error(_usage_text(problem))
        return REFUSED
    except typer.Abort:  # raised by typer for an EOFError, which only a damaged kernel file causes here
        from lapilli.kernels.cache import cache_base

        _error(f"a file of compiled kernels is damaged: delete the folder {cache_base()} and try again")
        return REFUSED
    except OSError as problem:
        if is_exhaustion(problem):
            _error(f"this machine has run out of a resource: {in_one_line(problem)}")
            return ABANDONED
        mute()
        if not isinstance(problem, BrokenPipeError):  # a broken pipe is no error: the reader needs no more output
            _error(f"cannot write the output: {problem.strerror}")
        return UNWRITABLE
    return code if isinstance(code, int) else 0


def _more_games(problem: LapilliError) -> str:
    """Returns the second half of an error message: the variable that names a folder with further games.

    Returns "" if `problem` is not about an unknown game, or if the user has set this variable.
    """
    if not isinstance(problem, UnknownName) or problem.kind != "game" or ELSEWHERE:
        return ""
    return f"; for a game of your own, set {VARIABLE} to the folder that contains the game's folder"


def _usage_text(problem: Any) -> str:
    """Returns the error message for a wrong command line, with a command whose output shows the correct form.

    `problem`: the exception that Typer has raised.
    """
    from lapilli.players.processes.interpreters import is_interpreter  # slow

    command = problem.ctx.command_path if problem.ctx else "lapilli"
    is_bots = hasattr(problem, "option_name") and any(map(is_interpreter, sys.argv[1:]))
    hint = "a bot's command must be quoted as a whole; " if is_bots else ""
    is_ours = isinstance(problem, typer.BadParameter) and problem.param is None
    message = problem.message if is_ours else problem.format_message()
    return f"{message} ({hint}see {command} --help)"


def _error(message: str) -> None:
    """Prints an error as one line on stderr.

    The module for coloured output is imported only here, because the import is slow and most commands have no error.
    """
    try:
        from lapilli.cli.shared.console import error
    except OSError:  # without a free file descriptor it cannot be imported
        print(f"lapilli: {message}", file=sys.stderr)
    else:
        error(message)
