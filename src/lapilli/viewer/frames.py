"""Pictures as differences. Shapes are told apart by their keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lapilli.games.scene import Moment, Scene, Shape

Drawn = list[Any]
"""A shape as data: [key, tag, attributes, classes, text, title]."""
Shapes = Mapping[str, Shape]
"""The shapes of a picture by their keys, in drawing order."""


class Frames:
    """Collects pictures, each as its difference to the one before.

    Attributes:
        drawn: the differences. scene: the last picture. shapes: those of it.
    """

    def __init__(self) -> None:
        self.drawn: list[dict[str, Any]] = []
        self.scene: Scene | None = None
        self.shapes: Shapes = {}

    def add(self, turn: int, moment: Moment) -> None:
        """Appends a picture that belongs to the turn of that number in the film."""
        frame: dict[str, Any] = {"turn": turn, "caption": moment.caption, "label": moment.scene.label}
        if moment.mark:
            frame["mark"] = moment.mark
        shapes = shapes_of(moment.scene)
        self.drawn.append(frame | difference(self.shapes, shapes))
        self.shapes, self.scene = shapes, moment.scene


def shapes_of(scene: Scene) -> Shapes:
    """A picture's shapes by their keys."""
    return {shape.key: shape for shape in scene.shapes}


def difference(before: Shapes, after: Shapes) -> dict[str, Any]:
    """What makes one picture of another: keys that are `gone`, shapes that have `changed` in place, and those that are
    `placed`, see `_placed`. What there is none of is left out."""
    gone = [key for key in before if key not in after]
    kept = [key for key in before if key in after]
    in_place = set(kept) if kept == [key for key in after if key in before] else set()
    changed = [_drawn(shape) for key, shape in after.items() if key in in_place and shape != before[key]]
    found = {"gone": gone, "changed": changed, "placed": _placed(after, in_place)}
    return {what: those for what, those in found.items() if those}


def _placed(shapes: Shapes, in_place: set[str]) -> list[list[Any]]:
    """The shapes that are new or not where they were, last first: [the key each goes before ("" for none), shape]."""
    placed, before = [], ""
    for key, shape in reversed(list(shapes.items())):
        if key not in in_place:
            placed.append([before, _drawn(shape)])
        before = key
    return placed


def _drawn(shape: Shape) -> Drawn:
    classes = " ".join(shape.classes.split())
    return [shape.key, shape.tag, dict(shape.attributes), classes, shape.text, shape.title]
