"""The result of a search."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One turn that the search examined, and how the game may continue.

    Attributes:
        turn: the player's atomic actions for the whole turn.
        value: expected score after the turn, in [0, 1]: 1 for a win, 1/2 for a draw. With several players: their
            utility, scaled so that the last rank is 0 and the first rank 1.
        nodes: part of the search that was spent on this turn, in the search's own unit.
        follow: the expected best turns after it, as pairs of a player and its actions.
    """

    turn: tuple[int, ...]
    value: float
    nodes: int
    follow: tuple[tuple[int, tuple[int, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search for one turn of one player.

    Attributes:
        turn: the atomic actions to play, for the whole turn.
        value: the player's expected score in the position, in [0, 1], with best play as far as the search has seen.
        lines: the turns that were examined, the best first; only some of them if they are many.
        nodes: size of the search, in its own unit.
        ms: duration in milliseconds.
        proven: whether `value` is certain.
    """

    turn: tuple[int, ...]
    value: float
    lines: tuple[Line, ...]
    nodes: int
    ms: float
    proven: bool = False
