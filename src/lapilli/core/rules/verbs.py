"""The verbs: the kernels that every game's rules offer under the same names, with the same arguments and meaning.

They are what is the same in all games for whoever plays millions of them: search, batches, GPUs, measurements. Such a
program is a *template*, written once and instantiated for each game (`lapilli.core.rules.templates`), where the name
`rules` stands for the game's verbs. `Verbs` below is the contract; conformance tests hold every game's verbs against
its State.

`p` is one position, a record of the game's dtype. Integers are 64 bits wide. A verb allocates nothing: room is handed
in.

A game's *world* is what never changes in it and is no part of its positions, `State.world`: a tuple of arrays, mostly
(). Texts take it as one last argument and hand it on to verbs as `*world`; a game without one has verbs without it.

A game must have `mover`, `accepts`, `values`, `observe` and NUM_ACTIONS; where a single player acts `play`, with
simultaneous turns `play_joint`, where chance has outcomes that are not equally likely `chance`, where its record has no
field `left` for it `leave`. The others have defaults (`defaults_template.py`), which a game replaces by what is faster.
"""

from __future__ import annotations

from typing import Any, Protocol

from lapilli.kernels.kernel import Ints, Position, Rng

ANYBODY = -9
"""To `facade_template.py`, instead of a player: whoever is to act."""


class Verbs(Protocol):
    """What a game's rules offer; `rules` in a text."""

    NUM_ACTIONS: int
    """Actions are integers below it, in every variant: `Game.num_distinct_actions`."""
    MAX_LEGAL: int
    """At no position are there more legal actions; by default NUM_ACTIONS."""

    def mover(self, p: Position) -> int:
        """Who is to act: a player; CHANCE, where an outcome is to be drawn or an automatic step to be taken;
        SIMULTANEOUS, where each player chooses an action; or TERMINAL."""

    def legal(self, p: Position, player: int, out: Ints, *world: Any) -> int:
        """Writes the legal actions of `player`, ascending, into `out`, which has room for MAX_LEGAL; returns how many.

        `player` is the mover, CHANCE for the outcomes there, or anybody in a simultaneous turn, where the lowest action
        means "nothing (more) this turn". For TERMINAL, the mover at the end, there are none.
        """

    def mask(self, p: Position, player: int, out: Any, room: Ints, *world: Any) -> int:
        """Writes for each action below NUM_ACTIONS whether `legal` would list it (0 or 1) into `out`; returns how many
        it would. `room` is room for MAX_LEGAL."""

    def accepts(self, p: Position, player: int, action: int, *world: Any) -> bool:
        """Whether `legal` would list this action, which may be any integer."""

    def play(self, p: Position, action: int, *world: Any) -> None:
        """Plays a legal action of the mover's, or an outcome of chance, and all that follows from it."""

    def play_joint(self, p: Position, actions: Ints, *world: Any) -> None:
        """Plays a legal action of each player, by number; only where the mover is SIMULTANEOUS."""

    def chance(self, p: Position, rng: Rng, *world: Any) -> int:
        """Draws an outcome, with its probability, for `play`; only where the mover is CHANCE."""

    def random_action(self, p: Position, player: int, rng: Rng, out: Ints, *world: Any) -> int:
        """A uniformly random legal action of `player`'s, who has one; `out` is room for MAX_LEGAL."""

    def playout(self, p: Position, rng: Rng, out: Ints, *world: Any) -> int:
        """Plays uniformly random actions, and chance, to the end; returns how many actions (joint ones count once).

        `out` has room for MAX_LEGAL and one more a player.
        """

    def values(self, p: Position, out: Any) -> None:
        """Writes each player's utility into `out` (float64, one a player): in [-1, 1], their sum 0; 0 before the end.

        +1 for the best rank, -1 for the worst; in between in equal steps, and who shares a rank shares its utility.
        """

    def leave(self, p: Position, player: int, why: int) -> None:
        """Takes a player, one of those asked, out of the game by a fault; `why` is `faults.code_of` its Termination."""

    def observe(self, p: Position, player: int, out: Any) -> None:
        """Writes what `player` may know, from its own side, into `out`, as the game's `Observation` describes it."""

    def observe_again(self, p: Position, player: int, out: Any) -> None:
        """As `observe`, where `out` holds what was observed one action before in the same game: by this player, or in
        a game of single turns by whoever was to act then. What has not changed need not be written."""
