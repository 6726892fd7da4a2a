"""Checks the arguments of a batch before they have any effect: seeds, actions, indices of environments, saved games.

`start_positions` checks start positions.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from sys import float_info
from typing import Any

import numpy as np

from lapilli.core.errors import LapilliError
from lapilli.core.game import Game
from lapilli.core.reading.text import quoted
from lapilli.core.setup import SEED_MAX, SEED_MIN
from lapilli.games import load

MOST = 1 << 24
"""Greatest number of environments in a batch."""
MOST_THREADS = 1024
"""Greatest number of threads of a batch."""
MOST_STEPS = 1 << 32
"""Greatest number of steps that one call of `Batch.play_random` plays."""
_GOLDEN, _FIRST, _SECOND = (np.uint64(word) for word in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


def game_of(game: Any) -> Game:
    """Returns the game that the argument `game` names. If the argument is a Game, returns this Game.

    Raises:
        UnknownName: no game has this name.
        LapilliError: the argument is neither a name nor a Game.
    """
    if isinstance(game, str):
        return load(game)
    if not isinstance(game, Game):
        raise LapilliError(f"game: expected a game's name or a Game, not {quoted(game, 40)}")
    return game


def array_of(name: str, value: Any) -> Any:
    """Converts an argument to an array. Raises LapilliError if `value` is a list of rows that differ in length.

    `name`: name of the argument, for the message.
    """
    try:
        return np.asarray(value)
    except ValueError:
        raise LapilliError(f"{name}: expected an array, not {quoted(value, 40)}") from None


def number_of(name: str, value: Any, number: int) -> int:
    """Checks an argument that is the index of an environment, and returns it as an int.

    Args:
        name: name of the argument, for the message.
        value: value of the argument.
        number: number of environments.

    Raises:
        LapilliError: the value is not an integer from 0 to `number` - 1.
    """
    try:
        environment = index(value)
    except TypeError:
        environment = -1
    if not 0 <= environment < number:
        raise LapilliError(f"{name}: there is no environment {quoted(value, 40)}: they are 0 to {number - 1}")
    return environment


def count_of(name: str, value: Any, most: int) -> int:
    """Checks an argument that is a count, such as a number of environments, and returns it as an int.

    Args:
        name: name of the argument, for the message.
        value: value of the argument.
        most: greatest value that is allowed.

    Raises:
        LapilliError: the value is not an integer from 1 to `most`.
    """
    try:
        number = index(value)
    except TypeError:
        number = 0
    if isinstance(value, bool) or not 1 <= number <= most:
        raise LapilliError(f"{name}: expected a whole number from 1 to {most}, not {quoted(value, 40)}")
    return number


def amount_of(name: str, value: Any, most: float = float_info.max) -> float:
    """Checks an argument that is a number of at least 0, and returns it as a float.

    Args:
        name: name of the argument, for the message.
        value: value of the argument.
        most: greatest value that is allowed.

    Raises:
        LapilliError: the value is not a finite number from 0 to `most`.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        limits = "from 0" if most == float_info.max else f"from 0 to {most:g}"
        raise LapilliError(f"{name}: expected a number {limits}, not {quoted(value, 40)}")
    return float(value)


def seeds_of(seed: Any, number: int) -> Any:
    """Returns a seed for each environment, as an array of int64.

    Args:
        seed: a list of seeds; or an integer, from which a different seed for each environment is computed. Two
            different integers hardly ever give a common seed.
        number: number of environments.

    Raises:
        LapilliError: a seed is not a 64-bit integer, or the list has another length.
    """
    try:
        first = index(seed)
    except TypeError:
        return _seeds_of_list(seed, number)
    if not SEED_MIN <= first <= SEED_MAX:
        raise LapilliError(f"seed: {quoted(first, 40)} does not fit 64 bits ({SEED_MIN} to {SEED_MAX})")
    from_first = _mixed(np.array([first % 2**64], np.uint64))
    return _mixed(from_first + np.arange(number, dtype=np.uint64)).view(np.int64)


def _seeds_of_list(seed: Any, number: int) -> Any:
    if isinstance(seed, (str, bytes)) or not hasattr(seed, "__getitem__") or len(seed) != number:
        raise LapilliError(f"seed: expected an integer or {number} of them, not {quoted(seed, 40)}")
    for place, value in enumerate(seed):
        try:
            fits = SEED_MIN <= index(value) <= SEED_MAX
        except TypeError:
            fits = False
        if not fits:
            raise LapilliError(f"seed[{place}]: expected a 64-bit integer, not {quoted(value, 40)}")
    return np.array(seed, np.int64)


