"""The command `lapilli import`, which turns matches of other tools into records."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.text import Text

from lapilli.arena.interop.reading import records_in
from lapilli.cli.options.panels import TOOLS
from lapilli.cli.options.setup import example_game, setup_keys
from lapilli.cli.shared.console import console, error, file_option, path_of, visible
from lapilli.core.api import Setup
from lapilli.core.errors import RecordError
from lapilli.games import load
from lapilli.match import Record
from lapilli.match.files import check_writable, is_lined


def register(app: typer.Typer) -> None:
    """Adds this file's command."""
    app.command(
        "import",
        rich_help_panel=TOOLS,
        epilog="Examples: lapilli import logs/game*.json -o season.jsonl  ·  "
        f"lapilli import game1.json --game {example_game()} -o game1-record.json",
    )(import_files)


def import_files(
    files: Annotated[
        list[Path],
        typer.Argument(parser=path_of, metavar="FILE…", help="JSON of CodinGame's SDK, replays, records; also .gz."),
    ],
    out: Annotated[
        Path | None,
        file_option("-o", "Write the records here (.json, .jsonl, or either with .gz).", default="lines on stdout"),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--game", metavar="GAME", help="The game, where a file does not tell it.")
    ] = None,
    league: Annotated[str | None, typer.Option(help="Its league, where the file does not tell the game.")] = None,
    variant: Annotated[str | None, typer.Option(help="Its variant.")] = None,
    own: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A key of the game's own.")
    ] = None,
) -> None:
    """Reads matches that other tools have written, plays them again by the rules, and writes them as records.

    Exits with 2 where a file holds too little for that or the rules come to something else; the others are written.
    """
    game = load(name) if name else None
    setup = Setup.from_dict(setup_keys(league, variant, own))
    if out is not None:
        _check_target(out, files)
    written = failed = 0
    for file in files:
        for found in records_in(file, game, setup):
            if isinstance(found, RecordError):
                error(str(found))
                failed += 1
            else:
                _write(found, out, written)
                written += 1
    if out is not None and written:
        console.print(Text(visible(f"{written} record{'s' * (written != 1)} written to {out}.")))
    if failed or not written:
        raise typer.Exit(2)


def _check_target(out: Path, files: Sequence[Path]) -> None:
    """Raises RecordError if the records cannot be written to this file."""
    check_writable(out)
    if out.exists() and any(file.exists() and os.path.samefile(file, out) for file in files):
        raise RecordError(f"{out} is one of the files to read: write to another one")
    if len(files) > 1 and not is_lined(out):
        raise RecordError(f"{out} holds one record: for several files name a .jsonl")


def _write(record: Record, out: Path | None, before: int) -> None:
    if out is None:
        print(msgspec.json.encode(record).decode())
        return
    if before and not is_lined(out):
        raise RecordError(f"{out} holds one record, and there are more: name a .jsonl")
    record.save(out)
