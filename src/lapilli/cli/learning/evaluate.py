"""The command `lapilli evaluate`, which measures how strong a player is, on the scale of the game's levels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from lapilli.arena.matches.contestants import contestants_of
from lapilli.cli.compiling import compile_shown
from lapilli.cli.options.commands import add_command, example_game
from lapilli.cli.options.output import file_option, path_of
from lapilli.cli.options.setup import GameName, WholeSetupOptions, complete_player
from lapilli.cli.options.workers import JobsOption
from lapilli.cli.shared.console import console, visible
from lapilli.cli.shared.progress import message_if_stopped, progress_bar
from lapilli.core.errors import LapilliError
from lapilli.envs.learning.evaluation.evaluate import evaluate as evaluated
from lapilli.games import load
from lapilli.match.files.writing import check_writable


def register(app: typer.Typer) -> None:
    """Adds the command `lapilli evaluate` to the app."""
    game = example_game()
    add_command(
        app,
        "evaluate",
        evaluate,
        examples=(
            f'lapilli evaluate {game} "python3 mybot.py"',
            f"lapilli evaluate {game} best:weights=mine.npz --against level5 --against level8 --page result.html",
        ),
    )


def evaluate(
    name: GameName,
    player: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER", help="A bot's command line, or a built-in opponent.", autocompletion=complete_player
        ),
    ],
    *,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="An opponent; can be repeated.",
            show_default="every second level",
            autocompletion=complete_player,
        ),
    ] = None,
    matches: Annotated[
        int, typer.Option(metavar="N", min=2, max=1_000_000, help="Number of matches against each opponent.")
    ] = 200,
    seed: Annotated[int, typer.Option(metavar="SEED", help="Seed of the first pair of matches.")] = 0,
    page: Annotated[Path | None, file_option("--page", "Write a page with a leaderboard to this file (.html).")] = None,
    lost: Annotated[
        Path | None,
        typer.Option("--lost", parser=path_of, metavar="FOLDER", help="Write records of lost matches to this folder."),
    ] = None,
    setup: WholeSetupOptions,
    jobs: JobsOption = None,
) -> None:
    """Measures how strong a player is: its Elo on the scale of the game's levels, where random play has 0.

    The player meets each opponent in pairs of matches with exchanged seats. The 95 % interval takes the chance
    in these matches into account.

    The matches are not stored, so the command cannot be continued after Ctrl-C.
    """
    game = load(name)
    if page is not None:
        check_writable(page)
    if lost is not None and lost.exists() and not lost.is_dir():
        raise LapilliError(f"{lost} is no folder: name another one with --lost")
    contestants_of(game, [player, *(against or [])])  # checks the players before anything is compiled
    compile_shown(game, searches=True)
    progress = (0, 0)

    def stopped() -> str:
        done, total = progress
        after = f"after {done:,} of {total:,} matches" if done else "before the first match ended"
        return f"Stopped {after}: there is no result. A smaller --matches takes less time."

    with message_if_stopped(stopped), progress_bar(f"playing {game.title}") as bar:

        def show(done: int, total: int) -> None:
            nonlocal progress
            progress = done, total
            bar(done, total)

        result = evaluated(player, game, against, matches=matches, seed=seed, jobs=jobs, show=show, **setup.keys())
    console.print(Text(visible(str(result))), soft_wrap=True)
    if page is not None:
        result.page(page)
    if lost is not None:
        result.save_lost(lost)
