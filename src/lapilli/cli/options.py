"""Options that several commands share, and what they stand for."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lapilli.arena.playing import Keep
from lapilli.games.errors import StoreError
from lapilli.games.setup import COMMON_KEYS
from lapilli.match import Clock
from lapilli.players import Sandbox

if TYPE_CHECKING:
    from lapilli.arena.store import Store

_CLOCK = "Time"


def _limit(name: str, text: str) -> Any:
    return typer.Option(name, metavar="MS", help=text, rich_help_panel=_CLOCK)


SeedOption = Annotated[
    int | None, typer.Option("--seed", help="Settles all that is drawn by lot.", show_default="a fresh one")
]
LeagueOption = Annotated[
    str | None, typer.Option("--league", help="The rules of an earlier league.", show_default="all rules")
]
VariantOption = Annotated[str | None, typer.Option("--variant", help="A variant of the game.")]
OwnOption = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A key of the game's own.")]
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


def clock_settings(
    time_factor: float,
    no_timeout: bool,
    limit: float | None,
    first_limit: float | None,
    margin: float,
    cpu_limit: float | None,
) -> dict[str, Any]:
    """What of a Clock is not as usual, by the names that it has there. Raises SetupError where one is out of range."""
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


def setup_keys(league: str | None, variant: str | None, own: Sequence[str] | None) -> dict[str, Any]:
    """The keys of a setup that options give, without those that they do not."""
    common = {"league": league, "variant": variant}
    given = {key: value for key, value in common.items() if value is not None}
    return given | dict(own_key(text) for text in own or [])


def own_key(text: str) -> tuple[str, Any]:
    """A `--set KEY=VALUE`, taken apart: the value is JSON, or else a text."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise typer.BadParameter(f"--set {text}: expected KEY=VALUE")
    if key in COMMON_KEYS:
        raise typer.BadParameter(f"--set {key}: that is for a game's own keys; see the options, and name the players")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


def open_store(where: str | None, *, create: bool = True) -> Store:
    """The store that an option names; without it, one file of this user's, whose folder is made.

    Args:
        create: whether it is made where there is none.

    Raises:
        StoreError: it cannot be opened.
    """
    from lapilli.arena.store import Store  # takes a quarter of a second to load, and most commands need none

    if where is not None:
        return Store.open(where, create=create)
    file = default_store()
    if create:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"there can be no store in {file.parent}: {error.strerror}") from None
    return Store.open(file, create=create)


def default_store() -> Path:
    """The file that matches are stored in where nobody says otherwise."""
    home = os.environ.get("XDG_DATA_HOME", "")
    base = Path(home) if os.path.isabs(home) else Path.home() / ".local" / "share"
    return base / "lapilli" / "arena.db"
