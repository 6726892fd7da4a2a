"""What a player may do by pointing: every legal atomic action as the way of clicks that means it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from lapilli.core.state import State

WORD = "="
"""A step of a way that begins with it is no shape: the rest is a word that people are offered to choose."""


class Choice(NamedTuple):
    """A legal atomic action.

    Attributes:
        action: its number.
        way: what is pointed at, one after the other: keys of shapes of the scene, or words (`WORD`). No way is the
            beginning of another one, so that the last step settles it.
        label: the action as people say it: "grow N11", "cap from A1 to A2".
        held: the key of the piece that comes to lie where the way goes, if its first place is not the one that the
            piece lies on now: people may drag it there. (What lies on a way's beginning can be dragged anyway.)
    """

    action: int
    way: tuple[str, ...]
    label: str
    held: str = ""

    def told(self) -> list[Any]:
        """As the board's component takes it."""
        return [self.action, list(self.way), self.label, *([self.held] if self.held else [])]


def worded(state: State, player: int) -> list[Choice]:
    """All legal actions by their text, for a game that has not said where to point."""
    texts = [(action, state.action_to_string(action, player)) for action in state.legal_actions(player)]
    return [Choice(action, (f"{WORD}{text}",), text) for action, text in texts]


def unclear(choices: Sequence[Choice]) -> list[tuple[str, ...]]:
    """Ways that do not settle which action is meant: two actions have them, or one goes on where another ends."""
    ways = sorted(choice.way for choice in choices)
    return [first for first, second in pairwise(ways) if second[: len(first)] == first]
