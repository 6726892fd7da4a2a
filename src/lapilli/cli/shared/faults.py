"""Prints the faults of a match, with the last lines that the bots wrote to stderr."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from lapilli.cli.shared.console import console, visible
from lapilli.match import Record

_READ_ONLY = "read-only file system"
"""The system's error when a bot in the sandbox writes to a file that it may only read, in lower case."""


def show_faults(record: Record, names: Sequence[str]) -> None:
    """Prints turn, player and reason of each fault in a match, and the last lines that the player wrote to stderr.

    Args:
        record: record of the match.
        names: display names of the players, by player number.
    """
    for entry in record.turns:
        if entry.fault is None:
            continue
        reason = entry.fault.reason or entry.fault.termination
        console.print(Text(f"Turn {entry.turn}: {visible(names[entry.player])}: {visible(reason)}", style="red"))
        words = record.last_words(entry.player)
        if words:
            console.print(Text(f"Its last lines on stderr:\n{visible(words).rstrip()}", style="dim"))
        if _READ_ONLY in words.lower():
            console.print(
                "In the sandbox, a bot can write files only in /tmp. With --sandbox off, it can write anywhere."
            )
