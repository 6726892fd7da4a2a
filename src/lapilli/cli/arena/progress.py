"""Functions that `compare`, `tournament` and similar commands share: display of progress, last lines and exit codes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Generic, TypeVar

import typer
from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from lapilli.arena.progress.running import Run, StopReason
from lapilli.cli.shared.codes import ABANDONED, INTERRUPTED
from lapilli.cli.shared.console import console, errors, visible
from lapilli.cli.shared.stores import command

_TABLE_EVERY_S = 0.2
_LINE_EVERY_S = 10.0
"""Time between two lines of progress if stderr is not a terminal, in seconds."""
R = TypeVar("R", bound=Run)


class Display(Generic[R]):
    """A display of a run's progress on stderr. Use an instance as a context manager.

    On a terminal, the display is a table that is updated in place. Otherwise, a line is printed from time to time.

    Args:
        table: function that returns the table of a run.
        line: function that describes a run in one line.
        quiet: whether to show nothing.
    """

    def __init__(self, table: Callable[[R], RenderableType], line: Callable[[R], str], *, quiet: bool) -> None:
        self._table, self._line, self._quiet = table, line, quiet
        live = errors.is_terminal and not quiet
        self._live = Live(console=errors, transient=True, auto_refresh=False) if live else None
        self._updated = time.monotonic()
        self._waited_for: list[str] = []

    def __enter__(self) -> Display[R]:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()

    def show(self, run: R) -> None:
        """Updates the display of a run: at most every 0.2 s on a terminal, and about every 10 s elsewhere."""
        now = time.monotonic()
        workers = [claimant.worker for claimant in run.waits_for]
        if not self._quiet and not self._live and workers != self._waited_for:
            self._waited_for = workers
            if workers:
                errors.print(Text(visible(run.waiting)))
        if self._quiet or now - self._updated < (_TABLE_EVERY_S if self._live else _LINE_EVERY_S):
            return
        self._updated = now
        left = _time_left(run.seconds_left)
        pace = f"{60 * run.rate:,.0f} matches a minute" + (f", {left}" if left else "")
        if self._live:
            below = visible(run.waiting) or pace
            self._live.update(Group(self._table(run), Text(below, style="dim")), refresh=True)
        else:
            errors.print(f"{self._line(run)}; {pace}")


def _time_left(seconds: tuple[float, float] | None) -> str:
    """Formats the remaining time, such as "about 40 s left" or "3 to 12 min left".

    `seconds`: the shortest and the longest remaining time that are likely, in seconds; None if they are not known.
    """
    if seconds is None:
        return ""
    unit, size, digits = ("s", 1, 0) if seconds[1] < 90 else ("min", 60, 0) if seconds[1] < 5400 else ("h", 3600, 1)
    least, most = (f"{each / size:.{digits}f}" for each in seconds)
    return f"about {most} {unit} left" if least == most else f"{least} to {most} {unit} left"


def show_notes(event: int, where: str | None, ending: StopReason | None, *notes: str) -> None:
    """Prints the last lines about an event: notes, how to continue the event, and the command that shows its details.

    Args:
        event: number of the event in the store.
        where: value of the option --store; None if the option was omitted.
        ending: why the run stopped.
        notes: sentences to print; empty texts are left out.
    """
    for note in filter(None, notes):
        console.print(Text(visible(note), style="dim"))
    if ending == StopReason.INTERRUPTED:
        console.print(Text("Stopped. Run the same command again to continue.", style="dim"))
    console.print(Text(f"Details: {command(f'arena show {event}', where)}", style="dim"))


def show_earlier(sentence: str) -> None:
    """Prints a sentence about earlier matches, unless it is empty, on stderr: stdout contains only the result."""
    if sentence:
        errors.print(Text(visible(sentence), style="dim"))


def exit_if_stopped(ending: StopReason | None) -> None:
    """Raises typer.Exit if the user stopped the run (exit code 130) or this machine was too busy for it (3).

    `ending` says why the run ended; None if it was played to its end.
    """
    if ending == StopReason.INTERRUPTED:
        raise typer.Exit(INTERRUPTED)
    if ending == StopReason.TOO_BUSY:
        raise typer.Exit(ABANDONED)
