"""Choices: every legal atomic action with the sequence of clicks by which a person chooses it on a board."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from lapilli.core.state import State

WORD = "="
"""Prefix of the items of `Choice.way` that stand for a click on a word, not on a shape; the word follows it."""


class Choice(NamedTuple):
    """A legal atomic action and how a person chooses it.

    Attributes:
        action: number of the action.
        way: the clicks that choose the action, in order: keys of shapes in the scene, or words (see `WORD`). No way is
            the beginning of another, so the last click settles the choice.
        label: the action in words for people: "grow N11", "cap from A1 to A2".
        held: key of a piece that people may drag to the last shape of the way to choose the action; "" if none. The
            piece at the way's first click needs no entry: it can always be dragged.
    """

    action: int
    way: tuple[str, ...]
    label: str
    held: str = ""

    def to_json(self) -> list[Any]:
        """Returns the choice as a list for JSON, as the board in the pages' JavaScript expects it."""
        return [self.action, list(self.way), self.label, *([self.held] if self.held else [])]


def word_choices(state: State, player: int) -> list[Choice]:
    """Returns all legal actions as words to click on. The default of `Game.choices`."""
    texts = [(action, state.action_to_string(action, player)) for action in state.legal_actions(player)]
    return [Choice(action, (f"{WORD}{text}",), text) for action, text in texts]


def unclear(choices: Sequence[Choice]) -> list[tuple[str, ...]]:
    """Returns the sequences of clicks that are equal to another choice's, or its beginning. There should be none."""
    ways = sorted(choice.way for choice in choices)
    return [first for first, second in pairwise(ways) if second[: len(first)] == first]
