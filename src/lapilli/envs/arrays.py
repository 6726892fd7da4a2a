"""The arrays that a batch is made of, handed to its kernels as one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lapilli.core.game import Game
from lapilli.core.state import State
from lapilli.kernels.kernel import Batch, Ints, World

MANY = 4096
"""In a game of more actions legal ones are listed: masks would take longer to write than games to play."""


class Arrays(NamedTuple):
    """What a batch of n environments owns; kernels allocate nothing. A *seat* is whoever may have to choose an action:
    one an environment, or in a game with simultaneous turns every player.

    Attributes:
        states: positions. started: by which of `starts` each game began.
        chance, sampler: generators, a row an environment: what the game draws, and what random actions are drawn by.
        current: who is to act: a player, SIMULTANEOUS or TERMINAL.
        observations: by environment and seat.
        masks: by environment, seat and action, whether it is legal; without actions in a game of MANY.
        lists, counts: the legal actions by environment and seat, and how many they are; without room in other games.
        rewards: by environment and player. terminated: whether the last step ended a game.
        actions: by environment and seat, what is to be played.
        refused: the first player whose action was not legal in the last step, or -1.
        starts: positions that games begin at. worlds: what never changes in the game of each start, a row each.
        room: a list of legal actions for each environment of a device, or for each thread.
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
    """Arrays for so many environments, and so many lists of legal actions."""
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
    """The bytes that they take."""
    return sum(part.nbytes for array in arrays for part in (array if isinstance(array, tuple) else (array,)))


def takes_all(game: Game) -> bool:
    """Whether there are turns in which all players act at once."""
    return hasattr(game.kernel, "play_joint")


def has_masks(game: Game) -> bool:
    """Whether legal actions are told by masks, and not by lists."""
    return game.verbs.NUM_ACTIONS <= MANY


def _worlds_of(starts: list[State]) -> World:
    """The starts' worlds, as one array with a row a start for each of a world's arrays, filled up with zeros."""
    made = []
    for parts in zip(*(state.world for state in starts), strict=True):
        rows = np.zeros((len(parts), max(map(len, parts))), parts[0].dtype)
        for row, part in zip(rows, parts, strict=True):
            row[: len(part)] = part
        made.append(rows)
    return tuple(made)
