"""The verbs: kernels that every game's rules offer under the same names, with the same arguments and meaning.

They are the common interface for programs that play millions of games: searches, batches, GPUs, measurements. Such a
program is a *template*. It is written once and instantiated for each game (`lapilli.core.rules.templates`); in it the
name `rules` stands for the game's verbs. The class `Verbs` below is the contract. Conformance tests compare every
game's verbs with its State.

`p` is one position, a record of the game's dtype. Integers have 64 bits. A verb allocates no memory: scratch arrays are
passed in.

A game's *world* is data that never changes during a game and is not part of its positions (`State.world`): a tuple of
arrays, mostly (). Templates take it as their last argument and pass it on to verbs as `*world`. The verbs of a game
without a world do not have this argument.

Every game must define `mover`, `accepts`, `values`, `observe` and NUM_ACTIONS. It must also define:

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
"""Value for a player in `facade_template.py` that means: whoever is to act."""


class Verbs(Protocol):
    """The interface of a game's rules; `rules` in a template."""

    NUM_ACTIONS: int
    """Number of actions, the same in every variant (`Game.num_distinct_actions`): actions are integers below it."""
    MAX_LEGAL: int
    """Upper limit of the number of legal actions in any position; by default NUM_ACTIONS."""

    def mover(self, p: Position) -> int:
        """Returns who is to act.

        That is a player; CHANCE, if an outcome is to be drawn or an automatic step to be played; SIMULTANEOUS, if every
        player chooses an action; or TERMINAL.
        """

    def legal(self, p: Position, player: int, out: Ints, *world: Any) -> int:
        """Writes the legal actions of `player`, ascending, into `out`, an array of MAX_LEGAL; returns their number.

        `player` is the one to act; or CHANCE, for the chance outcomes; or, in a simultaneous turn, any player. In a
        simultaneous turn the lowest action means "nothing (more) this turn". For TERMINAL, at the end of the game,
        there are none.
        """

    def mask(self, p: Position, player: int, out: Any, room: Ints, *world: Any) -> int:
        """Writes for each action whether it is legal (1 or 0) into `out`; returns the number of legal actions.

        Args:
            out: array of NUM_ACTIONS.
            room: scratch array of MAX_LEGAL.
        """

    def accepts(self, p: Position, player: int, action: int, *world: Any) -> bool:
        """Returns whether `legal` would list this action, which may be any integer."""

    def play(self, p: Position, action: int, *world: Any) -> None:
        """Plays a legal action of the player to act, or a chance outcome, with all its consequences."""

    def play_joint(self, p: Position, actions: Ints, *world: Any) -> None:
        """Plays a legal action of each player, by player number. Only for simultaneous turns."""

    def chance(self, p: Position, rng: Rng, *world: Any) -> int:
        """Draws a chance outcome, with its probability, for `play`. Only if CHANCE is to act."""

    def random_action(self, p: Position, player: int, rng: Rng, out: Ints, *world: Any) -> int:
        """Returns a uniformly random legal action of `player`, which must have one.

        `out` is a scratch array of MAX_LEGAL.
        """

    def playout(self, p: Position, rng: Rng, out: Ints, *world: Any) -> int:
        """Plays uniformly random actions and chance outcomes to the end of the game; returns their number.

        A joint action counts once. `out` is a scratch array of MAX_LEGAL + the number of players.
        """

    def values(self, p: Position, out: Any) -> None:
        """Writes each player's utility into `out`, a float64 array: in [-1, 1] with the sum 0; all 0 before the end.

        +1 for the best rank, -1 for the worst, in equal steps between; players that share a rank share its utility.
        """

    def leave(self, p: Position, player: int, why: int) -> None:
        """Takes a player, one of those asked, out of the game because of a fault.

        `why` is the `fault_codes.code_of` of its Termination.
        """

    def observe(self, p: Position, player: int, out: Any) -> None:
        """Writes what `player` may know, seen from its own side, into `out`.

        The game's `Observation` describes its layout.
        """

    def observe_again(self, p: Position, player: int, out: Any) -> None:
        """Updates an observation: does the same as `observe`, but may skip what has not changed.

        `out` must contain the observation one action earlier in the same game: that of this player or, in a game of
        single turns, that of the player who was to act then.
        """
