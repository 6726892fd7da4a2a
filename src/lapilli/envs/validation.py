"""Checks the arguments of a batch before anything changes: seeds, actions, numbers of environments, starts."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from lapilli.core.errors import LapilliError, SetupError
from lapilli.core.game import Game
from lapilli.core.reading.text import quoted
from lapilli.core.setup import SEED_MAX, SEED_MIN, Setup
from lapilli.core.state import State
from lapilli.games import load
from lapilli.kernels.kernel import CHANCE

MOST = 1 << 24
"""Largest number of environments in a batch."""
STARTS = 64
"""Number of starts in a batch of a game whose start depends on the seed."""
_MOST_STARTS = 1 << 16
_GOLDEN, _FIRST, _SECOND = (np.uint64(word) for word in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


def game_of(game: Any) -> Game:
    """Returns the game of that name, or the Game itself. Raises UnknownName, or LapilliError if it is neither."""
    if isinstance(game, str):
        return load(game)
    if not isinstance(game, Game):
        raise LapilliError(f"game: expected a game's name or a Game, not {quoted(game, 40)}")
    return game


def array_of(name: str, given: Any) -> Any:
    """Returns the value as an array. Raises LapilliError if its rows differ in length."""
    try:
        return np.asarray(given)
    except ValueError:
        raise LapilliError(f"{name}: expected an array, not {quoted(given, 40)}") from None


def number_of(name: str, value: Any, number: int) -> int:
    """Returns an environment's number. Raises LapilliError if there is none."""
    try:
        one = index(value)
    except TypeError:
        one = -1
    if not 0 <= one < number:
        raise LapilliError(f"{name}: there is no environment {quoted(value, 40)}: they are 0 to {number - 1}")
    return one


def count_of(name: str, value: Any, most: int) -> int:
    """Returns a number from 1 to `most`. Raises LapilliError for anything else."""
    try:
        number = index(value)
    except TypeError:
        number = 0
    if isinstance(value, bool) or not 1 <= number <= most:
        raise LapilliError(f"{name}: expected a whole number from 1 to {most}, not {quoted(value, 40)}")
    return number


def seeds_of(seed: Any, number: int) -> Any:
    """Returns the environments' seeds (int64): a list of them, or `seed` + i for environment i.

    Raises:
        LapilliError: the seeds are not 64-bit integers, or there is a wrong number of them.
    """
    try:
        first = index(seed)
    except TypeError:
        return _listed(seed, number)
    if not SEED_MIN <= first <= SEED_MAX:
        raise LapilliError(f"seed: {quoted(first, 40)} does not fit 64 bits ({SEED_MIN} to {SEED_MAX})")
    return (np.uint64(first % 2**64) + np.arange(number, dtype=np.uint64)).view(np.int64)


def _listed(seed: Any, number: int) -> Any:
    if isinstance(seed, (str, bytes)) or not hasattr(seed, "__getitem__") or len(seed) != number:
        raise LapilliError(f"seed: expected an integer or {number} of them, not {quoted(seed, 40)}")
    for place, one in enumerate(seed):
        try:
            fits = SEED_MIN <= index(one) <= SEED_MAX
        except TypeError:
            fits = False
        if not fits:
            raise LapilliError(f"seed[{place}]: expected a 64-bit integer, not {quoted(one, 40)}")
    return np.array(seed, np.int64)


def generators(seeds: Any, stream: int) -> Any:
    """Returns the state of a random generator for each seed, one per row; different streams are independent.

    Neighbouring seeds are scattered by the finaliser of SplitMix64.
    """
    word = seeds.view(np.uint64) + np.uint64(stream) * _FIRST + _GOLDEN
    for shift, factor in ((30, _FIRST), (27, _SECOND)):
        word = (word ^ (word >> np.uint64(shift))) * factor
    word ^= word >> np.uint64(31)
    return np.where(word == 0, _GOLDEN, word).reshape(-1, 1)