def generators(seeds: Any, stream: int) -> Any:
    """Returns the initial state of a random generator for each seed, as an array of shape (number of seeds, 1).

    From the same seed, different streams have independent generators.

    Args:
        seeds: the seeds (int64).
        stream: number of the stream.
    """
    words = _mixed(seeds.view(np.uint64) + np.array([stream], np.uint64) * _FIRST)
    return np.where(words == 0, _GOLDEN, words).reshape(-1, 1)


def _mixed(words: Any) -> Any:
    """Scrambles 64-bit words, uint64, with the finaliser of SplitMix64, for new seeds and random generators.

    Neighbouring words give unrelated results, and different words always give different results.
    """
    words = words + _GOLDEN
    for shift, factor in ((30, _FIRST), (27, _SECOND)):
        words = (words ^ (words >> np.uint64(shift))) * factor
    return words ^ (words >> np.uint64(31))


def actions_of(actions: Any, shape: tuple[int, ...], name: str = "actions") -> Any:
    """Checks the shape and type of actions, and returns them as a contiguous array of int32 or int64.

    Numbers that are no actions of the game are accepted here; the batch refuses them later.

    Args:
        actions: the actions, as a list or an array.
        shape: the shape that the actions must have.
        name: name of the argument, for the message.

    Raises:
        LapilliError: the actions have another shape, or are not integers.
    """
    integers = array_of(name, actions)
    if integers.shape != shape:
        raise LapilliError(f"{name}: expected the shape {shape}, not {integers.shape}")
    if integers.dtype.kind not in "iu":
        raise LapilliError(f"{name}: expected integers, not {integers.dtype}")
    if integers.dtype not in (np.int32, np.int64):
        integers = integers.astype(np.int64)  # a number that does not fit becomes negative, so it is no action
    return np.ascontiguousarray(integers)


def chosen_of(where: Any, number: int) -> Any:
    """Returns the environments that a caller has chosen, as a mask of shape (number,).

    Args:
        where: the chosen environments, as a mask or as a list of indices; None for all.
        number: number of all environments.

    Raises:
        LapilliError: `where` is none of these, or contains the index of an environment that does not exist.
    """
    if where is None:
        return np.ones(number, np.bool_)
    choice = array_of("where", where)
    if choice.dtype == np.bool_:
        if choice.shape != (number,):
            raise LapilliError(f"where: expected a mask of the shape {(number,)}, not {choice.shape}")
        return np.ascontiguousarray(choice)
    if choice.dtype.kind not in "iu" or choice.ndim != 1:
        raise LapilliError(f"where: expected a mask or the numbers of environments, not {quoted(where, 40)}")
    for place, environment in enumerate(choice.tolist()):
        number_of(f"where[{place}]", environment, number)
    mask = np.zeros(number, np.bool_)
    mask[choice] = True
    return mask


def players_of(players: Any, number: int, most: int, name: str = "players") -> Any:
    """Returns a player number for each environment, as an array of shape (number,).

    Args:
        players: a player number for all environments, or an array with a player number for each environment.
        number: number of environments.
        most: number of players of the game.
        name: name of the argument, for the message.

    Raises:
        LapilliError: a player number is not an integer from 0 to `most` - 1, or the array has another length.
    """
    integers = array_of(name, players)
    if integers.dtype.kind not in "iu" or integers.shape not in ((), (number,)):
        raise LapilliError(f"{name}: expected a player or one for each of {number} environments, not {quoted(players)}")
    wanted = np.broadcast_to(integers, (number,)).astype(np.int64)
    wrong = np.flatnonzero((wanted < 0) | (wanted >= most))
    if len(wrong):
        raise LapilliError(f"{name}[{wrong[0]}]: no player {wanted[wrong[0]]}: players are 0 to {most - 1}")
    return wanted


def check_saved_arrays(saved: Any, own_arrays: Mapping[str, Any]) -> None:
    """Checks that saved games fit a batch that is to continue them.

    They must be a dict of arrays with the same names, shapes and types as the batch's own arrays, and come from a batch
    with the same start positions.

    Args:
        saved: the argument of `Batch.restore`.
        own_arrays: the arrays of the batch that is to continue the saved games, by name. The array `starts` is the
            hash of its start positions.

    Raises:
        LapilliError: `saved` is not a dict, an array is missing or has another shape or type, or the start positions
            differ.
    """
    if not isinstance(saved, Mapping):
        raise LapilliError(f"saved: expected a dict that save returned, not {quoted(saved, 40)}")
    for name, own in own_arrays.items():
        array = saved.get(name)
        if array is None or getattr(array, "shape", None) != own.shape or array.dtype != own.dtype:
            raise LapilliError(f"saved[{name!r}]: expected an array {own.shape} of {own.dtype.name}, as save returned")
    if not np.array_equal(saved["starts"], own_arrays["starts"]):
        raise LapilliError("saved['starts']: that batch has other start positions")
