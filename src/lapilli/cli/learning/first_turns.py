"""The command `lapilli first-turns`, which counts the first turns of matches for the site's analysis board."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from lapilli.cli.compiling import compile_shown
from lapilli.cli.options.commands import add_command, example_game
from lapilli.cli.options.output import file_option
from lapilli.cli.options.setup import GameName, WholeSetupOptions
from lapilli.cli.options.workers import ProcessesOption, SearchOption, SearchSeedOption
from lapilli.cli.shared.console import console, visible
from lapilli.cli.shared.progress import progress_bar
from lapilli.core.api import Setup
from lapilli.core.content.first_turns import file_of, write_first_turns
from lapilli.envs.learning.datasets.first_turns import count_first_turns
from lapilli.envs.learning.datasets.playing import Plan
from lapilli.games import load
from lapilli.match.files.writing import check_writable, replaced
from lapilli.workers.mappers import mapper

_MOST_MATCHES = 1_000_000


def register(app: typer.Typer) -> None:
    """Adds the command `lapilli first-turns` to the app."""
    game = example_game()
    add_command(
        app,
        "first-turns",
        first_turns,
        examples=(
            f"lapilli first-turns {game} --matches 100 --least 1",
            f"lapilli first-turns {game} --player best:nodes=2000 --matches 5000 --jobs 2",
        ),
    )


def first_turns(
    name: GameName,
    *,
    matches: Annotated[int, typer.Option(metavar="N", min=1, max=_MOST_MATCHES, help="Number of matches.")] = 1000,
    player: SearchOption = "best:nodes=400",
    least: Annotated[
        int, typer.Option(metavar="N", min=1, help="Leave out turns that were played in fewer matches.")
    ] = 3,
    out: Annotated[
        Path | None,
        file_option("-o", "Write the counts to this file.", default="first_turns-VARIANT.npz in this folder"),
    ] = None,
    seed: SearchSeedOption = 0,
    setup: WholeSetupOptions,
    jobs: ProcessesOption = None,
) -> None:
    """Counts the first turns of matches: a search plays against itself, with some variety in its first turns.

    Put the file into the folder content of a game: then the site's analysis board shows the openings of the game.
    Ctrl-C stops the command, and writes what was counted so far. The result is the same on every machine.
    """
    game = load(name)
    plan = Plan(game.name, player, matches, seed, random_turns=0, setup=setup.keys())
    file = out or Path(file_of(game.complete(Setup.from_dict(setup.keys())).variant))
    check_writable(file)
    plan.search()
    compile_shown(game, searches=True)
    with mapper(jobs) as run, progress_bar(f"playing {game.title}") as show:
        found = count_first_turns(plan, least, run, show)
    with replaced(file) as stream:
        write_first_turns(stream, found)
    size = file.stat().st_size / 1e3
    said = f"{len(found):,} turns of {found.origin.matches:,} matches, {size:,.0f} kB: {file}"
    console.print(Text(visible(said)), soft_wrap=True)
