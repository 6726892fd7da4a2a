"""The arrays in which a batch stores its games. They are passed to the batch's kernels as one tuple."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from lapilli.core.errors import LapilliError
from lapilli.core.game import Game
from lapilli.core.state import State
from lapilli.kernels.kernel import Batch, Ints, Static

MANY = 4096
"""Greatest number of distinct actions of a game for which a batch has masks of legal actions. For a game with more
actions, a batch has lists of legal actions instead: writing the masks would take longer than playing.
"""
ALIGNMENT = 64
"""In bytes. JAX uses arrays at such addresses without a copy."""
SHARES = 1 << 30
"""Denominator of the share of games in `Arrays.mixture`."""
Made = TypeVar("Made", bound=tuple[Any, ...])


class Arrays(NamedTuple):
    """The arrays of a batch of n environments. They are allocated once; kernels allocate nothing.

    In this package, a *seat* is an entry in these arrays for a player that may have to act. In a game with simultaneous
    turns, an environment has one seat for each player. In any other game, it has a single seat, for the player to act.

    Attributes:
        states: positions, shape (n,).
        started: index in `starts` of the position from which each game began, shape (n,).
        chance: state of the random generator for each game's chance events, shape (n, 1).
        sampler: state of the random generator for each environment's random actions, shape (n, 1).
        current: player to act, or SIMULTANEOUS or TERMINAL, shape (n,).
        observations: observation of each seat's player, shape (n, seats, size of an observation).
        masks: whether each action is legal for the seat, shape (n, seats, actions); empty in a game with more than MANY
            actions.
        lists: legal actions of the seat, shape (n, seats, MAX_LEGAL); only the first `counts` entries are valid. Empty
            in a game with masks.
        counts: number of legal actions of the seat, shape (n, seats).
        rewards: utility of each player in a game that the last step ended, else 0, shape (n, players).
        terminated: whether the last step ended a game, shape (n,).
        actions: action of each seat to play next, shape (n, seats).
        refused: first player whose action was illegal in the last step, or -1 for none, shape (n,).
        starts: the positions from which games of the batch begin.
        mixture: two integers, set by `Batch.mix`: the number of positions in the first group of `starts`, and the share
            of games that begin at a position of the second group, in units of 1 / SHARES.
        statics: the game's constant data, as arrays with one row for each of `starts`.
        scratch: scratch arrays of MAX_LEGAL integers, one per environment on a GPU, one per thread on a CPU.
    """

    states: Batch
    started: Ints
    chance: Any
    sampler: Any
    current: Any
    observations: Any
    masks: Any
    lists: Any
    counts: Any
    rewards: Any
    terminated: Any
    actions: Any
    refused: Any
    starts: Batch
    mixture: Ints
    statics: Static
    scratch: Any


def new_arrays(game: Game, starts: list[State], number: int, seats: int, scratch_lists: int) -> Arrays:
    """Creates the arrays of a batch.

    Args:
        game: the game.
        starts: start positions of the batch.
        number: number of environments.
        seats: number of seats of an environment.
        scratch_lists: number of scratch arrays: one per environment on a GPU, one per thread on a CPU.
    """
    verbs, players = game.verbs, starts[0].num_players
    masked, listed = (verbs.NUM_ACTIONS, 0) if has_masks(game) else (0, verbs.MAX_LEGAL)
    return Arrays(
        states=np.zeros(number, game.state.DTYPE),
        started=np.zeros(number, np.int64),
        chance=np.zeros((number, 1), np.uint64),
        sampler=np.zeros((number, 1), np.uint64),
        current=aligned_zeros(number, np.int8),
        observations=aligned_zeros((number, seats, game.observation.size), game.observation.dtype),
        masks=aligned_zeros((number, seats, masked), np.bool_),
        lists=aligned_zeros((number, seats, listed), np.int32),
        counts=aligned_zeros((number, seats), np.int32),
        rewards=aligned_zeros((number, players), np.float32),
        terminated=aligned_zeros(number, np.bool_),
        actions=np.zeros((number, seats), np.int32),
        refused=aligned_zeros(number, np.int8),
        starts=np.concatenate([state.array for state in starts]),
        mixture=np.array([len(starts), 0], np.int64),
        statics=_statics_of(starts),
        scratch=np.zeros((scratch_lists, verbs.MAX_LEGAL), np.int32),
    )


def aligned_zeros(shape: int | tuple[int, ...], dtype: Any) -> Any:
    """Returns an array of zeros that JAX can use without a copy: its address is a multiple of ALIGNMENT."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + ALIGNMENT, np.uint8)
    begin = -memory.ctypes.data % ALIGNMENT
    return memory[begin : begin + size].view(dtype).reshape(shape)


def within(memory: float, problem: str, make: Callable[[], Made]) -> Made:
    """Returns the arrays that `make` creates, a tuple. Raises LapilliError if they need more than `memory` bytes.

    This check is needed because the operating system may grant more memory than the machine has. When the process
    then uses that memory, the system kills the process.

    `problem`: the message of the error.
    """
    try:
        arrays = make()
    except MemoryError:
        raise LapilliError(problem) from None
    parts = (part for array in arrays for part in (array if isinstance(array, tuple) else (array,)))
    if sum(part.nbytes for part in parts) >= memory:
        raise LapilliError(problem)
    return arrays


def memory_of_machine() -> int:
    """Returns the size of this machine's memory, in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def takes_all(game: Game) -> bool:
    """Returns whether the game has turns in which all players act at once."""
    return hasattr(game.rules, "play_joint")


def has_masks(game: Game) -> bool:
    """Returns whether batches of a game store its legal actions as masks, not as lists."""
    return game.verbs.NUM_ACTIONS <= MANY


def listed_to_end(legal: Any, counts: Any) -> Any:
    """Returns the legal actions of many games as agents receive them: masks unchanged, lists filled up with -1.

    Args:
        legal: the value of `Batch.legal`, without an axis for seats.
        counts: the value of `Batch.legal_counts`, shape (n,).
    """
    if legal.dtype == np.bool_:
        return legal
    return np.where(np.arange(legal.shape[1]) < counts[:, None], legal, -1)


def _statics_of(starts: list[State]) -> Static:
    """Returns the constant data of all start positions: each array has one row per position, padded with zeros."""
    stacked = []
    for parts in zip(*(state.static for state in starts), strict=True):
        rows = np.zeros((len(parts), max(map(len, parts))), parts[0].dtype)
        for row, part in zip(rows, parts, strict=True):
            row[: len(part)] = part
        stacked.append(rows)
    return tuple(stacked)
