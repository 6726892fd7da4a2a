"""The interface of all search methods, and the function that creates a search for a game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import ClassVar, cast

from lapilli.core.api import Game, State
from lapilli.core.content.levels import Search, SettingRange
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.core.search.search_result import SearchResult
from lapilli.core.search.turn_kernel import TurnKernel
from lapilli.search.budget import Budget

ERRORS: Mapping[str, float] = {"blunder": 0.0, "sees": 3.0}
"""Default values of the settings that every search method has."""
ERROR_RANGES: Mapping[str, SettingRange] = {"blunder": SettingRange(0, 1), "sees": SettingRange(1, 1000)}
"""Ranges of the settings in ERRORS."""


class Searcher(ABC):
    """A search that chooses the turns of one player in one match. It may store data for the player's next turn.

    Each search method is a subclass, which lists its settings with their defaults in `DEFAULTS`, and with their ranges
    in `RANGES`. Every method also has two settings for errors (`lapilli.search.kernels.careless`): `blunder` is the
    probability, in [0, 1], of playing a beginner's turn instead of the best; `sees` is the mean number of turns that a
    beginner comes across, at least 1.

    Args:
        game: the game to play.
        settings: values by name, for the settings that differ from `DEFAULTS`.

    Raises:
        UnknownName: the method has no such setting.
        LapilliError: a value is outside its range.
    """

    DEFAULTS: ClassVar[Mapping[str, float]] = {}
    RANGES: ClassVar[Mapping[str, SettingRange]] = {}

    def __init__(self, game: Game, settings: Mapping[str, float]) -> None:
        self.game = game
        known = {**ERRORS, **self.defaults()}
        for name in settings:
            if name not in known:
                raise UnknownName("setting", name, ("nodes", "ms", *known))
        self.settings = {**known, **settings}
        for name, allowed in {**ERROR_RANGES, **self.ranges()}.items():
            allowed.check(name, self.settings[name])

    def defaults(self) -> Mapping[str, float]:
        """Returns the defaults of all settings of the method for this game, by name.

        The settings for errors, `blunder` and `sees`, are not included.
        """
        return self.DEFAULTS

    def ranges(self) -> Mapping[str, SettingRange]:
        """Returns the ranges of all settings of the method for this game, by name; without `blunder` and `sees`."""
        return self.RANGES

    def use_weights(self, file: Path) -> None:
        """Replaces the search's learned weights with the weights in a file. A new search has the weights in the game's
        data folder.

        Raises:
            LapilliError: the file contains no weights for this game, or the search uses no weights.
        """
        raise LapilliError(f"this search of {self.game.title} uses no weights: omit weights=")

    def turn_kernel(self, state: State) -> TurnKernel:
        """Returns a kernel that chooses turns like this search, so that compiled code can play whole games with it.

        The kernel's searches are limited by nodes alone. They choose the same turns as a new search object. `state` is
        a position of the setup in which the kernel is to play.

        Raises:
            LapilliError: this search has no such kernel, or the settings do not allow it.
        """
        raise LapilliError(f"{type(self).__name__} has no kernel that chooses turns")

    @abstractmethod
    def search(self, state: State, player: int, budget: Budget, seed: int) -> SearchResult:
        """Searches for the best turn of `player`, who is to act.

        Args:
            state: a copy of the position, which the search may change. The caller has replaced hidden information by
                random values, so that the search cannot cheat.
            player: the player to act.
            budget: limits of the search. With a limit of nodes only, the result depends only on state, settings, seed
                and the earlier searches of this object.
            seed: seed of all random numbers of this search.

        Raises:
            LapilliError: the method cannot search this position.
        """


def new_searcher(game: Game, search: Search, settings: Mapping[str, float]) -> Searcher:
    """Creates the Searcher of one player in one match. Raises the same exceptions as `Searcher`.

    Args:
        game: the game.
        search: the search's method, settings and weights, such as one of `Game.searches`.
        settings: values by name, which replace settings of `search`.
    """
    module = import_module(f"lapilli.search.{search.method}")
    method = cast(type[Searcher], module.METHOD)
    searcher = method(game, {**search.settings, **settings})
    if search.weights:
        searcher.use_weights(Path(search.weights))
    return searcher
