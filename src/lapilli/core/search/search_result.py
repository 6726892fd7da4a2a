"""Results of searches, in the same form for all search methods."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One turn that the search examined, and how the game may continue.

    Attributes:
        turn: the player's atomic actions for the whole turn.
        value: the player's expected score after the turn, in [0, 1]: 1 for a win, 1/2 for a draw. With more than two
            players, this is the expected utility, scaled to 0 for the last rank and 1 for the first.
        nodes: number of nodes that the search used for this turn. Each search method defines what a node is.
        follow: the turns that the search expects next, as pairs of a player and the player's actions.
    """

    turn: tuple[int, ...]
    value: float
    nodes: int
    follow: tuple[tuple[int, tuple[int, ...]], ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class SearchResult:
    """The result of a search for one turn of one player.

    Attributes:
        turn: the atomic actions to play, for the whole turn.
        value: the player's expected score in the position, in [0, 1], if all players play the turns that the search
            considers best.
        lines: the turns that the search examined, the best first. If there are many, only some of them are listed.
        nodes: total number of nodes of the search. Each search method defines what a node is.
        ms: duration of the search, in milliseconds.
        proven: whether `value` is proven, not only an estimate.
        text: the turn as a bot's reply; empty unless `State.analyse` made the result.
    """

    turn: tuple[int, ...]
    value: float
    lines: tuple[Line, ...]
    nodes: int
    ms: float
    proven: bool = False
    text: str = ""

    def __repr__(self) -> str:
        turn = self.text.replace("\n", " / ") or f"actions {', '.join(map(str, self.turn)) or 'none'}"
        value = f"{'proven' if self.proven else 'expected'} score {self.value:.2f}"
        return f"<SearchResult: {turn}, {value}, {self.nodes:,} nodes, {self.ms:.0f} ms>"
