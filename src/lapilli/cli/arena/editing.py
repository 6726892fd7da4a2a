"""The commands of `lapilli arena` that change an event: rename, note and delete."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.text import Text

from lapilli.arena.league import check_name
from lapilli.cli.options.commands import add_command
from lapilli.cli.options.store import StoreOption, open_store
from lapilli.cli.shared.console import console, line_of
from lapilli.core.errors import LapilliError
from lapilli.core.picture.words import plural
from lapilli.store import Event, EventKind

_MAX_NAME, _MAX_NOTE = 200, 2000
"""Maximum lengths of an event's name and of its note, in characters."""

Number = Annotated[int, typer.Argument(metavar="NUMBER", help="Number of the event.")]


def register(group: typer.Typer) -> None:
    """Adds the commands `rename`, `note` and `delete` to the group `lapilli arena`."""
    add_command(group, "rename", rename, examples=('lapilli arena rename 3 "before the rewrite"',))
    add_command(
        group,
        "note",
        note,
        examples=('lapilli arena note 3 "with the new evaluation"', 'lapilli arena note 3 ""'),
    )
    add_command(group, "delete", delete, examples=("lapilli arena delete 3", "lapilli arena delete 3 --yes"))


def rename(
    number: Number,
    name: Annotated[str, typer.Argument(metavar="NAME", help="New name of the event.")],
    store: StoreOption = None,
) -> None:
    """Renames an event. The names of its contestants stay."""
    wanted = " ".join(name.split())
    if not 0 < len(wanted) <= _MAX_NAME:
        raise LapilliError(f"an event's name has 1 to {_MAX_NAME} characters")
    with open_store(store, create=False) as found:
        before = found.event(number)
        if before.kind == EventKind.LEAGUE:
            check_name("league", wanted)
        found.rename_event(number, wanted)
    _say(f"Event {number} is now called {wanted} (before: {before.name}).")


def note(
    number: Number,
    text: Annotated[str, typer.Argument(metavar="TEXT", help='The note; "" removes it.')],
    store: StoreOption = None,
) -> None:
    """Stores a note on an event. The commands list, show, page and serve show it."""
    words = text.strip()
    if len(words) > _MAX_NOTE:
        raise LapilliError(f"a note has at most {_MAX_NOTE:,} characters, not {len(words):,}")
    with open_store(store, create=False) as found:
        found.note_event(number, words)
    _say(f"Event {number} has this note now: {words}" if words else f"Event {number} has no note now.")


def delete(
    number: Number,
    yes: Annotated[bool, typer.Option("--yes", help="Delete the event without asking.")] = False,
    store: StoreOption = None,
) -> None:
    """Deletes an event and its matches permanently. A running event is not deleted."""
    with open_store(store, create=False) as found:
        event = found.event(number)
        if not yes and not _agreed(event):
            _say("Nothing was deleted.")
            return
        with console.status("deleting …"):
            found.delete_event(number)
    copies = "; the copies of its bots stay" if event.kind == EventKind.LEAGUE else ""
    _say(f"Deleted {event.kind} {number}, {event.name}, with {_matches(event.played)}{copies}.")


def _agreed(event: Event) -> bool:
    """Asks the user whether to delete an event. Returns whether the user agreed.

    Raises:
        LapilliError: there is no terminal.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise LapilliError("there is no terminal to ask you at: add --yes to delete the event")
    question = f"Delete {event.kind} {event.id}, {event.name}, with {_matches(event.played)}? [y/N] "
    try:
        answer = input(line_of(question))
    except EOFError:
        return False
    return answer.strip().lower() in ("y", "yes")


def _matches(number: int) -> str:
    return f"{number:,} {plural(number, 'match')}"


def _say(words: str) -> None:
    console.print(Text(line_of(words)))
