"""What is played, as the command line says it: a game and its setup. It loads nothing that a bot's start would have to
wait for."""

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


def example_game() -> str:
    """A game to name in an example."""
    try:
        return names()[0]
    except LapilliError:  # what is wrong is for the command to say
        return "GAME"
