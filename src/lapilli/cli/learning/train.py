"""The command `lapilli train`, which trains the policy of a game's search."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import Annotated

import typer
from rich.text import Text

from lapilli.cli.options.commands import GAMES_ARE_MATCHES, add_command, example_game
from lapilli.cli.options.output import file_option
from lapilli.cli.options.setup import GameName
from lapilli.cli.options.workers import ProcessesOption, RayOption
from lapilli.cli.shared.console import console, visible
from lapilli.cli.shared.progress import message_if_stopped
from lapilli.core.errors import LapilliError
from lapilli.envs.learning.training.selfplay import NODES
from lapilli.envs.learning.training.training import Training, resumed_training
from lapilli.games import load, names
from lapilli.search.budget import MAX_NODES
from lapilli.workers.mappers import mapper

_MOST_MINUTES = 7 * 24 * 60
_KEEP_S = 20.0
"""Shortest time between two saves of the training, in seconds."""
_SEEDS = 2**31 - 1


def register(app: typer.Typer) -> None:
    """Adds the command `lapilli train` to the app."""
    game = example_game()
    add_command(
        app,
        "train",
        train,
        examples=(
            f"lapilli train {game} --minutes 30 --jobs 2",
            f"lapilli train {game} --from-scratch --out mine.npz",
            f"lapilli match {game} best:weights=mine.npz best",
        ),
        renamed=GAMES_ARE_MATCHES,
    )


def train(
    game: GameName,
    out: Annotated[
        Path | None, file_option("--out", "Write the weights to this file.", default="GAME.npz in this folder")
    ] = None,
    scratch: Annotated[
        bool, typer.Option("--from-scratch", help="Start without weights, not with those of the game.")
    ] = False,
    minutes: Annotated[
        float, typer.Option(metavar="MINUTES", min=0.01, max=_MOST_MINUTES, help="Total time to train, in minutes.")
    ] = 30,
    matches: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Total number of matches, rounded up to rounds of 16.", show_default="no limit"
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="SEED", min=0, max=_SEEDS, help="Seed of all random draws.")] = 0,
    nodes: Annotated[
        int, typer.Option(metavar="N", min=1, max=MAX_NODES, help="Simulations of the search for each turn.")
    ] = NODES,
    jobs: ProcessesOption = None,
    ray: RayOption = None,
) -> None:
    """Trains the policy of a game's search by self-play. The policy decides which actions the search tries first.

    Ctrl-C stops the training. Run the same command again to continue it. --seed and --matches determine the result;
    --jobs does not change it. To play with the weights, name the player best:weights=FILE.
    """
    chosen = load(game)
    if chosen.policy is None:
        others = ", ".join(other for other in names() if load(other).policy is not None) or "none"
        raise LapilliError(f"{chosen.title} has no policy to train; games with a policy: {others}")
    out = out or Path(f"{chosen.name}.npz")
    if out.is_dir():
        raise LapilliError(f"{out} is a folder: name a file in it with --out")
    if not out.resolve().parent.is_dir():
        raise LapilliError(f"there is no folder {out.resolve().parent}: make it, or name another file with --out")
    training = resumed_training(chosen, seed, nodes, out, scratch)
    if training.games:
        console.print(Text(f"Continuing after {training.games} matches and {training.seconds / 60:.1f} minutes."))
    saved = -_KEEP_S

    def stopped() -> str:
        if not training.games:
            return "Stopped before the first round of matches ended: nothing was written."
        return f"Stopped after {training.games} matches. Run the same command again to continue."

    with message_if_stopped(stopped), mapper(jobs, ray) as play:
        try:
            while training.seconds < 60 * minutes and (matches is None or training.games < matches):
                training = training.after_round(play)
                console.print(Text(_progress(training, minutes)), soft_wrap=True)
                if monotonic() - saved >= _KEEP_S:
                    training.keep(out)
                    saved = monotonic()
        finally:
            if training.games:
                training.keep(out)
    player = f"{chosen.policy.search}:weights={out}"
    console.print(Text(visible(f"Wrote the weights to {out}. Play with them: {player}")), soft_wrap=True)


def _progress(training: Training, minutes: float) -> str:
    left = max(0.0, minutes - training.seconds / 60)
    return f"{training.games} matches, loss {training.loss:.3f}, {left:.1f} minutes left"
