"""A progress bar on stderr for long work, and a message when the user stops it. Only a terminal shows the bar."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from lapilli.cli.shared.codes import INTERRUPTED
from lapilli.cli.shared.console import console, errors


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """Shows a progress bar during the `with` block, with the text `what` in front of the bar.

    Yields:
        A function that updates the bar. Its arguments are the amount of work that is done, and the total amount.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def message_if_stopped(message: Callable[[], str]) -> Iterator[None]:
    """If the user stops the command during the `with` block, prints `message()` and exits with code INTERRUPTED."""
    try:
        yield
    except KeyboardInterrupt:
        console.print(Text(message()))
        raise typer.Exit(INTERRUPTED) from None
