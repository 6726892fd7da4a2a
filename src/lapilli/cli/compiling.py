"""The command `lapilli compile`, and progress bars for other commands that must compile first."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.filesize import decimal
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from lapilli.cli.options.commands import add_command, example_game
from lapilli.cli.options.setup import AnyGameName
from lapilli.cli.shared.console import console, errors
from lapilli.core.game import Game
from lapilli.games import load, names
from lapilli.kernels.cache import cache_base, cache_size
from lapilli.kernels.kernel import compile_callback
from lapilli.players.engines.precompile import compile_ahead, is_compiled


def register(app: typer.Typer) -> None:
    """Adds the command `lapilli compile` to the app."""
    add_command(app, "compile", compile_all, examples=("lapilli compile", f"lapilli compile {example_game()}"))


def compile_all(game: AnyGameName = None) -> None:
    """Compiles rules, searches and pictures for this machine, so that no match, bot or page has to wait for that later.

    The machine code is stored on disk. The last line of the output names its folder and size.
    """
    for chosen in [load(game)] if game else [load(name) for name in names()]:
        was_there = is_compiled(chosen, pictures=True, searches=True)
        compile_shown(chosen, pictures=True, searches=True)
        console.print(f"{chosen.title} {'was already' if was_there else 'is now'} compiled for this machine.")
    console.print(Text(f"All machine code takes {decimal(cache_size())}, in {cache_base()}."))


def compile_shown(game: Game, pictures: bool = False, searches: bool = False) -> None:
    """Compiles those kernels of a game that are not compiled yet, with a progress bar on stderr.

    If stderr is not a terminal, prints one line on stderr instead. If all kernels are compiled, prints nothing.

    Args:
        game: the game.
        pictures: whether to include the kernels that draw pictures.
        searches: whether to include the kernels of the searches.
    """
    if is_compiled(game, pictures, searches):
        return
    title = f"compiling {game.title} for this machine (once only)"
    if not errors.is_terminal:
        print(f"lapilli: {title}; 'lapilli compile' does this in advance …", file=sys.stderr)
        compile_ahead(game, lambda done, wanted: None, pictures, searches)
        return
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=errors, transient=True, auto_refresh=False) as bar:
        task = bar.add_task(title)

        def show(done: int, wanted: int) -> None:
            bar.update(task, completed=done, total=wanted, refresh=True)

        compile_ahead(game, show, pictures, searches)


def compile_aside(game: Game, searches: bool = False) -> None:
    """Compiles those kernels of a game that are not compiled yet, in a separate process.

    The memory that the compiler needs is free again when that process has ended.

    Args:
        game: the game.
        searches: whether to include the kernels of the searches.
    """
    if is_compiled(game, searches=searches):
        return
    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    aside = context.Process(target=_compile_named, args=(game.name, searches))
    aside.start()
    aside.join()


def _compile_named(name: str, searches: bool) -> None:
    compile_shown(load(name), searches=searches)


@contextmanager
def compiled_silently(game: Game, searches: bool = False) -> Iterator[None]:
    """Compiles a game's kernels without output, for commands whose callers treat any text on stderr as an error.

    Kernels that only rare turns need are compiled later, when they are used. In the `with` block, compiling them prints
    nothing either.

    Args:
        game: the game.
        searches: whether to include the kernels of the searches.
    """
    compile_ahead(game, lambda done, wanted: None, searches=searches)
    with compile_callback(lambda function: None):
        yield
