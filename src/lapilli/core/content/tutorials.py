"""Reads a game's tutorial, and the pictures that explain its rules, from `tutorial.json` in its data folder."""

from __future__ import annotations

from importlib.resources.abc import Traversable
from typing import Any, Literal

import msgspec

from lapilli.core.errors import LapilliError

FILE = "tutorial.json"
Goal = Literal["", "turn", "points", "win"]


class TutorialStep(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One step of a tutorial: a position with an explanation and perhaps a task.

    Attributes:
        title: heading.
        task: what to do, in a sentence that is clear without the explanation; "" if the step has no task.
        say: explanation.
        setup: the start of the game, as a dictionary of the setup's keys.
        moves: turns that lead from the start to the position. A turn consists of the replies of the asked players,
            joined by " | "; the lines of a reply are joined by " / ". The picture of the position shows the last turn.
        player: the player whose turn the user of the tutorial chooses.
        accept: the correct turns, each as a reply.
        goal: the task if `accept` is empty: `turn`, to play any legal turn; `points`, to gain at least `least` points;
            `win`, to win. If `accept` and `goal` are empty, the step has no task.
        least: number of points to gain, for the goal `points`.
        hint: text shown after a turn that is not correct.
        done: text shown after a correct turn.
        then: turns that are played after a correct turn, written as in `moves`.
    """

    title: str
    task: str = ""
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
    """A picture of a position on the rules page.

    Attributes:
        under: the heading of the rules page below which the picture is shown.
        say: the caption.
        setup, moves: the position, described as in a `TutorialStep`.
    """

    under: str
    say: str
    setup: dict[str, Any] = {}
    moves: list[str] = []


class OutlinePicture(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of a few pictures that show the rules at a glance, before somebody plays for the first time.

    Attributes:
        say: one sentence.
        setup, moves: the position, described as in a `TutorialStep`. The page shows the last turn as an animation.
    """

    say: str
    setup: dict[str, Any] = {}
    moves: list[str] = []


class Tutorial(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The contents of `tutorial.json`.

    Attributes:
        steps: the steps of the tutorial, in order.
        diagrams: the diagrams of the rules page.
        notes: advice for a person's first matches. Each string is one piece of advice.
        outline: the pictures beside the form for a new match.
    """

    steps: list[TutorialStep] = []
    diagrams: list[Diagram] = []
    notes: list[str] = []
    outline: list[OutlinePicture] = []


def read_tutorial(folder: Traversable) -> Tutorial:
    """Returns the contents of `tutorial.json` in a game's data folder; an empty Tutorial if there is no file.

    Raises:
        LapilliError: the file is not valid.
    """
    file = folder / FILE
    if not file.is_file():
        return Tutorial()
    try:
        return msgspec.json.decode(file.read_bytes(), type=Tutorial)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise LapilliError(f"{file}: not a valid tutorial: {error}") from None
