"""The command `lapilli compile`, and progress bars for other commands that must compile first."""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from typing import Any, cast

import typer
from rich.filesize import decimal
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

from lapilli.cli.options.commands import add_command, example_game
from lapilli.cli.options.setup import AnyGameName
from lapilli.cli.shared.console import console, errors
from lapilli.core.game import Game
from lapilli.games import load, names
from lapilli.kernels.cache import cache_base, cache_size
from lapilli.kernels.compiler_choice import FAST, chosen_compiler, waiting_time
from lapilli.kernels.kernel import compile_callback
from lapilli.players.engines.precompile import compile_ahead, is_compiled, kernels_of
from lapilli.search.threads import cores
from lapilli.workers.worker_process import WorkerProcess, can_fork


def register(app: typer.Typer) -> None:
    """Adds the command `lapilli compile` to the app."""
    add_command(app, "compile", compile_all, examples=("lapilli compile", f"lapilli compile {example_game()}"))


def compile_all(game: AnyGameName = None) -> None:
    """Compiles rules, searches and pictures for this machine, so that no match, bot or page has to wait for that later.

    The machine code is stored on disk. The last line of the output names its folder and size.
    """
    chosen = [load(game)] if game else [load(name) for name in names()]
    missing = [one for one in chosen if not is_compiled(one, pictures=True, searches=True)]
    if len(missing) > 1 and cores() > 1:
        compile_side_by_side(missing)
    for one in chosen:
        compile_shown(one, pictures=True, searches=True)
        console.print(f"{one.title} {'is now' if one in missing else 'was already'} compiled for this machine.")
    console.print(Text(f"All machine code takes {decimal(cache_size())}, in {cache_base()}."))


def compile_side_by_side(games: Sequence[Game]) -> None:
    """Compiles those kernels of several games that are not compiled yet: one process per game, and at most one process
    per core at a time.

    Shows a progress bar for each game on stderr. If stderr is not a terminal, prints one line instead. If a process
    fails, some kernels of its game stay uncompiled.
    """
    with compile_callback(lambda kernel: None):  # counting makes a searcher, which compiles a kernel
        numbers = {game.name: len(kernels_of(game)) for game in games}
    waiting = sorted(games, key=lambda game: numbers[game.name])  # the largest game comes last, and is taken first
    if not errors.is_terminal:
        print(f"lapilli: {_title(*games)} …", file=sys.stderr)
    running: dict[Connection, tuple[WorkerProcess, TaskID]] = {}
    with _progress_bars() as bar:
        tasks = {game.name: bar.add_task(game.title, total=numbers[game.name]) for game in reversed(waiting)}
        try:
            while waiting or running:
                while waiting and len(running) < cores():
                    game = waiting.pop()
                    worker = WorkerProcess(_compile_in_worker, game.name, forks=can_fork())
                    running[worker.connection] = worker, tasks[game.name]
                for connection in cast(list[Connection], wait(list(running))):
                    worker, task = running[connection]
                    try:
                        done, wanted = worker.receive()
                        bar.update(task, completed=done, total=wanted, refresh=True)
                    except EOFError:
                        del running[connection]
                        worker.wait()
        finally:
            for worker, _ in running.values():
                worker.terminate()
                worker.wait()


def _compile_in_worker(connection: Connection, name: str) -> None:
    """Compiles all kernels of the game `name`, in a worker process.

    After each kernel, sends the numbers of kernels done and in total through `connection` to the parent process.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process, with SIGTERM
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with suppress(BrokenPipeError):  # the parent was killed
        compile_ahead(load(name), lambda *numbers: connection.send(numbers), pictures=True, searches=True, helper=False)


def _progress_bars() -> Progress:
    """Returns progress bars on stderr, which show nothing if stderr is not a terminal."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    return Progress(*columns, console=errors, transient=True, auto_refresh=False, disable=not errors.is_terminal)


def _title(*games: Game) -> str:
    """Returns the message that these games are being compiled. With the plain compiler, it says how long that takes."""
    duration = "" if chosen_compiler() == FAST else f": this takes {waiting_time()}"
    return f"compiling {', '.join(game.title for game in games)} for this machine (once only){duration}"


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
    title = _title(game)
    if not errors.is_terminal:
        print(f"lapilli: {title}; 'lapilli compile' does this in advance …", file=sys.stderr)
    with _progress_bars() as bar:
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
