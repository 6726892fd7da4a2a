"""The group of commands `lapilli puzzles`, which find puzzles in matches and prove them again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from lapilli.arena.puzzles.mining import Miner, played_records, stored_records
from lapilli.arena.puzzles.proof import proven_again
from lapilli.arena.puzzles.solving import add_puzzles
from lapilli.cli.compiling import compile_shown
from lapilli.cli.options.commands import add_command, add_group, example_game
from lapilli.cli.options.output import file_option, path_of
from lapilli.cli.options.setup import GameName
from lapilli.cli.options.store import StoreOption, open_store
from lapilli.cli.shared.codes import FAILED
from lapilli.cli.shared.console import console, error, visible
from lapilli.cli.shared.progress import progress_bar
from lapilli.cli.shared.stores import command
from lapilli.core.api import Game
from lapilli.core.content.puzzles import Puzzle, puzzle_lines, puzzles_of, read_puzzles
from lapilli.core.errors import LapilliError
from lapilli.core.picture.words import quantity
from lapilli.games import load
from lapilli.match.files.writing import check_writable, write_atomically
from lapilli.match.record import Record
from lapilli.store import Store


def register(app: typer.Typer) -> None:
    """Adds the group of commands `lapilli puzzles` to the app."""
    group = add_group(
        app,
        "puzzles",
        "Finds and proves puzzles: positions where one turn is clearly the best.",
        examples=(f"lapilli puzzles mine {example_game()}",),
    )
    add_command(
        group,
        "mine",
        mine,
        examples=(
            f"lapilli puzzles mine {example_game()} --most 10 --minutes 5",
            f"lapilli puzzles mine {example_game()} -o puzzles.jsonl",
        ),
    )
    add_command(
        group,
        "check",
        check,
        examples=(
            f"lapilli puzzles check {example_game()} --most 3",
            f"lapilli puzzles check {example_game()} puzzles.jsonl -o proven.jsonl",
        ),
    )


def mine(
    name: GameName,
    most: Annotated[
        int, typer.Option(metavar="N", help="Number of puzzles after which to stop.", min=1, max=10_000)
    ] = 20,
    minutes: Annotated[
        float, typer.Option(metavar="MINUTES", help="Time after which to stop, in minutes.", min=0.01)
    ] = 10.0,
    seed: Annotated[
        int, typer.Option(metavar="SEED", help="Seed of the searches, and of matches played to find puzzles.")
    ] = 0,
    nodes: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Node limit of each deep search.",
            min=8,
            show_default="as for the puzzles that come with the game, or what this machine searches in 0.25 s",
        ),
    ] = None,
    out: Annotated[
        Path | None, file_option("-o", "Write the puzzles to this file, too (.jsonl).", default="to the store only")
    ] = None,
    store: StoreOption = None,
) -> None:
    """Finds puzzles in the stored matches of a game, then in new matches between built-in opponents.

    The puzzles are added to the store. Ctrl-C stops the search; the puzzles found so far are added, too.
    """
    game = load(name)
    if out is not None:
        check_writable(out)
    compile_shown(game, searches=True)
    miner = Miner(game, seed, nodes)
    with open_store(store) as opened:
        found = _found(opened, game, miner, most, minutes, seed)
        new = add_puzzles(opened, game, found)
    if out is not None:
        write_atomically(out, puzzle_lines(found))
    count = quantity(len(found), "puzzle")
    console.print(Text(visible(f"Found {count}, {new} of them new. Solve them: {command('site', store)}")))


def check(
    name: GameName,
    file: Annotated[
        Path | None,
        typer.Argument(
            parser=path_of, metavar="FILE", help="File with puzzles (.jsonl).", show_default="the game's own"
        ),
    ] = None,
    most: Annotated[
        int | None,
        typer.Option(metavar="N", help="Number of puzzles, spread over the file.", min=1, show_default="all"),
    ] = None,
    out: Annotated[
        Path | None,
        file_option("-o", "Write the puzzles that are still puzzles to this file, as they are proven now (.jsonl)."),
    ] = None,
) -> None:
    """Proves a game's puzzles again, with the searches that found them.

    Exit codes: 0 if all puzzles are found again as they are, 1 if not.
    """
    game = load(name)
    if out is not None:
        check_writable(out)
    puzzles = read_puzzles(game.content) if file is None else _puzzles_in(file)
    chosen = list(enumerate(puzzles, 1))[:: max(1, -(-len(puzzles) // most)) if most else 1]
    compile_shown(game, searches=True)
    kept, changed = list[Puzzle](), 0
    with progress_bar(f"proving puzzles of {game.title}") as tell:
        for done, (number, puzzle) in enumerate(chosen, 1):
            found = proven_again(game, puzzle)
            if found is not None:
                kept.append(found)
            if found != puzzle:
                changed += 1
                error(f"puzzle {number} {'is no puzzle any more' if found is None else 'is found with other results'}")
            tell(done, len(chosen))
    if out is not None:
        write_atomically(out, puzzle_lines(kept))
    console.print(Text(f"{len(chosen) - changed} of {len(chosen)} puzzles are found again as they are."))
    if changed:
        raise typer.Exit(FAILED)


def _puzzles_in(file: Path) -> tuple[Puzzle, ...]:
    """Reads a file of puzzles. Raises LapilliError if there is none, or if a line is no puzzle."""
    try:
        return puzzles_of(file.read_bytes(), str(file))
    except OSError as problem:
        raise LapilliError(f"cannot read {file}: {problem.strerror}") from None


def _found(store: Store, game: Game, miner: Miner, most: int, minutes: float, seed: int) -> list[Puzzle]:
    """Finds puzzles in stored matches, and then in new matches played with `seed`. Returns the puzzles.

    Stops when there are `most` puzzles, after `minutes` minutes, or at Ctrl-C.
    """
    until = time.monotonic() + 60 * minutes
    found: list[Puzzle] = []
    records: Iterator[Record] = chain(stored_records(store, game), played_records(game, seed))

    class _Up(Exception):
        """Raised inside a search for puzzles to end it when `minutes` have passed."""

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
