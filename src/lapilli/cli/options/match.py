"""Options for matches: time limits and sandbox of the bots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from lapilli.match import Clock
from lapilli.players import Sandbox

_LIMITS = "Time limits"
BOTS_PANEL = "Bots"
"""Titles of two panels of options in help texts."""


def _milliseconds(name: str, text: str, default: str = "") -> Any:
    return typer.Option(name, metavar="MS", help=text, rich_help_panel=_LIMITS, show_default=default or True)


SandboxOption = Annotated[
    Sandbox,
    typer.Option(
        "--sandbox",
        help="Run bots in a sandbox: where bubblewrap works (auto), always (require) or never (off).",
        rich_help_panel=BOTS_PANEL,
    ),
]


@dataclass(frozen=True, kw_only=True)
class FactorOptions:
    """Options that change all time limits of the game, or switch them off."""

    time_factor: Annotated[
        float,
        typer.Option(
            "--time-factor",
            metavar="FACTOR",
            help="Multiply all time limits by this.",
            min=0.001,
            rich_help_panel=_LIMITS,
        ),
    ] = 1.0
    no_timeout: Annotated[
        bool, typer.Option("--no-timeout", help="Play without time limits, to debug bots.", rich_help_panel=_LIMITS)
    ] = False


@dataclass(frozen=True, kw_only=True)
class OddsOptions:
    """Options that set time and memory limits for single players."""

    odds: Annotated[
        list[str] | None,
        typer.Option(
            "--odds",
            metavar="NAME=FACTOR",
            help="Multiply the time limits of this player; can be repeated.",
            rich_help_panel=_LIMITS,
        ),
    ] = None
    memory: Annotated[
        list[str] | None,
        typer.Option(
            "--memory",
            metavar="NAME=MB",
            help="Memory of this bot in the sandbox, in mebibytes; can be repeated.",
            rich_help_panel=BOTS_PANEL,
            show_default="768",
        ),
    ] = None

    def keys(self) -> dict[str, Any]:
        """Returns the arguments `odds` and `memory_mb` for `recipe_of`, each a dict from players' names to numbers."""
        odds = dict(_named_number("--odds", text, float) for text in self.odds or ())
        return {"odds": odds, "memory_mb": dict(_named_number("--memory", text, int) for text in self.memory or ())}


def _named_number(option: str, text: str, kind: Callable[[str], Any]) -> tuple[str, Any]:
    name, _, number = text.rpartition("=")
    try:
        value = kind(number)
    except ValueError:
        name = ""
    if not name:
        raise typer.BadParameter(f"{option} {text}: expected NAME=NUMBER")
    return name, value


@dataclass(frozen=True, kw_only=True)
class ClockOptions(FactorOptions):
    """Options for the clock of a match."""

    limit: Annotated[
        float | None, _milliseconds("--limit", "Time for each reply, in milliseconds.", "the game's limit")
    ] = None
    first_limit: Annotated[
        float | None,
        _milliseconds("--first-limit", "Time for a bot's first reply, in milliseconds.", "the game's limit"),
    ] = None
    margin: Annotated[float, _milliseconds("--margin", "Time by which a reply may be late, in milliseconds.")] = 0.0
    cpu_limit: Annotated[
        float | None,
        _milliseconds(
            "--cpu-limit", "Processor time for each reply, in milliseconds, over all processes of the bot.", "no limit"
        ),
    ] = None

    def settings(self) -> dict[str, Any]:
        """Returns the arguments of `Clock` that the options set, by name. Arguments with default values are left out.

        Raises:
            SetupError: a value is out of range.
        """
        chosen: dict[str, Any] = {
            "factor": self.time_factor,
            "unlimited": self.no_timeout,
            "first_ms": self.first_limit,
            "reply_ms": self.limit,
            "margin_ms": self.margin,
            "cpu_ms": self.cpu_limit,
        }
        Clock(**chosen)
        usual = Clock()
        return {name: value for name, value in chosen.items() if value != getattr(usual, name)}


@dataclass(frozen=True, kw_only=True)
class SandboxOptions:
    """Options for the sandbox of bots."""

    sandbox: SandboxOption = Sandbox.AUTO
    bot_folder: Annotated[
        list[Path] | None,
        typer.Option(
            "--bot-folder",
            metavar="FOLDER",
            exists=True,
            help="Folder that bots in the sandbox can read, besides those their commands name; can be repeated.",
            rich_help_panel=BOTS_PANEL,
        ),
    ] = None

    @property
    def folders(self) -> list[str]:
        """The values of --bot-folder: folders that bots in the sandbox can read."""
        return [str(folder) for folder in self.bot_folder or []]
