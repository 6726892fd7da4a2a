"""The search hooks that alpha-beta needs from a game: kernels on positions, and the turns at the root of a search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from lapilli.core.content.levels import SettingRange
from lapilli.kernels.kernel import Batch, Ints, Position


class Turns(Protocol):
    """Finds and stores the turns at the root of a search. A game's search hook `new_turns` creates this object.

    Each call of `begin` stores the turns of one position, and forgets those of the position before.
    """

    node: Batch
    """The root position as an array of one node (`AlphaBetaHooks`)."""
    weights: Any
    """Weights of the evaluation. The search passes them to the search hook `value`."""
    quiet: int
    """Most that a quiet turn (gain 0, `AlphaBetaHooks`) can add to a position's value before the opponent replies."""
    scale: float
    """Scale of values: a position's expected score is the logistic function of its value divided by `scale`."""
    moves: Ints
    """The turns, each as one integer, the simplest first. A turn may leave minor details open; `forms` completes it."""
    wanted: int
    """Number of best turns that the search passes to `forms` to complete them; 0 if no turn leaves details open."""
    wanted_depth: int
    """Depth, in plies, of the search that selects the turns for `forms`."""
    arrays: Any
    """The arrays of this object, for the search hooks `find_turns`, `find_forms` and `write_actions`."""

    def begin(self, array: Batch, nodes: int, deadline: int) -> int:
        """Finds the turns of a position and stores them in the attributes.

        May exceed the limits to find at least one turn, if there is one.

        Args:
            array: the position, as `State.array`.
            nodes: limit of the effort, in nodes.
            deadline: time at which to stop, on the clock `time.monotonic_ns`; 0 for no limit.

        Returns:
            The effort of this call, in nodes: as many as a search would have examined in the time of the call.
        """

    def forms(self, moves: Ints, deadline: int) -> tuple[Ints, int]:
        """Completes turns in which minor details are open. Returns all complete versions, and the effort.

        Args:
            moves: the turns to complete; all of them are in the attribute `moves`.
            deadline: time at which to stop, on the clock `time.monotonic_ns`; 0 for no limit.

        Returns:
            The complete versions, each as one integer; and the effort of this call, in nodes: as many as a search would
            have examined in the time of the call.
        """

    def actions(self, move: int) -> tuple[int, ...]:
        """Returns the atomic actions of the turn `move`; () if the turn is not possible at the root."""


class AlphaBetaHooks(Protocol):
    """The search hooks that alpha-beta needs from a game: kernels on *nodes*, and data.

    A node is a position in a form that is fast to search; a turn is one integer. A node's value is its value for the
    player to move, in a unit that the game chooses. A turn's *gain* is a rough and rather high estimate of the value
    that the turn adds immediately: 0 for a quiet turn, otherwise at least 100.
    """

    NODE: np.dtype[Any]
    """dtype of a node. Its fields include `key`, a hash of the position (int64), and `over`: the game is over."""
    MAX_TURNS: int
    """Greatest number of turns at a node."""
    NAMES: int
    """A power of two. A turn's integer modulo NAMES is the turn's *name*, which is the same at every node."""
    SCRATCH: int
    """Length of the scratch array of `turns`. The caller fills this array with zeros once, before the first call."""
    EFFORT: int
    """Index in the scratch array of `turns`. There, `turns` writes its effort, as a number of nodes."""
    WIN: int
    """Upper bound of values. All values above WIN / 2 are wins; an earlier win has a greater value."""
    SETTINGS: Mapping[str, float]
    """The settings that the search has only in this game: default values by name."""
    RANGES: Mapping[str, SettingRange]
    """Ranges of the settings in SETTINGS."""
    MOST_ACTIONS: int
    """Greatest number of actions of a turn."""

    def turns(self, n: Position, noisy: int, moves: Ints, gains: Ints, scratch: Ints) -> int:
        """Writes the turns of the node `n` into `moves`, and their gains into `gains`. Returns the number of turns.

        If `noisy` is 1, turns without a gain may be left out. A player who has no turn at all has lost. `scratch` is an
        array of length SCRATCH.
        """

    def advance(self, n: Position, move: int) -> None:
        """Plays the turn `move` on the node `n`, which then is the position after the turn."""

    def value(self, n: Position, weights: Any) -> int:
        """Returns the value of the node `n` for the player to move, in the game's own unit.

        `weights` is the attribute `weights` of the Turns object.
        """

    def forget(self, scratch: Ints) -> None:
        """Removes the data that calls of `turns` have stored in their scratch array for later calls."""

    def find_turns(self, batch: Batch, r: Any, most: int, deadline: int) -> tuple[int, int]:
        """Finds the turns of a position, as `Turns.begin` does, but as a kernel that compiled code can call.

        `r` is the attribute `arrays` of a Turns object. The turns are written into `r.found`, and the node into
        `r.node`.

        Args:
            batch: the position, as an array of one record.
            r: the arrays.
            most: limit of the effort, in nodes.
            deadline: time at which to stop, on the clock `time.monotonic_ns`; 0 for no limit.

        Returns:
            The number of turns; and the effort of this call, in nodes.
        """

    def find_forms(self, r: Any, moves: Ints, out: Ints, deadline: int) -> tuple[int, int]:
        """Completes turns in which minor details are open, as `Turns.forms` does, but as a kernel for compiled code.

        Writes the complete versions of the turns `moves` into `out`. Returns their number, and the effort in nodes. `r`
        is the attribute `arrays` of a Turns object. `deadline` is the time at which to stop, on the clock
        `time.monotonic_ns`; 0 for no limit.
        """

    def write_actions(self, r: Any, move: int, out: Ints) -> int:
        """Writes the atomic actions of the turn `move` into `out`, and returns their number.

        Does the same as `Turns.actions`, but as a kernel that compiled code can call. `r` is the attribute `arrays` of
        a Turns object.
        """

    def new_turns(self, settings: Mapping[str, float]) -> Turns:
        """Returns a new Turns object for a search with these settings. This hook is not a kernel."""
