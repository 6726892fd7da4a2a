"""What a game is drawn with: keyed shapes that carry classes. No pixels, no rules.

Coordinates are scene units, x right, y down. A shape's `key` names the thing it draws and stays the same from one
position to the next, so that a viewer can move it instead of drawing it anew. Looks are left to CSS classes; a
scene brings the style sheet of its game along.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Span = tuple[str, str]
"""Terminal text and its style in the words terminals use ("bold bright_blue", "" for plain)."""
TextLine = list[Span]


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape.

    Attributes:
        key: unique in its scene.
        tag: SVG element name: polygon, polyline, circle, rect, line, path, text.
        attributes: geometry only, in scene units, as SVG names it.
        classes: CSS classes, blank-separated.
        text: the content of a text shape.
        title: what a pointer that rests on it is told.
    """

    key: str
    tag: str
    attributes: tuple[tuple[str, str], ...]
    classes: str = ""
    text: str = ""
    title: str = ""


@dataclass(slots=True)
class Scene:
    """A picture of one position.

    Viewers know a few classes that any game may give its shapes beside its own: `lapilli-label` for names that people
    may want to hide, `lapilli-last` for what marks the last move, `lapilli-debug player-N` for a bot's debug drawings.

    Attributes:
        width, height: of the canvas, in scene units.
        label: the picture in one line.
        style: CSS of the game's own classes; colours by the viewer's variables (--paper, --ink, --player-0 …).
        shapes: in drawing order.
        defs: SVG definitions that the style refers to, such as patterns.
        links: for a shape's key, the keys of those to light up with it when somebody points at it.
        globe: for a shape's key, its corners on the unit sphere (x right, y up, z towards the viewer); a single point
            for a text. The same for all positions of a game; empty where there is no globe.
    """

    width: float
    height: float
    label: str
    style: str
    shapes: list[Shape] = field(default_factory=list)
    defs: str = ""
    links: Mapping[str, Sequence[str]] = field(default_factory=dict)
    globe: Mapping[str, Sequence[tuple[float, float, float]]] = field(default_factory=dict)

    def polygon(self, key: str, points: Sequence[tuple[float, float]], classes: str, title: str = "") -> None:
        self._add(key, "polygon", classes, title, points=_points(points))

    def polyline(self, key: str, points: Sequence[tuple[float, float]], classes: str, title: str = "") -> None:
        self._add(key, "polyline", classes, title, points=_points(points))

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
        self.shapes.append(Shape(key, "text", (("x", _number(x)), ("y", _number(y))), classes, text))

    def _add(self, key: str, tag: str, classes: str, title: str, **attributes: str) -> None:
        self.shapes.append(Shape(key, tag, tuple(attributes.items()), classes, "", title))


@dataclass(frozen=True, slots=True)
class Moment:
    """One picture on the way from a position to the next.

    Attributes:
        scene: the picture.
        caption: what happens, in a few words.
        mark: what a timeline should show here ("eruption", "capture" …); "" for nothing special.
    """

    scene: Scene
    caption: str = ""
    mark: str = ""


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
