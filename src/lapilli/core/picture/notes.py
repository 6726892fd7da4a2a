"""Notes: remarks about a position for people who play a game for the first time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from lapilli.core.state import State


class Note(NamedTuple):
    """A remark about a position, for a player who is new to the game.

    Attributes:
        name: name of what the note explains. A page shows only one note of each name in a match.
        text: the note in one or two short sentences, which call the player "you", and other players by their sides.
        places: keys of the shapes in the scene that the note is about.
    """

    name: str
    text: str
    places: tuple[str, ...] = ()


def no_notes(state: State, player: int) -> list[Note]:
    """Returns no notes. The default of `Game.notes`."""
    return []
