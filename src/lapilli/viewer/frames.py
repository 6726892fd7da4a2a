"""Pictures as differences from the picture before. Shapes are identified by their keys."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from lapilli.core.picture.scene import Moment, Scene, Shape

Drawn = list[Any]
"""A shape as data: [key, tag, attributes, classes, text, title, place, parts]; `parts` is left out if there are none. A
part of a piece, and a legend's sample, is [tag, attributes, classes, text, title, parts]."""
Shapes = Mapping[str, Shape]
"""The shapes of a picture by key, in drawing order."""


class Frames:
    """A sequence of pictures, each stored as its difference from the one before.

    Attributes:
        drawn: the differences.
        scene: the last picture.
        shapes: the shapes of the last picture.
    """

    def __init__(self) -> None:
        self.drawn: list[dict[str, Any]] = []
        self.scene: Scene | None = None
        self.shapes: Shapes = {}
        self._beside: dict[str, Any] = {}

    def add(self, turn: int, moment: Moment) -> None:
        """Appends a picture that belongs to turn number `turn` of the film."""
        scene = moment.scene
        frame: dict[str, Any] = {"turn": turn, "caption": moment.caption, "label": scene.label, "weight": moment.weight}
        if moment.mark:
            frame["mark"] = moment.mark
        if moment.gauge:
            frame["gauge"] = list(moment.gauge)
        shapes, beside = shapes_of(scene), beside_of(scene)
        frame |= {what: those for what, those in beside.items() if those != self._beside.get(what)}
        self.drawn.append(frame | difference(self.shapes, shapes))
        self.shapes, self.scene, self._beside = shapes, scene, beside


def shapes_of(scene: Scene) -> Shapes:
    """Returns a picture's shapes by key."""
    return {shape.key: shape for shape in scene.in_order()}


def beside_of(scene: Scene) -> dict[str, Any]:
    """Returns the other contents of a picture, besides its shapes, as data. A frame contains those that have changed.

    - `size`: [width, height] of the board.
    - `panels`: headline; plates as [score, unit, facts as [text, title, kind], supplies]; names of the common supplies.
    - `supplies`: name -> [width, height, title].
    - `anchors`: key -> [x, y].
    """
    panels = scene.panels
    told: dict[str, Any] = {
        "size": [scene.width, scene.height],
        "supplies": {name: [one.width, one.height, one.title] for name, one in scene.supplies.items()},
        "anchors": {key: [round(x, 1), round(y, 1)] for key, (x, y) in scene.anchors.items()},
    }
    if panels is not None:
        plates = [
            [
                plate.score,
                plate.unit,
                [[fact.text, fact.title, fact.kind] for fact in plate.facts],
                list(plate.supplies),
            ]
            for plate in panels.plates
        ]
        told["panels"] = {"headline": panels.headline, "plates": plates, "supplies": list(panels.supplies)}
    return told


def difference(before: Shapes, after: Shapes) -> dict[str, Any]:
    """Returns the changes from one picture to the next: keys that are `gone`, shapes that `changed` in place, and
    shapes that are `placed`, see `_placed`. Empty lists are left out."""
    gone = [key for key in before if key not in after]
    in_place = _in_place(before, after)
    kept = ((shape, before[key]) for key, shape in after.items() if key in in_place)
    changed = [_drawn(shape) for shape, old in kept if shape is not old and shape != old]
    found = {"gone": gone, "changed": changed, "placed": _placed(after, in_place)}
    return {what: those for what, those in found.items() if those}


def _in_place(before: Shapes, after: Shapes) -> set[str]:
    """Returns the keys that keep their place: a largest set of common keys that have the same order in both pictures.

    Finds a longest increasing subsequence by patience sorting: `ends` holds, for each length, the position in `before`
    where the best subsequence of that length ends.
    """
    at = {key: number for number, key in enumerate(before)}
    ends: list[int] = []
    last: list[str] = []
    came: dict[str, str] = {}
    for key in (key for key in after if key in at):
        length = bisect_left(ends, at[key])
        came[key] = last[length - 1] if length else ""
        ends[length : length + 1], last[length : length + 1] = [at[key]], [key]
    key, found = last[-1] if last else "", set()
    while key:
        found.add(key)
        key = came[key]
    return found


def _placed(shapes: Shapes, in_place: set[str]) -> list[list[Any]]:
    """Returns the shapes that are new or have moved in the drawing order, last first: [key, shape].

    `key` is that of the shape to insert it before. "" stands for the end, None for the shape listed just before this
    one.
    """
    placed: list[list[Any]] = []
    before: str | None = ""
    for key, shape in reversed(list(shapes.items())):
        if key in in_place:
            before = key
        else:
            placed.append([before, _drawn(shape)])
            before = None
    return placed


def _drawn(shape: Shape) -> Drawn:
    tag, attributes, classes, text, title, *parts = _part(shape)
    return [shape.key, tag, attributes, classes, text, title, shape.place, *parts]


def drawn_parts(shapes: Iterable[Shape]) -> list[Drawn]:
    """Returns shapes that never change as data, in the form of parts, see `Drawn`."""
    return [_part(shape) for shape in shapes]


@lru_cache(maxsize=1 << 12)
def _words(classes: str) -> str:
    return " ".join(classes.split())


def _part(shape: Shape) -> Drawn:
    parts = [drawn_parts(shape.parts)] if shape.parts else []
    return [shape.tag, dict(shape.attributes), _words(shape.classes), shape.text, shape.title, *parts]
