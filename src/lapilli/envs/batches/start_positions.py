"""Start positions of a batch: lists and compares them, and finds out from which one an environment's game began."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from lapilli.core.errors import LapilliError, SetupError
from lapilli.core.game import Game
from lapilli.core.reading.text import quoted
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.kernels.kernel import CHANCE

STARTS = 64
"""Default number of start positions of a batch, for a game whose start position depends on the seed."""
_MOST_STARTS = 1 << 16


def starts_of(game: Game, setup: Setup, starts: Sequence[State] | None) -> list[State]:
    """Returns the start positions of a batch, a list of at least one.

    Args:
        game: the game.
        setup: setup from which the default start positions are made.
        starts: start positions; None for the default, which is the game's own start position. If the seed determines
            that position directly, not through chance events, the default is the STARTS start positions for the seeds 1
            to STARTS.

    Raises:
        LapilliError: `starts` is not a list of positions of the game for equally many players, or the game is over in
            one of them.
    """
    if starts is None:
        return _default_starts(game, setup)
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


def _default_starts(game: Game, setup: Setup) -> list[State]:
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


def digest_of(starts: Sequence[State]) -> Any:
    """Returns a hash of a list of start positions, as an array of 32 bytes (uint8).

    Saved games contain this hash: they can be restored only in a batch with the same start positions.
    """
    return np.frombuffer(sha256(b"".join(state.array.tobytes() for state in starts)).digest(), np.uint8)


def matching_starts(states: Any, starts: Any, started: Any, fields: Sequence[str]) -> Any:
    """Finds, for each environment, a start position whose constant data (such as the map) fit the present position.

    This is needed because a caller may copy a position to another environment, in which the game began from a start
    position with other constant data.

    Args:
        states: the present positions, one record for each environment.
        starts: the start positions, as records.
        started: for each environment, index of the start position from which its game began. Where the caller has
            copied a position with other constant data into the environment, the index does not fit.
        fields: names of the fields that contain a position's constant data.

    Returns:
        A copy of `started`, in which indices that did not fit are replaced by the index of a start position that fits.

    Raises:
        LapilliError: a position has the constant data of no start position.
    """
    found = np.array(started)
    for number in np.flatnonzero(~_have_in_common(states, starts[found], fields)).tolist():
        fitting = np.flatnonzero(_have_in_common(starts, states[number], fields))
        if not len(fitting):
            raise LapilliError(
                f"states[{number}]: begins at none of this batch's start positions: name its start in `starts`"
            )
        found[number] = fitting[0]
    return found


def _have_in_common(records: Any, others: Any, fields: Sequence[str]) -> Any:
    """Returns a mask: whether each record has the same values as `others` in all these fields.

    `others`: one record, or an array with as many records as `records`.
    """
    common = np.ones(len(records), np.bool_)
    for field in fields:
        common &= (records[field] == others[field]).reshape(len(records), -1).all(axis=1)
    return common
