"""Makes a built-in opponent from its name, which is the name of a simple engine, a search or a level."""

from __future__ import annotations

from lapilli.core.api import Game
from lapilli.core.errors import UnknownName
from lapilli.players.engines.builtin import builtin_engines
from lapilli.players.engines.in_process import InProcessPlayer
from lapilli.players.engines.searches import BEST, SearchPlayer, find_search, search_names
from lapilli.players.player import Player


def make_builtin(game: Game, name: str, player: int, seed: int) -> Player:
    """Makes the built-in opponent of this name.

    Args:
        game: the game to play.
        name: the opponent's name, with or without settings, such as `random` or `best:ms=80`.
        player: player number in the match.
        seed: seed of the opponent's random numbers.

    Raises:
        UnknownName: there is no such opponent, or it has no such setting.
        LapilliError: a setting has an impossible value.
    """
    named = find_search(game, name)
    if named is not None:
        return SearchPlayer(game, named, player, seed)
    engines = builtin_engines(game)
    if name not in engines:
        raise UnknownName("built-in opponent", name, [*engines, *search_names(game)])
    return InProcessPlayer.from_engine(name, engines[name], player, seed)


def strongest(game: Game) -> str:
    """Returns the name of the game's strongest built-in opponent."""
    return BEST if game.searches else [*builtin_engines(game)][-1]


def is_builtin(game: Game, spec: object) -> bool:
    """Returns whether `spec` names a built-in opponent, with or without settings.

    Raises:
        LapilliError: `spec` names a search, but its settings are not valid.
    """
    return isinstance(spec, str) and (spec in builtin_engines(game) or find_search(game, spec) is not None)
