"""The verbs: kernels that every game's rules offer under the same names, with the same arguments and meaning.

The verbs are the common interface for code that plays millions of games: searches, batches, GPUs, measurements. Such
code is written as a *template* and instantiated for each game (`lapilli.core.rules.templates`). In a template, the name
`rules` means the game's verbs. The class `Verbs` below is the contract. Conformance tests compare every game's verbs
with the game's State.

The argument `p` is one position, a record of the game's dtype. Integers have 64 bits. A verb allocates no memory: the
caller passes scratch arrays.

A game's *static data* (`State.static`) never changes during a match; a map is an example. It is a tuple of arrays,
which is empty for most games. The kernels of a template take this tuple as their last argument and pass it to verbs as
`*static`. The verbs of a game without static data do not have this argument.

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
"""Value of the argument `player` in `facade_template.py` that means "the player to act", whoever that is."""


class Verbs(Protocol):
    """The interface of a game's rules: the functions and constants that the name `rules` offers in a template."""

    NUM_ACTIONS: int
    """Number of actions, the same in every variant (`Game.num_distinct_actions`). Actions are 0 to NUM_ACTIONS - 1."""
    MAX_LEGAL: int
    """Upper bound of the number of legal actions in any position of the game; by default NUM_ACTIONS."""

    def current_player(self, p: Position) -> int:
        """Returns the player to act; or CHANCE, SIMULTANEOUS or TERMINAL.

        CHANCE means that an outcome must be drawn or an automatic step played. SIMULTANEOUS means that every player
        chooses an action.
        """

    def turn_number(self, p: Position) -> int:
        """Returns the number of the referee turn that is played next, from 1: the same as `State.turn`."""

    def legal(self, p: Position, player: int, out: Ints, *static: Any) -> int:
        """Writes the legal actions of `player` into `out`, ascending, and returns their number.

        The length of `out` is MAX_LEGAL. `player` must be to act: in a simultaneous turn any player, otherwise the
        result of `current_player`. For CHANCE, the actions are the chance outcomes. For TERMINAL, there are no actions.
        In a simultaneous turn, the lowest action means "nothing (more) this turn".
        """

    def mask(self, p: Position, player: int, out: Any, scratch: Ints, *static: Any) -> int:
        """Writes 1 for each legal action of `player` and 0 for all others into `out`; returns the number of legal ones.

        Args:
            out: array to fill, of length NUM_ACTIONS.
            scratch: scratch array of length MAX_LEGAL.
        """

    def accepts(self, p: Position, player: int, action: int, *static: Any) -> bool:
        """Returns whether this action of `player` is legal, so that `legal` would list it.

        `action` may be any integer.
        """

    def play(self, p: Position, action: int, *static: Any) -> None:
        """Plays a legal action of the player to act, or a chance outcome, on the position `p`."""

    def play_joint(self, p: Position, actions: Ints, *static: Any) -> None:
        """Plays one legal action of each player at once on the position `p`. Only for simultaneous turns.

        `actions` contains one action per player.
        """

    def chance(self, p: Position, rng: Rng, *static: Any) -> int:
        """Draws a chance outcome by its probability and returns it; does not play it. CHANCE must be to act.

        `rng`: state of the random generator.
        """

    def random_action(self, p: Position, player: int, rng: Rng, out: Ints, *static: Any) -> int:
        """Returns a uniformly random legal action of `player`, which must have one.

        `rng`: state of the random generator. `out`: scratch array of length MAX_LEGAL.
        """

    def playout(self, p: Position, rng: Rng, out: Ints, *static: Any) -> int:
        """Plays uniformly random actions and random chance outcomes on `p` to the end of the game.

        Returns the number of actions and outcomes; a joint action is one action. `rng`: state of the random generator.
        `out`: scratch array whose length is MAX_LEGAL + the number of players.
        """

    def values(self, p: Position, out: Any) -> None:
        """Writes each player's utility into `out`, a float64 array. Utilities are in [-1, 1], and their sum is 0.

        The best rank has the utility +1, the worst -1, and ranks between them are in equal steps. Tied players have the
        mean of the utilities of their ranks. Before the end, all utilities are 0.
        """

    def leave(self, p: Position, player: int, why: int) -> None:
        """Removes a player from the game because of a fault. The referee must be asking the player this turn.

        `why` is the code of the fault's Termination (`fault_codes.code_of`).
        """

    def observe(self, p: Position, player: int, out: Any) -> None:
        """Writes all that `player` may know about the position into `out`, from the player's point of view.

        `Game.observation` describes the layout of `out`.
        """

    def observe_again(self, p: Position, player: int, before: int, out: Any) -> None:
        """Updates the observation in `out`. The result is that of `observe`, but unchanged numbers may be skipped.

        Before the call, `out` must contain the observation of the player `before` one action earlier in the same game.
        In a game with simultaneous turns, `before` is `player`; in other games, it is who played this action.
        """
