"""Makes the recipe of an event from a user's settings. A recipe contains the settings that all matches share."""

from __future__ import annotations

import csv
import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import inf
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from lapilli.arena.matches.playing import Keep, Recipe
from lapilli.core.api import Game, Setup
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.core.reading.text import quoted
from lapilli.games import load
from lapilli.match import Clock
from lapilli.players import Sandbox, is_builtin
from lapilli.store.results import Contestant

N = TypeVar("N", int, float)


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
    openings: Sequence[str] = (),
    odds: Mapping[str, float] | None = None,
    memory_mb: Mapping[str, int] | None = None,
) -> Recipe:
    """Returns a recipe: the settings that all matches of an event share, checked and with defaults filled in.

    The recipe's setup is complete. Its clock contains only the settings that differ from the defaults.

    Args:
        game: the game.
        contestants: contestants of the event.
        setup: keys of the setup; the game's defaults are used for missing keys.
        clock: settings of a `Clock`, by name.
        sandbox: whether bots run in a sandbox.
        freeze_idle: whether bots are frozen while they are not asked for a reply.
        keep: which records to store.
        bot_folders: further files and folders that the sandbox shows to bots that are command lines.
        openings: start positions of the pairs, used in turn.
        odds: factors for the time limits of some contestants, by the contestant's name.
        memory_mb: memory limits of some bots in the sandbox, in mebibytes, by the contestant's name.

    Raises:
        LapilliError: an opening is no position in which a player is to move; the setup contains a seed or a position,
            although each pair of matches has its own; a time factor or a memory limit is not above 0; or a built-in
            opponent has a memory limit.
        SetupError, UnknownName: the game cannot be played with this setup, or a name in `odds` or `memory_mb` is not
            the name of a contestant.
    """
    keys = dict(setup or {})
    for key in ("seed", "position"):
        if keys.pop(key, None) is not None:
            raise LapilliError(f"{key}: each pair has its own seed and position; seed= sets the seed of the first pair")
    for name in memory_mb or {}:
        if is_builtin(game, next((one.player for one in contestants if one.name == name), "")):
            raise LapilliError(f"{name} is built in: memory limits are for bots in the sandbox")
    whole = game.complete(Setup.from_dict(keys))
    for opening in openings:
        check_opening(game, opening, keys)
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
        openings=tuple(openings),
        odds=_by_contestant(contestants, odds or {}, "a time factor"),
        memory_mb=_by_contestant(contestants, memory_mb or {}, "a memory limit"),
    )


def _by_contestant(contestants: Sequence[Contestant], values: Mapping[str, N], what: str) -> dict[int, N]:
    """Replaces the contestants' names, which are the keys of a dictionary, by the contestants' indices.

    Users set values by name, but a recipe (the settings of an event's matches) contains them by index.

    Args:
        contestants: contestants of the event.
        values: a value for each of some contestants, by name.
        what: name of the values in error messages.

    Raises:
        LapilliError: a name is unknown, or a value is not above 0.
    """
    numbers = {contestant.name: number for number, contestant in enumerate(contestants)}
    for name, value in values.items():
        if name not in numbers:
            raise UnknownName("contestant", name, numbers)
        if not 0 < value < inf:
            raise LapilliError(f"{name}={value}: {what} must be a number above 0")
    return {numbers[name]: value for name, value in values.items()}


def check_opening(game: Game, opening: str, keys: Mapping[str, Any]) -> None:
    """Checks an opening, a position as text. Raises LapilliError if no player is to move in it, or it is no position.

    `keys`: keys of the setup, such as variant and league, by which the position is read.
    """
    try:
        state = game.from_position(opening, **keys)
    except LapilliError as error:
        raise LapilliError(f"opening {quoted(opening, 60)}: {error}") from None
    if state.is_terminal() or not state.asked():
        raise LapilliError(f"opening {quoted(opening, 60)}: no player is to move there")


def read_openings(file: Path) -> list[str]:
    """Reads start positions from a file: one position in each line, or the column `position` of a CSV file.

    Empty lines, and lines that begin with #, are skipped.

    Raises:
        LapilliError: the file cannot be read, or contains no position.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise LapilliError(f"cannot read the openings in {file}: {reason}") from None
    if lines and "position" in lines[0].split(","):
        lines = [row["position"] or "" for row in csv.DictReader(lines)]
    found = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not found:
        raise LapilliError(f"{file} contains no opening: write one position in each line")
    return found


def starts_of(recipe: Recipe) -> Sequence[str]:
    """Returns the start positions that the pairs of an event use in turn: the recipe's openings, or the game's own."""
    return recipe.openings or load(recipe.game).openings(Setup.from_dict(recipe.setup))


def recipe_keys(recipe: Recipe) -> dict[str, Any]:
    """Returns those settings of an event's matches by which a run finds the stored event to continue, as data.

    A run continues a stored event only if these settings are equal.
    """
    found: dict[str, Any] = {
        key: msgspec.to_builtins(getattr(recipe, key)) for key in ("setup", "clock", "freeze_idle")
    }
    if recipe.openings:
        found["openings"] = hashlib.sha256("\n".join(recipe.openings).encode()).hexdigest()
    for key in ("odds", "memory_mb"):
        if values := getattr(recipe, key):
            found[key] = {str(number): value for number, value in sorted(values.items())}
    return found


def are_all_builtin(game: Game, contestants: Sequence[Contestant]) -> bool:
    """Returns whether all contestants are built-in opponents, which run inside the process that plays the match."""
    return all(is_builtin(game, contestant.player) for contestant in contestants)
