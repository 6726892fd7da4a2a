"""What every method of search offers, and how one is set up for a game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import ClassVar, cast

from lapilli.core.api import Game, State
from lapilli.core.content.levels import Search
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.search.budget import Budget
from lapilli.search.result import Thought


class Searcher(ABC):
    """One player's search, for one match: what it keeps from turn to turn, it keeps in itself.

    A subclass names its settings with their defaults in `DEFAULTS`. The setting `blunder`, how likely a turn is a
    beginner's, in [0, 1], every method has.

    Args:
        game: what is played. settings: those that differ from `DEFAULTS`.

    Raises:
        UnknownName: a setting that the method has not. LapilliError: one that is no finite number.
    """

    DEFAULTS: ClassVar[Mapping[str, float]] = {}

    def __init__(self, game: Game, settings: Mapping[str, float]) -> None:
        self.game = game
        known = {"blunder": 0.0, **self.defaults()}
        for name, value in settings.items():
            if name not in known:
                raise UnknownName("setting", name, ("nodes", "ms", *known))
            if not isfinite(value):
                raise LapilliError(f"the setting {name} must be a finite number, not {value}")
        self.settings = {**known, **settings}

    def defaults(self) -> Mapping[str, float]:
        """The settings that there are for this game, with what they are if nobody says otherwise; less `blunder`."""
        return self.DEFAULTS

    def use_weights(self, file: Path) -> None:
        """Goes by the weights in a file, in place of those that come with the game.

        Raises:
            LapilliError: it holds none for this game, or the search goes by none.
        """
        raise LapilliError(f"this search of {self.game.title} goes by no weights: leave weights= out")

    @abstractmethod
    def think(self, state: State, player: int, budget: Budget, seed: int) -> Thought:
        """Looks for the best turn of `player`, who is to act.

        Args:
            state: a copy of the position, which the search may change. What is hidden in it from the player is drawn
                anew, so that nothing can be learned from it.
            budget: when to stop. With nodes alone the same state, settings and seed give the same thought, as far as
                what was kept from earlier turns is the same.
            seed: of all its chance.
        """


def new_searcher(game: Game, search: Search, settings: Mapping[str, float]) -> Searcher:
    """A search of a game's, for one player in one match. Raises as `Searcher`."""
    module = import_module(f"lapilli.search.{search.method}")
    method = cast(type[Searcher], module.METHOD)
    searcher = method(game, {**search.settings, **settings})
    if search.weights:
        searcher.use_weights(Path(search.weights))
    return searcher
