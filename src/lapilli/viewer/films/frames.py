"""Stores a sequence of pictures, each as its difference from the picture before.

Shapes are compared by their keys: the same shape has the same key in all pictures.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from lapilli.core.picture.scene import Moment, Scene, Shape

Drawn = list[Any]
"""A shape as JSON data: [key, tag, attributes, classes, text, title, place, parts]. The fields are those of `Shape`:
`place` is the layer, realm or supply that contains the shape. `parts` is missing if there are none.

Parts of a piece and shapes of the legend have neither key nor place: [tag, attributes, classes, text, title, parts].
"""
Shapes = Mapping[str, Shape]
"""The shapes of a picture by key, in drawing order."""


class Frames:
    """A sequence of pictures, each stored as its difference from the picture before.

    Attributes:
        drawn: the stored differences (frames), one for each picture.
        scene: the last picture; None if there is no picture yet.
        shapes: the shapes of the last picture, by key.
    """

    def __init__(self) -> None:
        self.drawn: list[dict[str, Any]] = []
        self.scene: Scene | None = None
        self.shapes: Shapes = {}
        self._contents: dict[str, Any] = {}

    def add(self, turn: int, moment: Moment) -> None:
        """Appends the picture of `moment`. `turn`: index of the picture's turn in the film's list of turns."""
        shapes, contents = shapes_of(moment.scene), contents_of(moment.scene)
        self.drawn.append(self._frame(turn, moment, shapes, contents))
        self.shapes, self.scene, self._contents = shapes, moment.scene, contents

    def following(self, scene: Scene) -> dict[str, Any]:
        """Returns a picture's difference from the last picture of the sequence, but does not append the picture."""
        return self._frame(0, Moment(scene), shapes_of(scene), contents_of(scene))

    def _frame(self, turn: int, moment: Moment, shapes: Shapes, contents: dict[str, Any]) -> dict[str, Any]:
        label = moment.scene.label
        frame: dict[str, Any] = {"turn": turn, "caption": moment.caption, "label": label, "weight": moment.weight}
        if moment.mark:
            frame["mark"] = moment.mark
        if moment.gauge:
            frame["gauge"] = list(moment.gauge)
        frame |= {name: content for name, content in contents.items() if content != self._contents.get(name)}
        return frame | difference(self.shapes, shapes)


def shapes_of(scene: Scene) -> Shapes:
    """Returns a picture's shapes by key, in drawing order."""
    return {shape.key: shape for shape in scene.in_order()}


def contents_of(scene: Scene) -> dict[str, Any]:
    """Returns everything in a picture except its shapes, as a dict.

    Of later pictures, a film stores only those items that have changed. A supply is a strip of pieces beside the board.
    A realm is a player's own part of the board. A plate is a player's panel beside the board.

    Returns:
        `size`: [width, height] of the board.
        `panels`: a dict with `headline`, `plates` and `supplies`; missing if the picture has no panels. `plates` has a
            list [score, unit, facts, supplies] for each player. A fact is [text, title, kind]; the score is None if
            nothing is counted. `supplies` has the names of the supplies that belong to no player.
        `supplies`: dict from the name of a supply to [width, height, title].
        `anchors`: dict from the key of a shape or place to [x, y], the point at which arrows to it end.
        `realms`: dict from the name of a realm to [player, left, top, width, height], where the last four are the part
            of the realm that is shown. This item is missing if there are no realms.
        `turnable`: whether the board may be turned by 90 degrees; missing if not.
    """
    panels = scene.panels
    contents: dict[str, Any] = {
        "size": [scene.width, scene.height],
        "supplies": {name: [supply.width, supply.height, supply.title] for name, supply in scene.supplies.items()},
        "anchors": {key: _rounded(point, 1) for key, point in scene.anchors.items()},
    }
    if scene.realms:
        contents["realms"] = {name: [realm.player, *realm.crop] for name, realm in scene.realms.items()}
    if scene.turnable:
        contents["turnable"] = True
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
        contents["panels"] = {"headline": panels.headline, "plates": plates, "supplies": list(panels.supplies)}
    return contents


