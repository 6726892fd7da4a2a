"""The commands `lapilli view` and `show`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from lapilli.cli.options.commands import add_command
from lapilli.cli.options.output import file_option
from lapilli.cli.options.store import StoreOption
from lapilli.cli.records.analysis import analysed_page, analysis_of
from lapilli.cli.records.files import RecordFile, in_file
from lapilli.cli.shared.browser import show_page
from lapilli.cli.shared.console import console, draw
from lapilli.cli.shared.faults import show_faults
from lapilli.cli.shared.progress import progress_bar
from lapilli.cli.shared.stores import numbers_of, record_named
from lapilli.core.api import State, Step
from lapilli.core.errors import LapilliError
from lapilli.core.picture.scene import Scene
from lapilli.match import Record, replay, verify
from lapilli.match.files.writing import check_writable, write_atomically
from lapilli.viewer import gif, page, png, svg
from lapilli.viewer.films.early_end import with_result


def register(app: typer.Typer) -> None:
    """Adds the commands `lapilli view` and `show` to the app."""
    add_command(
        app,
        "view",
        view,
        examples=(
            "lapilli view match.json",
            "lapilli view 3/17 --html match.html",
            "lapilli view lost.json --analysis",
            "lapilli view match.json --gif match.gif --from 5 --to 20",
        ),
    )
    add_command(
        app, "show", show, examples=("lapilli show match.json", "lapilli show match.json --turn 17 --svg turn17.svg")
    )


def view(
    file: RecordFile,
    html: Annotated[Path | None, file_option("--html", "Write the page to this file, with everything in it.")] = None,
    png_file: Annotated[Path | None, file_option("--png", "Write a position to this PNG file.")] = None,
    svg_file: Annotated[Path | None, file_option("--svg", "Write a position to this SVG file.")] = None,
    gif_file: Annotated[Path | None, file_option("--gif", "Write an animation of the match to this GIF file.")] = None,
    turn: Annotated[
        int | None,
        typer.Option(metavar="TURN", help="Turn after which --png and --svg draw.", show_default="the last"),
    ] = None,
    first: Annotated[
        int | None,
        typer.Option("--from", metavar="TURN", help="First turn of --gif.", min=0, show_default="the start"),
    ] = None,
    last: Annotated[
        int | None, typer.Option("--to", metavar="TURN", help="Last turn of --gif.", min=0, show_default="the end")
    ] = None,
    width: Annotated[
        int | None,
        typer.Option(
            metavar="PIXELS",
            help="Width of --png and --gif, in pixels.",
            min=100,
            max=4000,
            show_default="1200 for --png, 800 for --gif",
        ),
    ] = None,
    frame_ms: Annotated[
        int,
        typer.Option(
            "--frame-ms",
            metavar="MS",
            help="Time for each picture of --gif, in milliseconds.",
            min=40,
            max=10_000,
        ),
    ] = 700,
    dark: Annotated[bool, typer.Option("--dark", help="Draw --png and --gif in the dark theme.")] = False,
    letters: Annotated[
        bool,
        typer.Option("--letters", help="Draw letters on the terrain in --png, --svg and --gif, if the game has them."),
    ] = False,
    with_analysis: Annotated[
        bool,
        typer.Option(
            "--analysis",
            help="Show the analysis by 'lapilli analyse' on the page; analyse the match first if there is none.",
        ),
    ] = False,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    store: StoreOption = None,
) -> None:
    """Opens a match in the browser, or writes it as a page, a picture or an animation.

    A page that was opened in the browser is deleted after a day. --html writes a page that stays, for example to look
    at it on another machine. --no-browser prints where the page is, and opens nothing.
    """
    record = record_named(file, store)
    in_file(file, lambda: verify(record))
    targets = [target for target in (html, png_file, svg_file, gif_file) if target is not None]
    if with_analysis and targets and html is None:
        raise LapilliError("--analysis needs a page: add --html, or leave out --png, --svg and --gif")
    for target in targets:
        check_writable(target)
    make_page = partial(page, record)
    if with_analysis:
        make_page = partial(analysed_page, file, record, analysis_of(file, record))
    if not targets:
        console.print(show_page(_page_name(file), make_page(), browser=browser))
        return
    frames = list(replay(record))
    scene, names = _scene(record, frames, turn), record.player_names
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
    """Returns a match as an animated GIF. Shows a progress bar while the GIF is drawn.

    Args:
        record: the record of the match.
        first: first turn; None for the start.
        last: last turn; None for the end.
        width: width of the GIF, in pixels.
        ms: time for each picture, in milliseconds.
        dark: whether to draw in the dark theme.
        letters: whether to draw letters on the terrain.
    """
    turns = None if first is None and last is None else (first or 0, sys.maxsize if last is None else last)
    with progress_bar("drawing") as report:
        return gif(record, width, ms, turns, dark, letters, report)


def _page_name(file: Path) -> str:
    return "-".join(map(str, numbers_of(str(file)) or [file.name.split(".")[0]]))


def show(
    file: RecordFile,
    turn: Annotated[
        int | None,
        typer.Option(metavar="TURN", help="Turn after which to draw; 0 is the start.", show_default="the last"),
    ] = None,
    svg_file: Annotated[Path | None, file_option("--svg", "Write the picture to this SVG file.")] = None,
    store: StoreOption = None,
) -> None:
    """Draws a position of a record, in the terminal or as an SVG file.

    Without --turn and --svg, it also prints the faults of the match and the last lines that bots wrote to stderr.
    """
    record = record_named(file, store)
    frames = in_file(file, lambda: list(replay(record)))
    if svg_file is None:
        state, step = _frame(frames, turn)
        draw(state.game.text(state, step))
        if turn is None:
            show_faults(record, record.player_names)
        return
    check_writable(svg_file)
    write_atomically(svg_file, svg(_scene(record, frames, turn), record.player_names).encode())
    console.print(f"Wrote {svg_file}.")


def _frame(frames: Sequence[tuple[State, Step | None]], turn: int | None) -> tuple[State, Step | None]:
    if turn is None:
        return frames[-1]
    by_turn = {step.report.turn if step else 0: (state, step) for state, step in frames}
    if turn not in by_turn:
        first, last = min(by_turn.keys() - {0}, default=0), max(by_turn)
        known = f"{first} to {last}, and 0 for the start" if last else "only 0, the start"
        raise LapilliError(f"there is no turn {turn}; the turns of this record are {known}")
    return by_turn[turn]


def _scene(record: Record, frames: Sequence[tuple[State, Step | None]], turn: int | None) -> Scene:
    """Returns the picture of the position after a turn.

    Args:
        record: the record of the match.
        frames: all positions of the match, each with the step that led to it (None for the start).
        turn: number of the turn; None for the last.
    """
    state, step = _frame(frames, turn)
    scene = state.game.picture(state, step)
    return with_result(state.game, scene, record.outcome) if state is frames[-1][0] else scene
