"""Pictures as differences. Shapes are told apart by their keys."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from lapilli.core.picture.scene import Moment, Scene, Shape

Drawn = list[Any]
"""A shape as data: [key, tag, attributes, classes, text, title, place, parts]; without the last where it has none. Of
a part, and of a legend's sample, there is only [tag, attributes, classes, text, title, parts]."""
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
        self._beside: dict[str, Any] = {}

    def add(self, turn: int, moment: Moment) -> None:
        """Appends a picture that belongs to the turn of that number in the film."""
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
    """A picture's shapes by their keys."""
    return {shape.key: shape for shape in scene.in_order()}


def beside_of(scene: Scene) -> dict[str, Any]:
    """What is beside a picture's shapes, as data. A frame tells what is not as it was.

    `size`: [width, height] of the board. `panels`: headline, plates as [score, unit, facts as [text, title, kind],
    supplies], and the names of the common supplies. `supplies`: by name [width, height, title]. `anchors`: by key
    [x, y].
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
    """What makes one picture of another: keys that are `gone`, shapes that have `changed` in place, and those that are
    `placed`, see `_placed`. What there is none of is left out."""
    gone = [key for key in before if key not in after]
    in_place = _in_place(before, after)
    kept = ((shape, before[key]) for key, shape in after.items() if key in in_place)
    changed = [_drawn(shape) for shape, old in kept if shape is not old and shape != old]
    found = {"gone": gone, "changed": changed, "placed": _placed(after, in_place)}
    return {what: those for what, those in found.items() if those}


def _in_place(before: Shapes, after: Shapes) -> set[str]:
    """The keys that need not be placed anew: as many of those in both pictures as are in the same order there.

    A longest ascending run by patience sorting: `ends` has where in `before` the best runs of each length end.
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
    """The shapes that are new or not where they were, last first: [the key each goes before, shape].

    "" is the end; None is the shape that is listed before this one.
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
    """Shapes that nothing changes, as data: each as a part is, see `Drawn`."""
    return [_part(shape) for shape in shapes]


@lru_cache(maxsize=1 << 12)
def _words(classes: str) -> str:
    return " ".join(classes.split())


def _part(shape: Shape) -> Drawn:
    parts = [drawn_parts(shape.parts)] if shape.parts else []
    return [shape.tag, dict(shape.attributes), _words(shape.classes), shape.text, shape.title, *parts]
