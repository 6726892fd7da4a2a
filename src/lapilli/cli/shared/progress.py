"""A progress bar on stderr for long work. If stderr is not a terminal, nothing is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from lapilli.cli.shared.console import errors


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
