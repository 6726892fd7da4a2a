"""Arguments and options for a game and its setup.

Nothing slow is imported here, so that `lapilli bot` starts fast.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from lapilli.core.setup import COMMON_KEYS
from lapilli.games import load, names


def _games(incomplete: str) -> list[str]:
    """Returns the names of games that begin with the text that the user has typed, for the shell's completion."""
    return [name for name in names() if name.startswith(incomplete)]


def complete_player(context: typer.Context, incomplete: str) -> list[str]:
    """Returns the names of built-in opponents that begin with `incomplete`, for the shell's completion.

    The opponents are those of the game on the command line. The list is empty if there is no game of that name.
    `context` contains the command line as far as it was typed.
    """
    from lapilli.players import builtin_names, search_names  # slow, so imported only when needed

    name = context.params.get("name")
    if name not in names():
        return []
    game = load(name)
    return [player for player in (*builtin_names(game), *search_names(game)) if player.startswith(incomplete)]


GameName = Annotated[
    str,
    typer.Argument(metavar="GAME", help="Name of the game; 'lapilli games' lists all games.", autocompletion=_games),
]
AnyGameName = Annotated[
    str | None,
    typer.Argument(metavar="GAME", help="Name of one game.", show_default="all games", autocompletion=_games),
]
SeedOption = Annotated[
    int | None, typer.Option("--seed", metavar="SEED", help="Seed of all random draws.", show_default="a random seed")
]
PlayersOption = Annotated[
    int | None,
    typer.Option(
        "--players",
        metavar="N",
        help="Number of players in each match, in games for more than two.",
        show_default="the game's usual number",
    ),
]


@dataclass(frozen=True, kw_only=True)
class VariantOptions:
    """Options for the setup of a match: the variant, and settings that only this game has."""

    variant: Annotated[
        str | None, typer.Option("--variant", metavar="NAME", help="Variant of the game.", show_default="the usual one")
    ] = None
    own: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting that only this game has; can be repeated."),
    ] = None

    def keys(self) -> dict[str, Any]:
        """Returns the keys of the setup that these options set, with their values."""
        common = {} if self.variant is None else {"variant": self.variant}
        return common | dict(own_key(text) for text in self.own or [])


@dataclass(frozen=True, kw_only=True)
class SetupOptions(VariantOptions):
    """Options for the setup of a match: the variant, settings that only this game has, and the league.

    A league is a form of the game with simpler rules.
    """

    league: Annotated[
        str | None,
        typer.Option(
            "--league", metavar="NAME", help="Play by the simpler rules of this league.", show_default="the full rules"
        ),
    ] = None

    def keys(self) -> dict[str, Any]:
        """Returns the keys of the setup that these options set, with their values."""
        keys = super().keys()
        return keys if self.league is None else {"league": self.league} | keys


@dataclass(frozen=True, kw_only=True)
class WholeSetupOptions(SetupOptions):
    """Options for all of a setup but the seed: number of players, variant, league, and settings of this game."""

    players: PlayersOption = None

    def keys(self) -> dict[str, Any]:
        """Returns the keys of the setup that these options set, with their values."""
        keys = super().keys()
        return keys if self.players is None else {"players": self.players} | keys


def own_key(text: str) -> tuple[str, Any]:
    """Parses KEY=VALUE, a value of the option `--set`, and returns the key and the value.

    VALUE is parsed as JSON. If it is not valid JSON, it is returned as a string.

    Raises:
        typer.BadParameter: the text is not KEY=VALUE, or another option sets this key.
    """
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise typer.BadParameter(f"--set {text}: expected KEY=VALUE")
    if key in COMMON_KEYS:
        raise typer.BadParameter(f"--set {key}: this key has an option of its own")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value