def actions_of(actions: Any, shape: tuple[int, ...], name: str = "actions") -> Any:
    """Returns actions as a contiguous array of int32 or int64. Numbers that are no actions are for the batch to refuse.

    Raises:
        LapilliError: wrong shape, or not integers.
    """
    given = array_of(name, actions)
    if given.shape != shape:
        raise LapilliError(f"{name}: expected the shape {shape}, not {given.shape}")
    if given.dtype.kind not in "iu":
        raise LapilliError(f"{name}: expected integers, not {given.dtype}")
    if given.dtype not in (np.int32, np.int64):
        given = given.astype(np.int64)  # a number that does not fit becomes negative, so it is no action
    return np.ascontiguousarray(given)


def chosen_of(where: Any, number: int) -> Any:
    """Returns a mask of environments, from None (all), a mask or a list of numbers. Raises LapilliError."""
    if where is None:
        return np.ones(number, np.bool_)
    given = array_of("where", where)
    if given.dtype == np.bool_:
        if given.shape != (number,):
            raise LapilliError(f"where: expected a mask of the shape {(number,)}, not {given.shape}")
        return np.ascontiguousarray(given)
    if given.dtype.kind not in "iu" or given.ndim != 1:
        raise LapilliError(f"where: expected a mask or the numbers of environments, not {quoted(where, 40)}")
    for place, one in enumerate(given.tolist()):
        number_of(f"where[{place}]", one, number)
    mask = np.zeros(number, np.bool_)
    mask[given] = True
    return mask


def players_of(players: Any, number: int, most: int) -> Any:
    """Returns a player for each environment, from one for all or an array. Raises LapilliError."""
    given = array_of("players", players)
    if given.dtype.kind not in "iu" or given.shape not in ((), (number,)):
        raise LapilliError(
            f"players: expected a player or one for each of {number} environments, not {quoted(players)}"
        )
    wanted = np.broadcast_to(given, (number,)).astype(np.int64)
    wrong = np.flatnonzero((wanted < 0) | (wanted >= most))
    if len(wrong):
        raise LapilliError(f"players[{wrong[0]}]: no player {wanted[wrong[0]]}: players are 0 to {most - 1}")
    return wanted


def starts_of(game: Game, setup: Setup, starts: Sequence[State] | None) -> list[State]:
    """Returns the start positions: those given, or by default the usual start, without chance draws made in advance. If
    that start depends on the seed, and is not drawn by chance events, the starts of the seeds 1 to STARTS.

    Raises:
        LapilliError: the positions are not valid.
    """
    if starts is None:
        return _usual(game, setup)
    if not isinstance(starts, Sequence):
        raise LapilliError(f"starts: expected a list of positions, not {quoted(starts, 40)}")
    if not 1 <= len(starts) <= _MOST_STARTS:
        raise LapilliError(f"starts: expected 1 to {_MOST_STARTS} positions, not {len(starts)}")
    for place, state in enumerate(starts):
        if not isinstance(state, game.state):
            raise LapilliError(f"starts[{place}]: expected a state of {game.title}, not {quoted(state, 40)}")
        if state.num_players != starts[0].num_players:
            raise LapilliError(f"starts[{place}]: is for {state.num_players} players, not {starts[0].num_players}")
        if state.is_terminal():
            raise LapilliError(f"starts[{place}]: the game is over")
    return list(starts)


def _usual(game: Game, setup: Setup) -> list[State]:
    start = game.new_initial_state(setup)
    if start.is_terminal():
        raise SetupError("position: the game is over")
    if setup.position is not None or start.current_player() == CHANCE:
        return [start]
    seeded = (_seeded(game, setup, seed) for seed in range(1, STARTS + 1))
    first, second = next(seeded), next(seeded)
    if first.observation(0).tobytes() == second.observation(0).tobytes():
        return [start]
    return [first, second, *seeded]


def _seeded(game: Game, setup: Setup, seed: int) -> State:
    keys = setup.to_dict() | {"seed": seed}
    return game.new_initial_state(Setup.from_dict(keys))
