"""The arrays of a batch, passed to its kernels as one tuple."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lapilli.core.game import Game
from lapilli.core.state import State
from lapilli.kernels.kernel import Batch, Ints, World

MANY = 4096
"""Games with more actions list the legal ones: writing a mask would take longer than playing."""


class Arrays(NamedTuple):
    """The arrays of a batch of n environments; kernels allocate nothing.

    A *seat* is a place for a player that may have to choose an action: one per environment, or one per player in a game
    with simultaneous turns.

    Attributes:
        states: positions, shape (n,).
        started: index in `starts` of each game's start, shape (n,).
        chance: random generators for the chance events of the games, shape (n, 1).
        sampler: random generators for random actions, shape (n, 1).
        current: player to act, SIMULTANEOUS or TERMINAL, shape (n,).
        observations: observations, shape (n, seats, size of an observation).
        masks: whether each action is legal, shape (n, seats, actions); without actions in a game with more than MANY.
        lists: legal actions, shape (n, seats, MAX_LEGAL); only in a game with more than MANY actions, otherwise empty.
        counts: number of legal actions, shape (n, seats).
        rewards: utilities, shape (n, players).
        terminated: whether the last step ended a game, shape (n,).
        actions: actions to play, shape (n, seats).
        refused: first player whose action was illegal in the last step, or -1, shape (n,).
        starts: start positions.
        worlds: constant data of the game for each start, one row per start.
        room: scratch lists of legal actions, one per environment on a GPU, one per thread on a CPU.
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
    worlds: World
    room: Any


def new_arrays(game: Game, starts: list[State], number: int, rooms: int) -> Arrays:
    """Creates the arrays for `number` environments, with `rooms` scratch lists."""
    verbs, players = game.verbs, starts[0].num_players
    seats = players if takes_all(game) else 1
    masked, listed = (verbs.NUM_ACTIONS, 0) if has_masks(game) else (0, verbs.MAX_LEGAL)
    return Arrays(
        states=np.zeros(number, game.state.DTYPE),
        started=np.zeros(number, np.int64),
        chance=np.zeros((number, 1), np.uint64),
        sampler=np.zeros((number, 1), np.uint64),
        current=np.zeros(number, np.int8),
        observations=np.zeros((number, seats, game.observation.size), game.observation.dtype),
        masks=np.zeros((number, seats, masked), np.bool_),
        lists=np.zeros((number, seats, listed), np.int32),
        counts=np.zeros((number, seats), np.int32),
        rewards=np.zeros((number, players), np.float32),
        terminated=np.zeros(number, np.bool_),
        actions=np.zeros((number, seats), np.int32),
        refused=np.zeros(number, np.int8),
        starts=np.concatenate([state.array for state in starts]),
        worlds=_worlds_of(starts),
        room=np.zeros((rooms, verbs.MAX_LEGAL), np.int32),
    )


def size_of(arrays: Arrays) -> int:
    """Returns the size of the arrays, in bytes."""
    return sum(part.nbytes for array in arrays for part in (array if isinstance(array, tuple) else (array,)))


def takes_all(game: Game) -> bool:
    """Returns whether the game has turns in which all players act at once."""
    return hasattr(game.rules, "play_joint")


def has_masks(game: Game) -> bool:
    """Returns whether the legal actions of a game are given as masks, not as lists."""
    return game.verbs.NUM_ACTIONS <= MANY


def _worlds_of(starts: list[State]) -> World:
    """Returns the constant data of all starts: for each of their arrays one with a row per start, padded with zeros."""
    made = []
    for parts in zip(*(state.world for state in starts), strict=True):
        rows = np.zeros((len(parts), max(map(len, parts))), parts[0].dtype)
        for row, part in zip(rows, parts, strict=True):
            row[: len(part)] = part
        made.append(rows)
    return tuple(made)
