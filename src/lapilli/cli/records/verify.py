"""The commands `lapilli verify` and `inputs`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from lapilli.cli.options.commands import add_command
from lapilli.cli.options.output import path_of
from lapilli.cli.options.store import StoreOption
from lapilli.cli.records.files import RecordFile, in_file
from lapilli.cli.shared.codes import FAILED, REFUSED
from lapilli.cli.shared.console import console, error, line_of, print_json
from lapilli.cli.shared.stores import numbers_of, record_named
from lapilli.core.errors import RecordError
from lapilli.core.reading.text import shortened
from lapilli.match import Record, load_records, replay, verify
from lapilli.match.files.writing import is_lined
from lapilli.match.inputs import inputs
from lapilli.match.record import read_records


def register(app: typer.Typer) -> None:
    """Adds the commands `lapilli verify` and `inputs` to the app."""
    add_command(
        app,
        "verify",
        verify_files,
        examples=(
            "lapilli verify match.json",
            "lapilli verify season.jsonl.gz finals.jsonl",
            "lapilli verify --positions match.json",
        ),
    )
    add_command(
        app,
        "inputs",
        show_inputs,
        examples=("lapilli inputs lost.json --player 0", "lapilli inputs lost.json --player 0 | python3 bot.py"),
    )


def verify_files(
    files: Annotated[
        list[Path],
        typer.Argument(parser=path_of, metavar="FILE…", help="Files with records: .json or .jsonl, also with .gz."),
    ],
    positions: Annotated[
        bool, typer.Option("--positions", help="Print all positions of each record instead of its result.")
    ] = False,
) -> None:
    """Verifies records: replays them by the rules and compares the results.

    Exit codes: 0 if all records are right, 1 if one contradicts the rules, 2 if a file cannot be read or has no record.
    """
    codes = [0]
    first = True
    for file in files:
        number = 0
        for number, record in enumerate(read_records(file), 1):
            if isinstance(record, RecordError):
                error(str(record))
                codes.append(REFUSED)
                continue
            if positions and not first:
                print()
            first = False
            where = f"{file}, record {number}" if is_lined(file) else str(file)
            codes.append(_verify_one(record, where, positions))
        if not number:
            error(_no_record_in(file))
            codes.append(REFUSED)
    if any(codes):
        raise typer.Exit(max(codes))


def _no_record_in(file: Path) -> str:
    return f"{file}: there is no record in it"


def _points(scores: Sequence[int]) -> str:
    return f" ({', '.join(map(str, scores))})" if scores else ""


def _verify_one(record: Record, where: str, positions: bool) -> int:
    try:
        if positions:
            for state, _ in replay(record):
                print(state.position())
        else:
            outcome = verify(record)
            verdict = "unfinished" if outcome is None else f"{outcome.reason}{_points(outcome.scores)}"
            told = f": follows the rules; {shortened(line_of(verdict), 300)}"
            console.print(Text.assemble((line_of(where), "bold"), told))
    except RecordError as problem:
        error(f"{where}: {problem}")
        return FAILED
    return 0


def show_inputs(
    file: RecordFile,
    player: Annotated[int, typer.Option(metavar="N", help="Number of the player, from 0.")],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON list with one string for each turn of the player.")
    ] = False,
    store: StoreOption = None,
) -> None:
    """Prints the input that a player's bot received in a match, byte for byte."""
    in_store = numbers_of(str(file)) and not file.exists()
    record = None
    for record in [record_named(file, store)] if in_store else load_records(file):
        texts = in_file(file, partial(inputs, record, player))
        if as_json:
            print_json(texts)
        else:
            print("".join(texts), end="")
    if record is None:
        raise RecordError(_no_record_in(file))
