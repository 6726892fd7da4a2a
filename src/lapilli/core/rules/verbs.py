"""The verbs: kernels that every game's rules offer under the same names, with the same arguments and meaning.

They are the common interface for code that plays millions of games: searches, batches, GPUs, measurements. Such code is
written as a *template* and instantiated for each game (`lapilli.core.rules.templates`); in a template, the name `rules`
stands for the game's verbs. The class `Verbs` below is the contract. Conformance tests compare every game's verbs with
its State.

`p` is one position, a record of the game's dtype. Integers have 64 bits. A verb allocates no memory: the caller passes
scratch arrays.

A game's *static data* (`State.static`) never changes during a match, such as a map. It is a tuple of arrays, mostly ().
Templates take it as their last argument and pass it to verbs as `*static`. The verbs of a game without static data do
not have this argument.

Every game must define `current_player`, `accepts`, `values`, `observe` and NUM_ACTIONS. It must also define:

- `play`, if there are turns of a single player;
- `play_joint`, if there are simultaneous turns;
- `chance`, if chance outcomes are not equally likely;
- `leave`, if its record has no field `left`.

All other verbs have defaults (`defaults_template.py`), which a game may replace by faster ones.
"""

from __future__ import annotations

from typing import Any, Protocol

from lapilli.kernels.kernel import Ints, Position, Rng

ANYBODY = -9
"""Value of the argument `player` in `facade_template.py` that stands for the player to act."""


class Verbs(Protocol):
    """The interface of a game's rules: the names that `rules` has in a template."""

    NUM_ACTIONS: int
    """Number of actions, the same in every variant (`Game.num_distinct_actions`). Actions are 0 to NUM_ACTIONS - 1."""
    MAX_LEGAL: int
    """Upper bound of the number of legal actions in a position; by default NUM_ACTIONS."""

    def current_player(self, p: Position) -> int:
        """Returns the player to act; or CHANCE, SIMULTANEOUS or TERMINAL.

        CHANCE means that an outcome must be drawn or an automatic step played. SIMULTANEOUS means that every player
        chooses an action.
        """

    def legal(self, p: Position, player: int, out: Ints, *static: Any) -> int:
        """Writes the legal actions of `player`, ascending, into `out`, whose length is MAX_LEGAL; returns their number.

        `player` must be to act: in a simultaneous turn any player, otherwise the result of `current_player`. For
        CHANCE, the actions are the chance outcomes. For TERMINAL, there are none. In a simultaneous turn the lowest
        action means "nothing (more) this turn".
        """

    def mask(self, p: Position, player: int, out: Any, scratch: Ints, *static: Any) -> int:
        """Writes 1 for each legal action of `player` and 0 for each other action; returns the number of legal actions.

        Args:
            out: array to fill, of length NUM_ACTIONS.
            scratch: scratch array of length MAX_LEGAL.
        """

    def accepts(self, p: Position, player: int, action: int, *static: Any) -> bool:
        """Returns whether an action, any integer, is one that `legal` would list."""

    def play(self, p: Position, action: int, *static: Any) -> None:
        """Plays a legal action of the player to act, or a chance outcome, and changes `p`."""

    def play_joint(self, p: Position, actions: Ints, *static: Any) -> None:
        """Plays one legal action of each player at once and changes `p`. Only for simultaneous turns.

        `actions` has one action per player.
        """

    def chance(self, p: Position, rng: Rng, *static: Any) -> int:
        """Returns a random chance outcome, drawn by its probability. Only if CHANCE is to act. Does not change `p`."""

    def random_action(self, p: Position, player: int, rng: Rng, out: Ints, *static: Any) -> int:
        """Returns a uniformly random legal action of `player`, which must have one.

        `out` is a scratch array of length MAX_LEGAL.
        """

    def playout(self, p: Position, rng: Rng, out: Ints, *static: Any) -> int:
        """Plays uniformly random actions and random chance outcomes to the end of the game; returns their number.

        A joint action counts once. `out` is a scratch array whose length is MAX_LEGAL + the number of players.
        """

    def values(self, p: Position, out: Any) -> None:
        """Writes each player's utility into `out`, a float64 array. Utilities are in [-1, 1], and their sum is 0.

        They are +1 for the best rank, -1 for the worst, in equal steps between; tied players get the mean of their
        ranks. Before the end, all are 0.
        """

    def leave(self, p: Position, player: int, why: int) -> None:
        """Removes a player from the game because of a fault. The referee must be asking the player this turn.

        `why` is the code of the fault's Termination (`fault_codes.code_of`).
        """

    def observe(self, p: Position, player: int, out: Any) -> None:
        """Writes the information that `player` may have about the position, from its own point of view, into `out`.

        `Game.observation` describes the layout of `out`.
        """

    def observe_again(self, p: Position, player: int, out: Any) -> None:
        """Updates an observation: has the same result as `observe`, but may skip numbers that have not changed.

        `out` must contain an observation one action earlier in the same game: that of `player` or, in a game without
        simultaneous turns, that of the player who played the action in between.
        """
