"""Options that `lapilli compare`, `tournament` and `tune` share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from lapilli.arena.matches.playing import Keep
from lapilli.cli.options.match import BOTS_PANEL
from lapilli.cli.options.output import JsonOption, file_option
from lapilli.cli.options.store import StoreOption
from lapilli.cli.options.workers import JobsOption, RayOption

OpeningsOption = Annotated[
    Path | None,
    file_option(
        "--openings", "Start pairs from the positions in this file, one in each line.", default="the game's own"
    ),
]


@dataclass(frozen=True, kw_only=True)
class EventOptions:
    """Options for an event whose matches are stored, so that the same command can continue it later."""

    seed: Annotated[int, typer.Option(metavar="SEED", help="Seed of the first pair of matches.", min=0)] = 0
    jobs: JobsOption = None
    ray: RayOption = None
    store: StoreOption = None
    resume: Annotated[
        bool,
        typer.Option("--resume/--fresh", help="Continue the same event from the store, or start a new one."),
    ] = True
    keep: Annotated[
        Keep,
        typer.Option("--keep", help="Records to keep: all, those of lost matches and matches with a fault, or none."),
    ] = Keep.ALL
    freeze_idle: Annotated[
        bool,
        typer.Option(
            "--freeze-idle/--let-think",
            help="Freeze bots while they wait for their turn, or let them think.",
            rich_help_panel=BOTS_PANEL,
        ),
    ] = True
    as_json: JsonOption = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the result only, as one sentence.")] = False
