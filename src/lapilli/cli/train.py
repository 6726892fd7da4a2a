"""The command `lapilli train`."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import Annotated

import typer
from rich.text import Text

from lapilli.cli.options.options import RayOption
from lapilli.cli.options.panels import TOOLS
from lapilli.cli.options.setup import GameName
from lapilli.cli.shared.console import console, file_option, path_of, visible
from lapilli.core.errors import LapilliError
from lapilli.envs.training.selfplay import NODES
from lapilli.envs.training.training import Training, resumed_training
from lapilli.envs.training.workers import players
from lapilli.games import load, names
from lapilli.search.budget import MAX_NODES

_MOST_MINUTES = 7 * 24 * 60
_MOST_JOBS = 256
_KEEP_S = 20.0
"""Minimum seconds between two saves of the training."""
_SEEDS = 2**31 - 1


def register(app: typer.Typer) -> None:
    """Adds this file's command."""
    # No real game is named: which games can be trained is known only once they are loaded, which would slow the start.
    epilog = "Example: lapilli train GAME --minutes 30 --jobs 2"
    app.command("train", rich_help_panel=TOOLS, epilog=epilog)(train)


def train(
    game: GameName,
    out: Annotated[
        Path | None, file_option("--out", "Where the weights are written.", default="GAME.npz, here")
    ] = None,
    scratch: Annotated[
        bool, typer.Option("--from-scratch", help="Begin with nothing, not with the weights of the game.")
    ] = False,
    minutes: Annotated[float, typer.Option(min=0.01, max=_MOST_MINUTES, help="How long to train, in all.")] = 30,
    games: Annotated[
        int | None, typer.Option(min=1, help="Stop after so many matches, in all; in rounds of 16.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=_SEEDS, help="Of all chance.")] = 0,
    nodes: Annotated[int, typer.Option(min=1, max=MAX_NODES, help="Simulations for a turn.")] = NODES,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, max=_MOST_JOBS, help="Matches at once.", show_default="1")
    ] = None,
    ray: RayOption = None,
) -> None:
    """Learns what a game's search is to look at first, from matches of the search with itself.

    Where a game's searches have nothing to learn, it says in which games they have. Stopped with Ctrl-C, or killed, it
    goes on where it was when it is started again. Seed and number of matches decide what is learned, not the number of
    jobs. To play with what was learned, name a player as best:weights=FILE.
    """
    chosen = load(game)
    if chosen.policy is None:
        others = ", ".join(other for other in names() if load(other).policy is not None) or "no game"
        raise LapilliError(f"{chosen.title} has nothing to train: of the games {others} has a policy that is learned")
    out = out or Path(f"{chosen.name}.npz")
    if out.is_dir():
        raise LapilliError(f"{path_of(str(out))} is a folder: name a file in it to write weights into")
    if not out.resolve().parent.is_dir():
        raise LapilliError(f"there is no folder {path_of(str(out.resolve().parent))} to write weights into")
    training = resumed_training(chosen, seed, nodes, out, scratch)
    if training.games:
        console.print(Text(f"going on after {training.games} matches, {training.seconds / 60:.1f} minutes"))
    kept = -_KEEP_S
    with players(jobs, ray) as play:
        try:
            while training.seconds < 60 * minutes and (games is None or training.games < games):
                training = training.after_round(play)
                console.print(Text(_told(training, minutes)), soft_wrap=True)
                if monotonic() - kept >= _KEEP_S:
                    training.keep(out)
                    kept = monotonic()
        finally:
            if training.games:
                training.keep(out)
    player = f"{chosen.policy.search}:weights={out}"
    console.print(Text(f"weights in {path_of(str(out))}; to play with them: {visible(player)}"), soft_wrap=True)


def _told(training: Training, minutes: float) -> str:
    left = max(0.0, minutes - training.seconds / 60)
    return f"{training.games} matches, loss {training.loss:.3f}, {left:.1f} minutes left"
