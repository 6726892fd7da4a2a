"""Pictures of positions: a board of shapes with keys and CSS classes, and the panels beside it. No pixels, no rules.

Coordinates are in scene units, x to the right and y down. A shape's `key` names the thing that it shows. The key is the
same in all positions, so that a viewer can move the shape instead of drawing it again. CSS classes determine colours
and line styles; a scene contains the style sheet of its game.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from lapilli.core.picture.panels import Panels

Span = tuple[str, str]
"""Terminal text and its style, in the words that terminals use ("bold bright_blue", "" for plain)."""
TextLine = list[Span]
Point = tuple[float, float]
Link = str | tuple[str, Literal["far"]]
"""The key of a shape that is highlighted together with another one. It is a pair with "far" if the two shapes are
neither neighbours nor part of each other."""
Layer = Literal["ground", "marks", "pieces", "overlay"]
LAYERS: tuple[Layer, ...] = ("ground", "marks", "pieces", "overlay")
"""Layers of the board from the lowest to the highest: the board itself; marks on parts of it; pieces, which move;
drawings on top of everything."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape, or a piece that consists of several.

    Attributes:
        key: name that is unique in its scene, or, for a part of a piece, in that piece.
        tag: SVG element name: polygon, polyline, circle, rect, line, path, text; g for a piece.
        attributes: the geometry as pairs of a name in SVG and a value in scene units. A piece has x and y, the place of
            its own origin, and scale and turn (degrees, clockwise) if they are not 1 and 0.
        classes: CSS classes, separated by blanks.
        text: the content of a text shape.
        title: text shown when the pointer rests on the shape.
        place: the layer of the board, or the name of the supply, that contains the shape.
        parts: shapes of a piece, in its own coordinates.
    """

    key: str
    tag: str
    attributes: tuple[tuple[str, str], ...]
    classes: str = ""
    text: str = ""
    title: str = ""
    place: str = "pieces"
    parts: tuple[Shape, ...] = ()


@dataclass(frozen=True, slots=True)
class Supply:
    """A strip beside the board for pieces that are captured or can be picked.

    Attributes:
        width, height: size in scene units, the same as on the board.
        title: heading of a word or two.
    """

    width: float
    height: float
    title: str


@dataclass(slots=True)
class Scene:
    """A picture of one position.

    Viewers define a few CSS classes that any game may use: `lapilli-label` for names that people may want to hide,
    `lapilli-letter` for letters that are shown only on request, `lapilli-last` for marks of the last move,
    `lapilli-debug player-N` for a bot's debug drawings.

    Attributes:
        width, height: size of the board in scene units; it may differ from one position to the next.
        label: the picture in one line of text.
        style: CSS of the game's own classes. Colours use the viewer's variables (--paper, --ink, --player-0 …).
        shapes: shapes in drawing order within their layer.
        defs: SVG definitions that the style refers to, such as patterns.
        links: by a shape's key, the keys of the shapes to highlight with it when somebody points at it.
        globe: by a shape's key, its corners on the unit sphere (x right, y up, z towards the viewer); a single point
            for a text or a piece. The same for all positions of a game; empty if there is no globe.
        anchors: by key, the point on the board for the ends of arrows and the dots that viewers draw. The points of
            fixed places are the same in all positions.
        supplies: the strips beside the board, by name.
        panels: the texts beside the board; None for those of `plain_panels`.
        layer: the layer, or the name of the supply, to which shapes are added at the moment; see `on` and `supply`.
    """

    width: float
    height: float
    label: str
    style: str
    shapes: list[Shape] = field(default_factory=list)
    defs: str = ""
    links: Mapping[str, Sequence[Link]] = field(default_factory=dict)
    globe: Mapping[str, Sequence[tuple[float, float, float]]] = field(default_factory=dict)
    anchors: dict[str, Point] = field(default_factory=dict)
    supplies: dict[str, Supply] = field(default_factory=dict)
    panels: Panels | None = None
    layer: str = "pieces"

    def polygon(self, key: str, points: Sequence[Point], classes: str, title: str = "") -> None:
        self._add(key, "polygon", classes, title, points=_points(tuple(points)))

    def polyline(self, key: str, points: Sequence[Point], classes: str, title: str = "") -> None:
        self._add(key, "polyline", classes, title, points=_points(tuple(points)))

    def circle(self, key: str, x: float, y: float, radius: float, classes: str, title: str = "") -> None:
        self._add(key, "circle", classes, title, cx=_number(x), cy=_number(y), r=_number(radius))

    def rect(self, key: str, x: float, y: float, width: float, height: float, classes: str, title: str = "") -> None:
        size = {"width": _number(width), "height": _number(height)}
        self._add(key, "rect", classes, title, x=_number(x), y=_number(y), **size)

    def line(self, key: str, x1: float, y1: float, x2: float, y2: float, classes: str, title: str = "") -> None:
        ends = {"x1": _number(x1), "y1": _number(y1), "x2": _number(x2), "y2": _number(y2)}
        self._add(key, "line", classes, title, **ends)

    def path(self, key: str, d: str, classes: str, title: str = "") -> None:
        self._add(key, "path", classes, title, d=d)

    def text(self, key: str, x: float, y: float, text: str, classes: str) -> None:
        place = (("x", _number(x)), ("y", _number(y)))
        self.shapes.append(Shape(key, "text", place, classes, text, place=self.layer))

    @contextmanager
    def piece(
        self, key: str, x: float, y: float, classes: str = "", title: str = "", scale: float = 1.0, turn: float = 0.0
    ) -> Iterator[None]:
        """Combines all shapes added within the `with` block into one piece, whose origin lies at (x, y).

        Viewers move a piece as a whole. The shapes have coordinates relative to its origin, before `scale` and `turn`
        (degrees, clockwise) are applied.
        """
        outer, self.shapes = self.shapes, []
        try:
            yield
        finally:
            parts, self.shapes = tuple(self.shapes), outer
        place = [("x", x), ("y", y)] + [("scale", scale)] * (scale != 1) + [("turn", turn)] * (turn != 0)
        attributes = tuple((name, _number(value)) for name, value in place)
        self.shapes.append(Shape(key, "g", attributes, classes, "", title, self.layer, parts))

    @contextmanager
    def on(self, layer: Layer) -> Iterator[None]:
        """Puts the shapes added within the `with` block into this layer of the board."""
        before, self.layer = self.layer, layer
        try:
            yield
        finally:
            self.layer = before

    @contextmanager
    def supply(self, name: str, width: float, height: float, title: str) -> Iterator[None]:
        """Adds a supply, a strip beside the board, and puts the shapes added within the `with` block on it.

        Coordinates in the block start at the top left corner of the supply.
        """
        self.supplies[name] = Supply(width, height, title)
        before, self.layer = self.layer, name
        try:
            yield
        finally:
            self.layer = before

    def in_order(self) -> list[Shape]:
        """Returns all shapes in drawing order: the layers from the lowest to the highest, then the supplies."""
        places = {name: number for number, name in enumerate((*LAYERS, *self.supplies))}
        return sorted(self.shapes, key=lambda shape: places[shape.place])

    def _add(self, key: str, tag: str, classes: str, title: str, **attributes: str) -> None:
        self.shapes.append(Shape(key, tag, tuple(attributes.items()), classes, "", title, self.layer))


@dataclass(frozen=True, slots=True)
class Moment:
    """One picture on the way from one position to the next.

    Attributes:
        scene: the picture. Its panels show the scores at this moment.
        caption: what happens, in a few words.
        mark: event to show on a timeline ("eruption", "capture" …); "" for nothing special.
        weight: how long to show it, relative to a usual move: below 1 if nothing happens, above 1 if much happens.
        gauge: the value that a chart shows for each player at this moment; empty if it is the value of `Game.gauge`.
    """

    scene: Scene
    caption: str = ""
    mark: str = ""
    weight: float = 1.0
    gauge: tuple[float, ...] = ()


@lru_cache(maxsize=1 << 16)
def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") or "0"


@lru_cache(maxsize=1 << 13)
def _points(points: tuple[Point, ...]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
