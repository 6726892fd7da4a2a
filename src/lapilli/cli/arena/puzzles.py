"""The command `lapilli puzzles`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from lapilli.arena.puzzles.mining import Miner, played_records, stored_records
from lapilli.arena.puzzles.solving import add_puzzles
from lapilli.cli.compiling import compile_shown
from lapilli.cli.options.options import StoreOption, open_store
from lapilli.cli.options.panels import PLAY
from lapilli.cli.shared.console import console, file_option, visible
from lapilli.cli.shared.progress import progress_bar
from lapilli.cli.shared.stores import command
from lapilli.core.api import Game
from lapilli.core.content.puzzles import Puzzle, puzzle_lines
from lapilli.games import load
from lapilli.match.files import check_writable, write_atomically
from lapilli.match.record import Record
from lapilli.store import Store


def register(app: typer.Typer) -> None:
    """Adds this file's commands."""
    puzzles = typer.Typer(help="Puzzles: positions where one turn is clearly the best.", no_args_is_help=True)
    puzzles.command("mine", epilog="Example: lapilli puzzles mine GAME --most 10 --minutes 5")(mine)
    app.add_typer(puzzles, name="puzzles", rich_help_panel=PLAY)


def mine(
    name: Annotated[str, typer.Argument(metavar="GAME", help="The game.")],
    most: Annotated[int, typer.Option(help="Stop when there are so many new ones.", min=1, max=10_000)] = 20,
    minutes: Annotated[float, typer.Option(help="Stop after so long.", min=0.01)] = 10.0,
    seed: Annotated[int, typer.Option(help="Of the searches' chance, and of matches that are played for it.")] = 0,
    out: Annotated[Path | None, file_option("-o", "Write them here (JSON lines) as well.", default="nowhere")] = None,
    store: StoreOption = None,
) -> None:
    """Looks for puzzles in the stored matches of a game; where those have too few, levels play more.

    Ctrl-C keeps what was found.
    """
    game = load(name)
    if out is not None:
        check_writable(out)
    compile_shown(game, searches=True)
    miner = Miner(game, seed)
    with open_store(store) as kept:
        found = _found(kept, game, miner, most, minutes, seed)
        new = add_puzzles(kept, game, found)
    if out is not None:
        write_atomically(out, puzzle_lines(found))
    console.print(
        Text(visible(f"{len(found)} puzzles were found, {new} of them new. See them: {command('site', store)}"))
    )


def _found(store: Store, game: Game, miner: Miner, most: int, minutes: float, seed: int) -> list[Puzzle]:
    """Finds puzzles until there are `most` of them, the time is up, or the user stops it, and returns them."""
    until = time.monotonic() + 60 * minutes
    found: list[Puzzle] = []
    records: Iterator[Record] = chain(stored_records(store, game), played_records(game, seed))

    class _Up(Exception):
        """Raised when the time is up."""

    with progress_bar(f"looking for puzzles of {game.title}") as tell:

        def look() -> None:
            if time.monotonic() > until:
                raise _Up

        try:
            for record in records:
                look()
                for puzzle in miner.mine(record, look):
                    found.append(puzzle)
                    tell(len(found), most)
                    if len(found) >= most:
                        return found
        except (_Up, KeyboardInterrupt):
            pass
    return found
