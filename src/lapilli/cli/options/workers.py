"""Options for playing many matches at once."""

from __future__ import annotations

from typing import Annotated

import typer

JobsOption = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        min=1,
        help="Number of matches played at once.",
        show_default="one for every two cores",
    ),
]
ProcessesOption = Annotated[
    int | None,
    typer.Option(
        "--jobs", "-j", metavar="N", min=1, max=256, help="Number of matches played at once.", show_default="1"
    ),
]
RayOption = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Play on a Ray cluster: auto, or HOST:PORT of its head.",
        show_default="on this machine",
    ),
]
SearchOption = Annotated[
    str, typer.Option("--player", metavar="NAME", help="The search that plays all seats, with a limit of nodes.")
]
SearchSeedOption = Annotated[int, typer.Option("--seed", metavar="SEED", min=0, help="Seed of all random draws.")]
