"""Choices: the legal atomic actions, each with the sequence of clicks by which a person chooses it on a board."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from lapilli.core.state import State

WORD = "="
"""Prefix of a click on a word, in `Choice.way`: "=pass" is a click on "pass". Without it, a click is a shape's key."""


class Choice(NamedTuple):
    """A legal atomic action and how a person chooses it.

    Attributes:
        action: number of the action.
        way: the clicks that choose the action, in order. A click is the key of a shape in the scene, or a word (see
            `WORD`). No way is the beginning of another choice's way, so after the last click the action is certain.
        label: the action in words for people: "grow N11", "cap from A1 to A2".
        held: key of a further piece; instead of clicking, people may drag this piece to the last shape of the way. ""
            if there is none. (The piece of the way's first click can always be dragged like this.)
    """

    action: int
    way: tuple[str, ...]
    label: str
    held: str = ""

    def to_json(self) -> list[Any]:
        """Returns the choice as a list for JSON, in the form that the JavaScript of a page's board expects."""
        return [self.action, list(self.way), self.label, *([self.held] if self.held else [])]


def word_choices(state: State, player: int) -> list[Choice]:
    """Returns a choice for each legal action: a click on the action's notation. The default of `Game.choices`."""
    texts = [(action, state.action_to_string(action, player)) for action in state.legal_actions(player)]
    return [Choice(action, (f"{WORD}{text}",), text) for action, text in texts]


def plain_prompt(state: State, player: int) -> str:
    """Returns what a player is to choose now, for any game. The default of `Game.prompt`."""
    return "choose a move"


def unclear(choices: Sequence[Choice]) -> list[tuple[str, ...]]:
    """Checks choices: returns the sequences of clicks after which it is not certain which action a person chooses.

    Such a sequence belongs to two choices, or is the beginning of another choice's sequence. In a correct game, the
    result is empty.
    """
    ways = sorted(choice.way for choice in choices)
    return [first for first, second in pairwise(ways) if second[: len(first)] == first]
