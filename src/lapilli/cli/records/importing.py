"""The command `lapilli import`, which converts matches of other tools to records."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.text import Text

from lapilli.arena.interop.reading import records_in
from lapilli.cli.options.commands import add_command, example_game
from lapilli.cli.options.output import file_option, path_of
from lapilli.cli.options.setup import SetupOptions
from lapilli.cli.shared.codes import REFUSED
from lapilli.cli.shared.console import console, error, print_json, visible
from lapilli.core.api import Setup
from lapilli.core.errors import RecordError
from lapilli.games import load
from lapilli.match import Record
from lapilli.match.files.writing import check_writable, is_lined


def register(app: typer.Typer) -> None:
    """Adds the command `lapilli import` to the app."""
    add_command(
        app,
        "import",
        import_files,
        examples=(
            "lapilli import logs/game*.json -o season.jsonl",
            f"lapilli import game1.json --game {example_game()} -o game1-record.json",
        ),
    )


def import_files(
    files: Annotated[
        list[Path],
        typer.Argument(
            parser=path_of,
            metavar="FILE…",
            help="Files to read: JSON of CodinGame's SDK, replays, records; also with .gz.",
        ),
    ],
    out: Annotated[
        Path | None,
        file_option(
            "-o", "Write the records to this file (.json or .jsonl, also with .gz).", default="as lines to stdout"
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--game", metavar="GAME", help="Game of the files that do not name one."),
    ] = None,
    *,
    setup: SetupOptions,
) -> None:
    """Imports matches of other tools: replays them by the rules and writes them as records.

    --league, --variant and --set describe the matches of files that do not name their game.

    Exit codes: 0 if all matches were imported, 2 if a file cannot be read, lacks data or contradicts the rules. Even
    then, the other matches are imported.
    """
    game = load(name) if name else None
    usual = Setup.from_dict(setup.keys())
    if out is not None:
        _check_target(out, files)
    written = failed = 0
    for file in files:
        for found in records_in(file, game, usual):
            if isinstance(found, RecordError):
                error(str(found))
                failed += 1
            else:
                _write(found, out, written)
                written += 1
    if out is not None and written:
        console.print(Text(visible(f"Wrote {written} record{'s' * (written != 1)} to {out}.")))
    if failed or not written:
        raise typer.Exit(REFUSED)


def _check_target(out: Path, files: Sequence[Path]) -> None:
    """Raises RecordError if the records of `files`, the files to read, cannot be written to the file `out`."""
    check_writable(out)
    if out.exists() and any(file.exists() and os.path.samefile(file, out) for file in files):
        raise RecordError(f"{out} is one of the files to read: name another file with -o")
    if len(files) > 1 and not is_lined(out):
        raise RecordError(f"{out} can hold only one record: name a .jsonl file for several")


def _write(record: Record, out: Path | None, before: int) -> None:
    if out is None:
        print_json(msgspec.to_builtins(record))
        return
    if before and not is_lined(out):
        raise RecordError(f"{out} can hold only one record, and there are more: name a .jsonl file")
    record.save(out)
