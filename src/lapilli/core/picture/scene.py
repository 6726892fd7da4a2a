"""What a game is drawn with: a board of keyed shapes that carry classes, and the words beside it. No pixels, no rules.

Coordinates are scene units, x right, y down. A shape's `key` names the thing it draws and stays the same from one
position to the next, so that a viewer can move it instead of drawing it anew. Looks are left to CSS classes; a
scene brings the style sheet of its game along.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from lapilli.core.picture.panels import Panels

Span = tuple[str, str]
"""Terminal text and its style in the words terminals use ("bold bright_blue", "" for plain)."""
TextLine = list[Span]
Point = tuple[float, float]
Link = str | tuple[str, Literal["far"]]
"""A key that is linked to another one; what belongs to it from afar, and is not simply next to it or a part of it, is
said to be "far"."""
Layer = Literal["ground", "marks", "pieces", "overlay"]
LAYERS: tuple[Layer, ...] = ("ground", "marks", "pieces", "overlay")
"""From the lowest to the highest: the board itself; what marks a part of it; what is put on it and moves; what is
drawn over all of it."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape, or a piece made of several.

    Attributes:
        key: unique in its scene, or within its piece.
        tag: SVG element name: polygon, polyline, circle, rect, line, path, text; g for a piece.
        attributes: geometry only, in scene units, as SVG names it. A piece's are x, y (where its own origin lies) and,
            where they are not 1 and 0, scale and turn (degrees, clockwise).
        classes: CSS classes, blank-separated.
        text: the content of a text shape.
        title: what a pointer that rests on it is told.
        place: the layer of the board that it lies in, or the name of a supply.
        parts: of a piece: its shapes, in its own coordinates.
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
    """A strip beside the board on which pieces lie: what is captured, what can be picked.

    Attributes:
        width, height: in the same scene units as the board.
        title: what it is, in a word or two.
    """

    width: float
    height: float
    title: str


@dataclass(slots=True)
class Scene:
    """A picture of one position.

    Viewers know a few classes that any game may give its shapes beside its own: `lapilli-label` for names that people
    may want to hide, `lapilli-letter` for letters that only who asks for them sees, `lapilli-last` for what marks the
    last move, `lapilli-debug player-N` for a bot's debug drawings.

    Attributes:
        width, height: of the board, in scene units; they may differ from one position to the next.
        label: the picture in one line.
        style: CSS of the game's own classes; colours by the viewer's variables (--paper, --ink, --player-0 …).
        shapes: in drawing order within their layer.
        defs: SVG definitions that the style refers to, such as patterns.
        links: for a shape's key, the keys of those to light up with it when somebody points at it.
        globe: for a shape's key, its corners on the unit sphere (x right, y up, z towards the viewer); a single point
            for a text or a piece. The same for all positions of a game; empty where there is no globe.
        anchors: for a key, the point of the board where it is: ends of arrows, places of dots. Those of fixed places
            are the same for all positions.
        supplies: the strips beside the board, by name.
        panels: the words beside the board; without them, those that any game has.
        layer: where the shapes that are added next lie; see `on`.
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
        """What is added within the block becomes one piece, which moves as a whole; its origin lies at (x, y)."""
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
        """What is added within the block lies in this layer of the board."""
        before, self.layer = self.layer, layer
        try:
            yield
        finally:
            self.layer = before

    @contextmanager
    def supply(self, name: str, width: float, height: float, title: str) -> Iterator[None]:
        """What is added within the block lies on this strip beside the board, in the strip's own coordinates."""
        self.supplies[name] = Supply(width, height, title)
        before, self.layer = self.layer, name
        try:
            yield
        finally:
            self.layer = before

    def in_order(self) -> list[Shape]:
        """All shapes as they are drawn: layer by layer, and then the supplies."""
        places = {name: number for number, name in enumerate((*LAYERS, *self.supplies))}
        return sorted(self.shapes, key=lambda shape: places[shape.place])

    def _add(self, key: str, tag: str, classes: str, title: str, **attributes: str) -> None:
        self.shapes.append(Shape(key, tag, tuple(attributes.items()), classes, "", title, self.layer))


@dataclass(frozen=True, slots=True)
class Moment:
    """One picture on the way from a position to the next.

    Attributes:
        scene: the picture, with the scores as they are at this moment in its panels.
        caption: what happens, in a few words.
        mark: what a timeline should show here ("eruption", "capture" …); "" for nothing special.
        weight: how long it is looked at, where 1 is a usual move: less where nothing happens, more where much does.
        gauge: what a chart shows for each player at this moment; empty where it is that of the position.
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
