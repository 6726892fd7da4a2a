"""Arguments and options for a game and its setup. Nothing slow is imported here, so that `lapilli bot` starts fast."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from lapilli.core.errors import LapilliError
from lapilli.core.setup import COMMON_KEYS
from lapilli.games import names

GameName = Annotated[str, typer.Argument(metavar="GAME", help="A game's name; 'lapilli games' lists them.")]
SeedOption = Annotated[
    int | None, typer.Option("--seed", help="Settles all that is drawn by lot.", show_default="a fresh one")
]
LeagueOption = Annotated[
    str | None, typer.Option("--league", help="The rules of an earlier league.", show_default="all rules")
]
VariantOption = Annotated[str | None, typer.Option("--variant", help="A variant of the game.")]
OwnOption = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A key of the game's own.")]


def setup_keys(league: str | None, variant: str | None, own: Sequence[str] | None) -> dict[str, Any]:
    """Returns the setup keys set by options; options that are not set are left out."""
    common = {"league": league, "variant": variant}
    given = {key: value for key, value in common.items() if value is not None}
    return given | dict(own_key(text) for text in own or [])


def own_key(text: str) -> tuple[str, Any]:
    """Parses KEY=VALUE of the option `--set`. The value is parsed as JSON if possible, else it is a string."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise typer.BadParameter(f"--set {text}: expected KEY=VALUE")
    if key in COMMON_KEYS:
        raise typer.BadParameter(f"--set {key}: that is for a game's own keys; see the options, and name the players")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


def example_game() -> str:
    """Returns the name of a game for examples in help texts."""
    try:
        return names()[0]
    except LapilliError:  # the command itself reports the error
        return "GAME"
