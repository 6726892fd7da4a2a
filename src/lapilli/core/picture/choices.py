"""Playing by pointing: every legal atomic action with the sequence of clicks that chooses it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from lapilli.core.state import State

WORD = "="
"""Prefix of a step that is no shape: the rest of the step is a word that people can choose."""


class Choice(NamedTuple):
    """A legal atomic action.

    Attributes:
        action: its number.
        way: the clicks that choose it, in order: keys of shapes in the scene, or words (see `WORD`). No way is the
            beginning of another, so the last click settles the choice.
        label: the action in words for people: "grow N11", "cap from A1 to A2".
        held: key of the piece that the action moves to the end of the way, if it does not lie at the way's first step.
            People may drag this piece there. (A piece at the way's first step can always be dragged.)
    """

    action: int
    way: tuple[str, ...]
    label: str
    held: str = ""

    def told(self) -> list[Any]:
        """Returns the choice in the format of the board component of the pages."""
        return [self.action, list(self.way), self.label, *([self.held] if self.held else [])]


def worded(state: State, player: int) -> list[Choice]:
    """Returns all legal actions as words, for a game that does not define where to click."""
    texts = [(action, state.action_to_string(action, player)) for action in state.legal_actions(player)]
    return [Choice(action, (f"{WORD}{text}",), text) for action, text in texts]


def unclear(choices: Sequence[Choice]) -> list[tuple[str, ...]]:
    """Returns the ways that do not determine an action: two actions share them, or a longer way begins with them."""
    ways = sorted(choice.way for choice in choices)
    return [first for first, second in pairwise(ways) if second[: len(first)] == first]
