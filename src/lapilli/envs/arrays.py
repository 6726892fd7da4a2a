"""The arrays of a batch, passed to its kernels as one tuple."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lapilli.core.game import Game
from lapilli.core.state import State
from lapilli.kernels.kernel import Batch, Ints, Static

MANY = 4096
"""Greatest number of actions for which a batch has masks of legal actions. Games with more actions have lists instead,
because writing the masks would take longer than playing.
"""


class Arrays(NamedTuple):
    """The arrays of a batch of n environments, allocated once: kernels allocate nothing.

    A *seat* is a place for a player that may have to act. An environment has one seat per player in a game with
    simultaneous turns, and a single seat, for the player to act, in any other game.

    Attributes:
        states: positions, shape (n,).
        started: row of `starts` at which each game began, shape (n,).
        chance: random generators for the chance events of the games, shape (n, 1).
        sampler: random generators for random actions, shape (n, 1).
        current: player to act, or SIMULTANEOUS or TERMINAL, shape (n,).
        observations: observations, shape (n, seats, size of an observation).
        masks: whether each action is legal, shape (n, seats, actions); empty in a game with more than MANY actions.
        lists: legal actions, shape (n, seats, MAX_LEGAL); empty in a game with masks.
        counts: number of legal actions, shape (n, seats).
        rewards: utilities, shape (n, players).
        terminated: whether the last step ended a game, shape (n,).
        actions: actions to play, shape (n, seats).
        refused: first player whose action was illegal in the last step, or -1 for none, shape (n,).
        starts: start positions of the batch.
        statics: arrays with the game's constant data, one row per start.
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
    statics: Static
    scratch: Any


def new_arrays(game: Game, starts: list[State], number: int, scratch_lists: int) -> Arrays:
    """Creates the arrays of a batch of `number` environments. `scratch_lists`: number of rows of `Arrays.scratch`."""
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
        statics=_statics_of(starts),
        scratch=np.zeros((scratch_lists, verbs.MAX_LEGAL), np.int32),
    )


def size_of(arrays: Arrays) -> int:
    """Returns the size of the arrays, in bytes."""
    return sum(part.nbytes for array in arrays for part in (array if isinstance(array, tuple) else (array,)))


def takes_all(game: Game) -> bool:
    """Returns whether the game has turns in which all players act at once."""
    return hasattr(game.rules, "play_joint")


def has_masks(game: Game) -> bool:
    """Returns whether batches of a game store its legal actions as masks, not as lists."""
    return game.verbs.NUM_ACTIONS <= MANY


def _statics_of(starts: list[State]) -> Static:
    """Returns the constant data of all starts. Each array has a row per start; short rows are padded with zeros."""
    stacked = []
    for parts in zip(*(state.static for state in starts), strict=True):
        rows = np.zeros((len(parts), max(map(len, parts))), parts[0].dtype)
        for row, part in zip(rows, parts, strict=True):
            row[: len(part)] = part
        stacked.append(rows)
    return tuple(stacked)
