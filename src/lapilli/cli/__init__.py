"""The command line: parses, calls, prints."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import typer

from lapilli.cli import arena, games, records
from lapilli.cli.console import error
from lapilli.games.errors import LapilliError

app = typer.Typer(
    name="lapilli",
    help="Play, write bots for and train on four tactical board games.",
    epilog="A first match: lapilli match volcanoes greedy random",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
for register in (games.register, arena.register, records.register):
    register(app)


def main() -> None:
    """The `lapilli` command. What a user can mend is one line on stderr and exit code 2."""
    signal.signal(signal.SIGTERM, _stop)
    try:
        app()
    except LapilliError as problem:
        error(str(problem))
        sys.exit(2)
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _stop(number: int, frame: Any) -> None:
    """A polite kill ends a match as Ctrl-C does: bots are ended, the record is kept."""
    raise KeyboardInterrupt
