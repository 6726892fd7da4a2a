"""Options for what a command prints and writes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def path_of(text: str) -> Path:
    """Parses a path from the command line.

    Raises:
        typer.BadParameter: the text is empty, for example because a shell variable is not set. `Path` would interpret
            an empty text as the current folder.
    """
    if not text:
        raise typer.BadParameter("expected a path, not an empty text")
    return Path(text)


def file_option(name: str, text: str, default: str = "") -> Any:
    """Returns a Typer option for a file that the command writes.

    Args:
        name: name of the option, such as "-o".
        text: help text of the option.
        default: part of the help text: what the command does without the option.
    """
    return typer.Option(name, parser=path_of, metavar="PATH", help=text, show_default=default or False)


_RECORD_FILE = "Write the record to this file (.json or .jsonl, also with .gz)."

JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")]
RecordOption = Annotated[Path | None, file_option("--record", _RECORD_FILE)]
RecordFileOption = Annotated[Path | None, file_option("-o", _RECORD_FILE)]
