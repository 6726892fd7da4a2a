"""The command `lapilli dataset`, which makes a data set for learning: positions with the turns of a search."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from lapilli.cli.compiling import compile_shown
from lapilli.cli.options.commands import add_command, example_game
from lapilli.cli.options.output import file_option
from lapilli.cli.options.setup import GameName, WholeSetupOptions
from lapilli.cli.options.workers import ProcessesOption, RayOption, SearchOption, SearchSeedOption
from lapilli.cli.shared.console import console, visible
from lapilli.cli.shared.progress import message_if_stopped, progress_bar
from lapilli.core.api import Setup
from lapilli.envs.learning.datasets.making import make_dataset
from lapilli.envs.learning.datasets.playing import Plan
from lapilli.games import load
from lapilli.match.files.writing import check_writable
from lapilli.workers.mappers import mapper

_MOST_MATCHES = 10_000_000


def register(app: typer.Typer) -> None:
    """Adds the command `lapilli dataset` to the app."""
    game = example_game()
    add_command(
        app,
        "dataset",
        dataset,
        examples=(
            f"lapilli dataset {game} --matches 100",
            f"lapilli dataset {game} --player best:nodes=2000 --matches 5000 --jobs 2 --out {game}.npz",
        ),
    )


def dataset(
    name: GameName,
    *,
    matches: Annotated[int, typer.Option(metavar="N", min=1, max=_MOST_MATCHES, help="Number of matches.")] = 1000,
    player: SearchOption = "best:nodes=400",
    out: Annotated[
        Path | None, file_option("--out", "Write the data set to this file.", default="GAME-data.npz in this folder")
    ] = None,
    seed: SearchSeedOption = 0,
    random_turns: Annotated[
        int, typer.Option(metavar="N", min=0, max=1000, help="Greatest number of random turns that begin a match.")
    ] = 4,
    setup: WholeSetupOptions,
    jobs: ProcessesOption = None,
    ray: RayOption = None,
) -> None:
    """Makes a data set: a search plays against itself, and its turns, their values and the results are stored.

    Ctrl-C stops it. Run the same command again to continue. The result is the same on every machine, and with any
    --jobs. In Python, lapilli.load_dataset(FILE) reads the file.
    """
    game = load(name)
    file = out or Path(f"{game.name}-data.npz")
    check_writable(file)
    game.complete(Setup.from_dict(setup.keys()))
    plan = Plan(game.name, player, matches, seed, random_turns, setup.keys())
    plan.search()
    compile_shown(game, searches=True)
    stopped = message_if_stopped(lambda: "Stopped. Run the same command again to continue.")
    with stopped, mapper(jobs, ray) as run, progress_bar(f"playing {game.title}") as show:
        made = make_dataset(plan, file, run, show)
    size = file.stat().st_size
    shown = f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
    console.print(Text(visible(f"{made.turns:,} turns of {matches:,} matches, {shown}: {file}")), soft_wrap=True)
    console.print(Text(f"SHA-256 of the arrays: {made.hash}"), soft_wrap=True)
