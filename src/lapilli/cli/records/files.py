"""The command line argument for a record, and a function that adds the name of the record's file to errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from lapilli.cli.options.output import path_of
from lapilli.core.errors import RecordError

T = TypeVar("T")
RecordFile = Annotated[
    Path,
    typer.Argument(
        parser=path_of,
        metavar="RECORD",
        help="A record: a file (.json or .jsonl, also with .gz), or EVENT/MATCH, the numbers of a match in the store.",
    ),
]


def in_file(file: Path, work: Callable[[], T]) -> T:
    """Calls `work`, and returns its result. Adds the file's name to the message of a RecordError that `work` raises."""
    try:
        return work()
    except RecordError as problem:
        raise RecordError(f"{file}: {problem}") from None
