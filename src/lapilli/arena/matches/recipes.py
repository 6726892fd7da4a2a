"""Makes the recipe of an event from a user's settings. A recipe is the settings that all matches of the event share."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from lapilli.arena.matches.playing import Keep, Recipe
from lapilli.core.api import Game, Setup
from lapilli.core.errors import LapilliError
from lapilli.match import Clock
from lapilli.players import Sandbox, is_builtin
from lapilli.store.results import Contestant


def recipe_of(
    game: Game,
    contestants: Sequence[Contestant],
    *,
    setup: Mapping[str, Any] | None = None,
    clock: Mapping[str, Any] | None = None,
    sandbox: Sandbox = Sandbox.AUTO,
    freeze_idle: bool = True,
    keep: Keep = Keep.LOST,
    bot_folders: Sequence[str] = (),
) -> Recipe:
    """Returns a recipe with a complete setup, and with the settings of the clock that differ from the defaults.

    Args:
        game: the game.
        contestants: contestants of the event.
        setup: keys of the setup; the game's defaults are used for missing keys.
        clock: settings of a `Clock`, by name.
        sandbox, freeze_idle, keep, bot_folders: as for `Recipe`.

    Raises:
        LapilliError: the setup has a seed or a position; each pair of matches has its own.
        SetupError, UnknownName: the game cannot be played with this setup.
    """
    keys = dict(setup or {})
    for key in ("seed", "position"):
        if keys.pop(key, None) is not None:
            raise LapilliError(f"{key}: each pair has its own seed and position; seed= sets the seed of the first pair")
    whole = game.complete(Setup.from_dict(keys))
    usual = asdict(Clock())
    return Recipe(
        game=game.name,
        contestants=tuple(contestants),
        setup={key: value for key, value in whole.to_dict().items() if key not in ("seed", "position")},
        clock={key: value for key, value in (clock or {}).items() if value != usual[key]},
        sandbox=sandbox,
        freeze_idle=freeze_idle,
        keep=keep,
        bot_folders=tuple(map(os.path.abspath, bot_folders)),
    )


def are_all_builtin(game: Game, contestants: Sequence[Contestant]) -> bool:
    """Returns whether all contestants are built-in opponents, which run inside the process that plays the match."""
    return all(is_builtin(game, contestant.player) for contestant in contestants)
