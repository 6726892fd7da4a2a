"""What a search comes to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """A turn that was looked at, and what may follow.

    Attributes:
        turn: the player's atomic actions for the whole turn.
        value: the expected score that it leads to, in [0, 1]: 1 for a win, 1/2 for a draw; several players: their
            utility, from the last rank to the first.
        nodes: how much of the search went into it.
        follow: the turns after it that are taken to be best, each a pair of a player and its actions.
    """

    turn: tuple[int, ...]
    value: float
    nodes: int
    follow: tuple[tuple[int, tuple[int, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Thought:
    """What a search came to for one turn of one player.

    Attributes:
        turn: the atomic actions to play, for the whole turn.
        value: the expected score of the position for the player, in [0, 1], under best play as far as was seen.
        lines: the turns that were looked at, the best first; not all, where they are many.
        nodes: how much was looked at, in the search's own unit.
        ms: how long it took.
        proven: whether `value` is certain.
    """

    turn: tuple[int, ...]
    value: float
    lines: tuple[Line, ...]
    nodes: int
    ms: float
    proven: bool = False
