"""A game's tutorial and the diagrams of its rules page: data in its folder, in `tutorial.json`."""

from __future__ import annotations

from importlib.resources.abc import Traversable
from typing import Any, Literal

import msgspec

from lapilli.core.errors import LapilliError

FILE = "tutorial.json"
Goal = Literal["", "turn", "points", "win"]


class Step(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A guided position.

    Attributes:
        title, say: what is said of it. setup: where it is, as `Setup.to_dict`.
        moves: turns that lead on from there, each the replies of those asked joined by " | ", their lines by " / "; the
            last one is shown.
        player: who is to do something.
        accept: the turns that are right, each a reply.
        goal: or what a turn must reach: `turn`, that it is legal; `points`, that the player has at least `least` more
            after it; `win`, that it wins. Neither: there is only to be looked.
        hint: what is said of a turn that is not right. done: what is said of one that is.
        then: turns that are played after it, as `moves`.
    """

    title: str
    say: str
    setup: dict[str, Any] = {}
    moves: list[str] = []
    player: int = 0
    accept: list[str] = []
    goal: Goal = ""
    least: int = 0
    hint: str = ""
    done: str = ""
    then: list[str] = []


class Diagram(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A board on the rules page.

    Attributes:
        under: the heading below which it stands. say: what is to be seen. setup, moves: as in a `Step`.
    """

    under: str
    say: str
    setup: dict[str, Any] = {}
    moves: list[str] = []


class Lessons(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of a file."""

    steps: list[Step] = []
    diagrams: list[Diagram] = []


def read_lessons(folder: Traversable) -> Lessons:
    """What is in a game's folder; nothing where there is no file. Raises LapilliError where it is none."""
    file = folder / FILE
    if not file.is_file():
        return Lessons()
    try:
        return msgspec.json.decode(file.read_bytes(), type=Lessons)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise LapilliError(f"{file}: no lessons: {error}") from None
