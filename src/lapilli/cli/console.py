"""How the commands print."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lapilli.core.picture.scene import TextLine


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Rich would leave the program; whether there is still something to do is for the command to say."""
        raise BrokenPipeError


console = _Console(highlight=False, soft_wrap=True)
errors = Console(stderr=True, highlight=False, soft_wrap=True)
_WIDEST = 100_000
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def error(message: str) -> None:
    """One line on stderr."""
    errors.print(Text("lapilli: ", style="bold red") + Text(line_of(message)))


def visible(text: str) -> str:
    """What a bot or a file said, without what would make a terminal do things."""
    return _CONTROL.sub(lambda control: f"\\x{ord(control[0]):02x}", text)


def line_of(text: str) -> str:
    """The same, on one line."""
    return " ".join(visible(text).split("\n"))


def draw(lines: Iterable[TextLine]) -> None:
    """A game's terminal picture."""
    for line in lines:
        console.print(Text.assemble(*line))


def show_table(table: Table) -> None:
    """A table: fitted to a terminal, else as wide as it is, so that who reads it finds a row on a line."""
    if not console.is_terminal:
        console.width = _WIDEST
    console.print(table)


def path_of(text: str) -> Path:
    """A file's or folder's name from the command line; an empty one, say of a variable that is not set, would else be
    taken for the current folder."""
    if not text:
        raise typer.BadParameter("expected a name, not an empty text")
    return Path(text)


def file_option(name: str, text: str, default: str = "") -> Any:
    """An option that names a file to write; `default` tells what happens without it."""
    return typer.Option(name, parser=path_of, metavar="PATH", help=text, show_default=default or False)
