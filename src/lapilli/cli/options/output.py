"""Options for what a command prints and writes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def path_of(text: str) -> Path:
    """Parses a path from the command line.

    An empty text, for example from an unset variable, is refused, because it would mean the current folder.
    """
    if not text:
        raise typer.BadParameter("expected a path, not an empty text")
    return Path(text)


def file_option(name: str, text: str, default: str = "") -> Any:
    """Returns a Typer option for a file to write. `default` says in the help text what happens without the option."""
    return typer.Option(name, parser=path_of, metavar="PATH", help=text, show_default=default or False)


_RECORD_FILE = "Write the record to this file (.json or .jsonl, also with .gz)."

JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")]
RecordOption = Annotated[Path | None, file_option("--record", _RECORD_FILE)]
RecordFileOption = Annotated[Path | None, file_option("-o", _RECORD_FILE)]