@lru_cache(maxsize=1 << 14)
def _rounded(point: tuple[float, ...], digits: int) -> list[float]:
    """Returns a point's coordinates as a list, rounded to `digits` digits after the decimal point.

    The results are cached, so the caller must not change the list.
    """
    return [round(coordinate, digits) for coordinate in point]


def common_parts(scene: Scene) -> dict[str, Any]:
    """Returns the parts that all pictures of a game have in common, as a dict. A film contains them once.

    Returns:
        `style`: the style sheet.
        `defs`: SVG definitions to which the style sheet refers.
        `links`: by a shape's key, the keys of the shapes that are highlighted when somebody points at this shape.
        `dark`: whether the board is dark in both themes.
        `names`: list of [pattern, key]: a regular expression for names of places in texts, and the key of the place.
        `globe`: dict from the key of a shape to its corners [x, y, z] on the globe.
        `legend`: list of [text, shapes, brief], as in `Sample`.
    """
    legend = scene.panels.legend if scene.panels else ()
    return {
        "style": scene.style,
        "defs": scene.defs,
        "dark": scene.is_dark,
        "names": [list(name) for name in scene.names],
        "links": {key: list(keys) for key, keys in scene.links.items()},
        "globe": {key: [_rounded(point, 4) for point in points] for key, points in scene.globe.items()},
        "legend": [[sample.text, drawn_parts(sample.shapes), sample.brief] for sample in legend],
    }


def difference(before: Shapes, after: Shapes) -> dict[str, Any]:
    """Returns how the shapes change from one picture (`before`) to the next (`after`), as a dict of lists.

    Empty lists are left out.

    Returns:
        `gone`: keys of the shapes that only the first picture has.
        `changed`: shapes that have changed, but keep their place in the drawing order.
        `placed`: shapes that are new, or that have another place in the drawing order, as `_placed` returns them.
    """
    gone = [key for key in before if key not in after]
    in_place = _in_place(before, after)
    common = ((shape, before[key]) for key, shape in after.items() if key in in_place)
    changed = [_drawn(shape) for shape, old in common if shape is not old and shape != old]
    changes = {"gone": gone, "changed": changed, "placed": _placed(after, in_place)}
    return {name: content for name, content in changes.items() if content}


def _in_place(before: Shapes, after: Shapes) -> set[str]:
    """Returns the keys of the shapes that keep their place in the drawing order.

    This is the largest possible set of keys that occur in the same order in both pictures, `before` and `after`. The
    keys form a longest increasing subsequence, which patience sorting finds. (In the code, `ends` contains, for each
    length of a subsequence, the position in `before` at which the best subsequence of that length ends.)
    """
    if list(before) == list(after):  # usual
        return set(after)
    positions = {key: number for number, key in enumerate(before)}
    ends: list[int] = []
    last_keys: list[str] = []
    previous: dict[str, str] = {}
    for key in (key for key in after if key in positions):
        length = bisect_left(ends, positions[key])
        previous[key] = last_keys[length - 1] if length else ""
        ends[length : length + 1], last_keys[length : length + 1] = [positions[key]], [key]
    key, in_place = last_keys[-1] if last_keys else "", set()
    while key:
        in_place.add(key)
        key = previous[key]
    return in_place


def _placed(shapes: Shapes, in_place: set[str]) -> list[list[Any]]:
    """Returns the shapes that a page must insert: those that are new, or that have another place in the drawing order.

    The result contains pairs [next, shape]; the last shape in the drawing order comes first. `next` is the key of the
    shape before which the page inserts this shape. If `next` is "", the page inserts the shape at the end; if it is
    None, before the shape of the previous pair.

    Args:
        shapes: all shapes of the picture, by key, in drawing order.
        in_place: keys of the shapes that are not returned, because they keep their places.
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
    """Returns shapes as JSON data without key and place. `Drawn` describes this form."""
    return [_part(shape) for shape in shapes]


@lru_cache(maxsize=1 << 12)
def _words(classes: str) -> str:
    return " ".join(classes.split())


def _part(shape: Shape) -> Drawn:
    parts = [drawn_parts(shape.parts)] if shape.parts else []
    return [shape.tag, dict(shape.attributes), _words(shape.classes), shape.text, shape.title, *parts]
