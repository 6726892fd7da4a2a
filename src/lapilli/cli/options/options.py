"""Options that several commands share, and functions that turn their values into objects."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lapilli.arena.matches.playing import Keep
from lapilli.core.errors import StoreTrouble
from lapilli.match import Clock
from lapilli.players import Sandbox
from lapilli.store.places import default_store

if TYPE_CHECKING:
    from lapilli.store import Store

_CLOCK = "Time"
STORE_PATIENCE_S = 30.0
"""Seconds for which a command retries if the store is locked or cannot be reached."""


def _limit(name: str, text: str) -> Any:
    return typer.Option(name, metavar="MS", help=text, rich_help_panel=_CLOCK)


TimeFactorOption = Annotated[
    float, typer.Option("--time-factor", help="Scale the time limits.", min=0.001, rich_help_panel=_CLOCK)
]
NoTimeoutOption = Annotated[
    bool, typer.Option("--no-timeout", help="No time limits, for debugging.", rich_help_panel=_CLOCK)
]
LimitOption = Annotated[float | None, _limit("--limit", "Milliseconds for a reply, in place of the game's.")]
FirstLimitOption = Annotated[float | None, _limit("--first-limit", "The same for a bot's first reply.")]
MarginOption = Annotated[float, _limit("--margin", "Milliseconds that a reply may be late.")]
CpuLimitOption = Annotated[
    float | None, _limit("--cpu-limit", "Milliseconds of processor time for a reply, all processes together.")
]
SandboxOption = Annotated[
    Sandbox,
    typer.Option("--sandbox", help="Lock bots in: where bubblewrap works, always, or never.", show_choices=True),
]
BotFolderOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--bot-folder",
        metavar="FOLDER",
        exists=True,
        help="Show bots in the sandbox this folder, too, beside what their commands name; may be given again.",
    ),
]
StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="WHERE",
        help="Where matches are kept: a file, or postgresql://…",
        show_default="one of your own",
    ),
]
JobsOption = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, help="Matches at once.", show_default="one for every two cores")
]
RayOption = Annotated[
    str | None,
    typer.Option("--ray", metavar="ADDRESS", help="Play on a Ray cluster: auto, or HOST:PORT of its head."),
]
KeepOption = Annotated[Keep, typer.Option("--keep", help="Whose records to keep.", show_choices=True)]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def bot_folders_of(option: list[Path] | None) -> list[str]:
    """Returns the folders given by `--bot-folder`, as strings."""
    return [str(folder) for folder in option or []]


def clock_settings(
    time_factor: float,
    no_timeout: bool,
    limit: float | None,
    first_limit: float | None,
    margin: float,
    cpu_limit: float | None,
) -> dict[str, Any]:
    """Returns the settings of a `Clock` that differ from its defaults, by their names there.

    Raises:
        SetupError: a value is out of range.
    """
    chosen: dict[str, Any] = {
        "factor": time_factor,
        "unlimited": no_timeout,
        "first_ms": first_limit,
        "reply_ms": limit,
        "margin_ms": margin,
        "cpu_ms": cpu_limit,
    }
    Clock(**chosen)
    usual = Clock()
    return {name: value for name, value in chosen.items() if value != getattr(usual, name)}


def open_store(
    where: str | None, *, create: bool = True, patience: float = STORE_PATIENCE_S, rest: float = 0.0
) -> Store:
    """Opens a store; by default the file of this user, whose folder is made if missing.

    Args:
        where: value of the option --store; None for the default.
        create: whether to create a missing store.
        patience, rest: as in `Store.open`.

    Raises:
        StoreTrouble: the store cannot be opened.
    """
    from lapilli.store import Store  # imported here: it takes a quarter of a second, and most commands do not need it

    if where is not None:
        return Store.open(where, create=create, patience=patience, rest=rest)
    file = default_store()
    if create:
        try:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreTrouble(f"there can be no store in {file.parent}: {error.strerror}") from None
    return Store.open(file, create=create, patience=patience, rest=rest)
