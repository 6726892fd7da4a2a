"""A game's tutorial and the diagrams of its rules page: data in its folder, in `tutorial.json`."""

from __future__ import annotations

from importlib.resources.abc import Traversable
from typing import Any, Literal

import msgspec

from lapilli.core.errors import LapilliError

FILE = "tutorial.json"
Goal = Literal["", "turn", "points", "win"]


class TutorialStep(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One step of a tutorial: a position with an explanation and, if asked for, a task.

    Attributes:
        title, say: heading and explanation.
        setup: the start, as `Setup.to_dict` returns it.
        moves: turns that lead from there to the position. Each is the replies of the asked players joined by " | ",
            with lines joined by " / ". The last turn is shown.
        player: the player whose turn the reader chooses.
        accept: correct turns, each a reply.
        goal: instead of `accept`, what a turn must achieve: `turn`, that it is legal; `points`, that the player has at
            least `least` more points after it; `win`, that it wins. With neither, there is no task.
        least: see `goal`.
        hint: shown after a turn that is not correct.
        done: shown after a correct turn.
        then: turns that are played after it, written as in `moves`.
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
        under: the heading below which it stands.
        say: what it shows.
        setup, moves: as in a `TutorialStep`.
    """

    under: str
    say: str
    setup: dict[str, Any] = {}
    moves: list[str] = []


class Tutorial(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The contents of a file.

    Attributes:
        steps: the tutorial.
        diagrams: the diagrams of the rules page.
    """

    steps: list[TutorialStep] = []
    diagrams: list[Diagram] = []


def read_tutorial(folder: Traversable) -> Tutorial:
    """Returns the contents of the file in a game's folder; an empty object if there is no file.

    Raises:
        LapilliError: the file is not valid.
    """
    file = folder / FILE
    if not file.is_file():
        return Tutorial()
    try:
        return msgspec.json.decode(file.read_bytes(), type=Tutorial)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise LapilliError(f"{file}: no lessons: {error}") from None
