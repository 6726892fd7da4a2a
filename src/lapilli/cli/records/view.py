"""The commands `lapilli verify`, `inputs`, `view` and `show`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.text import Text

from lapilli.cli.options.options import StoreOption
from lapilli.cli.options.panels import BOTS, LOOK, TOOLS
from lapilli.cli.records.analysis import analysed_page, analysis_of
from lapilli.cli.shared.browser import show_page
from lapilli.cli.shared.console import console, draw, error, file_option, line_of, path_of
from lapilli.cli.shared.progress import progress_bar
from lapilli.cli.shared.stores import numbers_of, record_named
from lapilli.core.api import State, Step
from lapilli.core.errors import LapilliError, RecordError
from lapilli.core.reading.text import shortened
from lapilli.match import Record, load_records, replay, verify
from lapilli.match.files import check_writable, is_lined, write_atomically
from lapilli.match.inputs import inputs
from lapilli.match.record import read_records
from lapilli.viewer import gif, page, png, svg

T = TypeVar("T")
RecordFile = Annotated[
    Path,
    typer.Argument(
        parser=path_of,
        metavar="RECORD",
        help="A record: .json, .jsonl, or either with .gz; or EVENT/MATCH, the numbers of one in the arena's store.",
    ),
]


def register(app: typer.Typer) -> None:
    """Adds this file's commands."""
    app.command("verify", rich_help_panel=TOOLS, epilog="Example: lapilli verify match.json season.jsonl.gz")(
        verify_files
    )
    app.command("inputs", rich_help_panel=BOTS, epilog="Example: lapilli inputs lost.json --player 0 | ./bot")(
        show_inputs
    )
    app.command(
        "view",
        rich_help_panel=LOOK,
        epilog="Examples: lapilli view match.json  ·  lapilli view match.json --html match.html  ·  lapilli view 3/17"
        "  ·  lapilli view lost.json --analysis",
    )(view)
    app.command("show", rich_help_panel=LOOK, epilog="Example: lapilli show match.json --turn 17 --svg turn17.svg")(
        show
    )


def verify_files(
    files: Annotated[
        list[Path], typer.Argument(parser=path_of, metavar="FILE…", help="Records: .json, .jsonl, also .gz.")
    ],
    positions: Annotated[bool, typer.Option("--positions", help="Print each record's positions instead.")] = False,
) -> None:
    """Plays records again by the rules: exit 0 when all agree, 1 when the rules refute one, 2 for a bad file.

    A file without a record is a bad one.
    """
    codes = [0]
    first = True
    for file in files:
        number = 0
        for number, record in enumerate(read_records(file), 1):
            if isinstance(record, RecordError):
                error(str(record))
                codes.append(2)
                continue
            if positions and not first:
                print()
            first = False
            where = f"{file}, record {number}" if is_lined(file) else str(file)
            codes.append(_verify_one(record, where, positions))
        if not number:
            error(_nothing_in(file))
            codes.append(2)
    if any(codes):
        raise typer.Exit(max(codes))


def _nothing_in(file: Path) -> str:
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
            console.print(Text.assemble((line_of(where), "bold"), f": {shortened(line_of(verdict), 300)}"))
    except RecordError as problem:
        error(f"{where}: {problem}")
        return 1
    return 0


def show_inputs(
    file: RecordFile,
    player: Annotated[int, typer.Option(help="Which player, from 0.")],
    as_json: Annotated[
        bool, typer.Option("--json", help="One list of strings, one for each time it was asked.")
    ] = False,
    store: StoreOption = None,
) -> None:
    """Prints, byte for byte, what a player's bot was sent."""
    in_store = numbers_of(str(file)) and not file.exists()
    record = None
    for record in [record_named(file, store)] if in_store else load_records(file):
        texts = of_file(file, partial(inputs, record, player))
        if as_json:
            print(json.dumps(texts, ensure_ascii=False))
        else:
            print("".join(texts), end="")
    if record is None:
        raise RecordError(_nothing_in(file))


def view(
    file: RecordFile,
    html: Annotated[Path | None, file_option("--html", "Write the page, one self-contained file, instead.")] = None,
    png_file: Annotated[Path | None, file_option("--png", "Write a position as a picture.")] = None,
    svg_file: Annotated[Path | None, file_option("--svg", "Write a position as a drawing.")] = None,
    gif_file: Annotated[Path | None, file_option("--gif", "Write the match as an animation.")] = None,
    turn: Annotated[int | None, typer.Option(help="The turn of --png and --svg.", show_default="the last")] = None,
    first: Annotated[int | None, typer.Option("--from", help="The first turn of --gif.", min=0)] = None,
    last: Annotated[int | None, typer.Option("--to", help="The last turn of --gif.", min=0)] = None,
    width: Annotated[
        int | None,
        typer.Option(help="Pixels across, of --png and --gif.", min=100, max=4000, show_default="1200, 800"),
    ] = None,
    frame_ms: Annotated[
        int, typer.Option("--frame-ms", help="How long a usual picture of --gif stays.", min=40, max=10_000)
    ] = 700,
    dark: Annotated[bool, typer.Option("--dark", help="The dark theme, for --png and --gif.")] = False,
    letters: Annotated[
        bool,
        typer.Option("--letters", help="Letters on the ground, where a game has some; for --png, --svg, --gif."),
    ] = False,
    with_analysis: Annotated[
        bool,
        typer.Option(
            "--analysis", help="Show on the page what turns lost and what was better, see analyse; made where missing."
        ),
    ] = False,
    store: StoreOption = None,
) -> None:
    """Opens a match in the browser, or writes it as a page, a picture or an animation.

    The browser's page stays for a day, so that it can be loaded again: a later view removes it. --html writes one to
    keep.
    """
    record = record_named(file, store)
    of_file(file, lambda: verify(record))
    targets = [target for target in (html, png_file, svg_file, gif_file) if target is not None]
    if with_analysis and targets and html is None:
        raise LapilliError("an analysis is shown on a page: --analysis goes with --html, or with the browser")
    for target in targets:
        check_writable(target)
    make_page = partial(page, record)
    if with_analysis:
        make_page = partial(analysed_page, file, record, analysis_of(file, record))
    if not targets:
        console.print(show_page(_page_name(file), make_page()))
        return
    state, step = _frame(list(replay(record)), turn)
    scene, names = state.game.picture(state, step), record.player_names
    made: list[tuple[Path | None, Callable[[], bytes]]] = [
        (html, lambda: make_page().encode()),
        (png_file, lambda: png(scene, names, width or 1200, dark, letters)),
        (svg_file, lambda: svg(scene, names, letters).encode()),
        (gif_file, partial(_animation, record, first, last, width or 800, frame_ms, dark, letters)),
    ]
    drawn = [(target, make()) for target, make in made if target is not None]
    for target, data in drawn:
        write_atomically(target, data)
        console.print(f"Wrote {target} ({len(data) / 1000:,.0f} kB).")


def _animation(
    record: Record, first: int | None, last: int | None, width: int, ms: int, dark: bool, letters: bool
) -> bytes:
    """Returns the match, or some turns of it, as an animated GIF; shows a progress bar."""
    turns = None if first is None and last is None else (first or 0, sys.maxsize if last is None else last)
    with progress_bar("drawing") as told:
        return gif(record, width, ms, turns, dark, letters, told)


def _page_name(file: Path) -> str:
    return "-".join(map(str, numbers_of(str(file)) or [file.name.split(".")[0]]))


def show(
    file: RecordFile,
    turn: Annotated[
        int | None, typer.Option(help="After which referee turn; 0 is the start.", show_default="the last")
    ] = None,
    svg_file: Annotated[Path | None, file_option("--svg", "Write the picture here.")] = None,
    store: StoreOption = None,
) -> None:
    """Draws a position of a record, in the terminal or as an SVG picture."""
    record = record_named(file, store)
    state, step = _frame(of_file(file, lambda: list(replay(record))), turn)
    if svg_file is None:
        draw(state.game.text(state, step))
        return
    check_writable(svg_file)
    write_atomically(svg_file, svg(state.game.picture(state, step), record.player_names).encode())
    console.print(f"The picture is in {svg_file}.")


def _frame(frames: Sequence[tuple[State, Step | None]], turn: int | None) -> tuple[State, Step | None]:
    if turn is None:
        return frames[-1]
    by_turn = {step.report.turn if step else 0: (state, step) for state, step in frames}
    if turn not in by_turn:
        first, last = min(by_turn.keys() - {0}, default=0), max(by_turn)
        known = f"turns {first} to {last}, and 0, the start" if last else "the start alone, turn 0"
        raise LapilliError(f"no turn {turn}: the record has {known}")
    return by_turn[turn]


def of_file(file: Path, work: Callable[[], T]) -> T:
    """Calls a function, and adds the file's name to the message of a RecordError that it raises."""
    try:
        return work()
    except RecordError as problem:
        raise RecordError(f"{file}: {problem}") from None
