"""Pictures of positions as data: the board's shapes, with keys and CSS classes, and the panels beside the board.

This module contains no rules and draws no pixels. Coordinates are in scene units, x to the right and y down. A shape's
`key` names the thing that the shape shows. The key is the same in all positions, so that a viewer can move a shape
instead of drawing it again. CSS classes determine colours and line styles; a scene contains the style sheet of its
game.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

import msgspec

from lapilli.core.picture.panels import Panels

Span = tuple[str, str]
"""A piece of text for a terminal, and its style ("bold bright_blue"; "" for plain text)."""
TextLine = list[Span]
Point = tuple[float, float]
Link = str | tuple[str, Literal["far"]]
"""The key of a shape that is highlighted together with another shape; or the pair (key, "far") if the two shapes are
neither neighbours nor part of each other."""
Layer = Literal["ground", "marks", "pieces", "overlay"]
LAYERS: tuple[Layer, ...] = ("ground", "marks", "pieces", "overlay")
"""Layers of the board from the lowest to the highest: the board itself ("ground"), marks on parts of the board, pieces,
which move, and drawings on top of everything ("overlay")."""


class Shape(msgspec.Struct, frozen=True, gc=False):
    """One shape, or a piece that consists of several shapes.

    Attributes:
        key: name of the shape, unique in the scene. The key of a part of a piece is unique in that piece.
        tag: name of the SVG element: polygon, polyline, circle, rect, line, path, text; g for a piece.
        attributes: the geometry, as pairs of an SVG attribute and its value in scene units. A piece has the attributes
            x and y, the point of its own origin. It also has scale and turn (degrees, clockwise) if they are not 1 and
            0.
        classes: CSS classes, separated by blanks.
        text: the content of a text shape.
        title: text that is shown when the pointer rests on the shape.
        place: name of the board's layer, of the realm, or of the supply that contains the shape.
        parts: the shapes of a piece, in coordinates relative to the piece's origin.
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
        width, height: size in scene units. A scene unit has the same size as on the board.
        title: heading of the strip, a word or two.
    """

    width: float
    height: float
    title: str


@dataclass(frozen=True, slots=True)
class Realm:
    """The part of the board that belongs to one player, in a game in which each player has a board of their own.

    A realm has coordinates of its own. A viewer may draw realms larger or smaller than they are in the picture, and in
    another order: for example, the realm of the person who looks at the board first.

    Attributes:
        player: the player's number.
        crop: left, top, width and height of the visible part of the realm, in the realm's coordinates.
        x, y: where the crop's upper left corner lies on the board, in the board's coordinates.
        scale: length of one unit of the realm, in units of the board.
    """

    player: int
    crop: tuple[float, float, float, float]
    x: float
    y: float
    scale: float

    def on_board(self, point: Point) -> Point:
        """Converts a point of the realm to the board's coordinates."""
        return self.x + self.scale * (point[0] - self.crop[0]), self.y + self.scale * (point[1] - self.crop[1])


@dataclass(slots=True)
class Scene:
    """A picture of one position.

    Viewers define a few CSS classes that any game may use: `lapilli-label` for names that people may want to hide,
    `lapilli-letter` for letters that are shown only on request, `lapilli-sign` for players' signs beside their parts
    of the board, which are hidden where plates show them, `lapilli-last` for marks of the last move, `lapilli-debug
    player-N` for a bot's debug drawings. A viewer that turns a piece clockwise by 90, 180 or 270 degrees
    puts it into an element of the class `lapilli-turned-90` and so on, so that a game can keep drawings on it upright.

    Methods such as `circle` add a shape in scene units. `Shape` describes their arguments `key`, `classes` and `title`.

    Attributes:
        width, height: size of the board in scene units. The size may differ from one position to the next.
        label: description of the picture in one line of text.
        style: CSS of the game's own classes. Colours use the viewer's variables (--paper, --ink, --player-0 …).
        shapes: shapes in drawing order within their layer.
        defs: SVG definitions that the style refers to, such as patterns.
        links: by a shape's key, the keys of the other shapes that are highlighted when somebody points at this shape.
        globe: for a board that viewers can also draw as a globe: by a shape's key, the shape's corners on the unit
            sphere (x right, y up, z towards the viewer). A text or a piece has a single point. The same for all
            positions of a game; empty if there is no globe.
        anchors: by the key of a shape or place, its centre on the board, in the coordinates of its realm if it lies in
            one. Viewers draw arrows to these points, and dots on them. The points of fixed places are the same in all
            positions.
        supplies: the strips beside the board, by name.
        realms: the players' own parts of the board, by name; empty if all players share the board.
        names: the names of places in texts for people. Each item is a regular expression that matches a name, and the
            key of the place that has this name. Python and JavaScript read the expression alike. In the key, {0} stands
            for the matched text, {1} for the expression's first group, and {player} for the number of the player whose
            turn the text describes. The items are the same for all positions of a game.
        is_dark: whether the board is dark in the light theme, too, so that viewers draw light marks on it.
        panels: the texts beside the board; None to show the result of `plain_panels`.
        turnable: whether viewers may turn the board by 90 degrees to fit it into a tall window. Texts and pieces then
            stay upright, so only their places are turned. Such a board has no shapes with the tag "path", except as
            parts of pieces, and no realms.
        layer: name of the layer, the realm or the supply to which new shapes are added; `on`, `realm` and `supply`
            change it.
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
    realms: dict[str, Realm] = field(default_factory=dict)
    names: Sequence[tuple[str, str]] = ()
    is_dark: bool = False
    panels: Panels | None = None
    turnable: bool = False
    layer: str = "pieces"

    def polygon(self, key: str, points: Sequence[Point], classes: str, title: str = "") -> None:
        """Adds a polygon with these corners.

        `key`: name of the shape, unique in the scene. `classes`: its CSS classes. `title`: text that is shown when the
        pointer rests on it.
        """
        self._add(key, "polygon", classes, title, points=_points(tuple(points)))

    def polyline(self, key: str, points: Sequence[Point], classes: str, title: str = "") -> None:
        """Adds a line along these points.

        `key`: name of the shape, unique in the scene. `classes`: its CSS classes. `title`: text that is shown when the
        pointer rests on it.
        """
        self._add(key, "polyline", classes, title, points=_points(tuple(points)))

    def circle(self, key: str, x: float, y: float, radius: float, classes: str, title: str = "") -> None:
        """Adds a circle of this radius around (x, y).

        `key`: name of the shape, unique in the scene. `classes`: its CSS classes. `title`: text that is shown when the
        pointer rests on it.
        """
        self._add(key, "circle", classes, title, cx=_number(x), cy=_number(y), r=_number(radius))

    def rect(self, key: str, x: float, y: float, width: float, height: float, classes: str, title: str = "") -> None:
        """Adds a rectangle of this width and height, with the upper left corner (x, y).

        `key`: name of the shape, unique in the scene. `classes`: its CSS classes. `title`: text that is shown when the
        pointer rests on it.
        """
        size = {"width": _number(width), "height": _number(height)}
        self._add(key, "rect", classes, title, x=_number(x), y=_number(y), **size)

    def line(self, key: str, x1: float, y1: float, x2: float, y2: float, classes: str, title: str = "") -> None:
        """Adds a line from (x1, y1) to (x2, y2).

        `key`: name of the shape, unique in the scene. `classes`: its CSS classes. `title`: text that is shown when the
        pointer rests on it.
        """
        ends = {"x1": _number(x1), "y1": _number(y1), "x2": _number(x2), "y2": _number(y2)}
        self._add(key, "line", classes, title, **ends)

    def path(self, key: str, d: str, classes: str, title: str = "") -> None:
        """Adds a path: a shape of lines and curves.

        `d`: commands that draw the path, as in the SVG attribute `d`. `key`: name of the shape, unique in the scene.
        `classes`: its CSS classes. `title`: text that is shown when the pointer rests on it.
        """
        self._add(key, "path", classes, title, d=d)

    def text(self, key: str, x: float, y: float, text: str, classes: str) -> None:
        """Adds a text whose middle is (x, y).

        `key`: name of the shape, unique in the scene. `classes`: its CSS classes.
        """
        place = (("x", _number(x)), ("y", _number(y)))
        self.shapes.append(Shape(key, "text", place, classes, text, place=self.layer))

    def piece(
        self, key: str, x: float, y: float, classes: str = "", title: str = "", scale: float = 1.0, turn: float = 0.0
    ) -> _Piece:
        """Context manager that combines all shapes added within the `with` block into one piece with the origin (x, y).

        Viewers move a piece as a whole. Within the block, coordinates are relative to the piece's origin. Then the
        piece is scaled by `scale` and rotated by `turn` degrees, clockwise.

        `key`: name of the piece, unique in the scene. `classes`: its CSS classes. `title`: text that is shown when the
        pointer rests on it.
        """
        place = [("x", _number(x)), ("y", _number(y))]
        if scale != 1:
            place.append(("scale", _number(scale)))
        if turn:
            place.append(("turn", _number(turn)))
        return _Piece(self, Shape(key, "g", tuple(place), classes, "", title))

    @contextmanager
    def on(self, layer: Layer) -> Iterator[None]:
        """Context manager that adds all shapes of the `with` block to this layer of the board."""
        before, self.layer = self.layer, layer
        try:
            yield
        finally:
            self.layer = before

    @contextmanager
    def supply(self, name: str, width: float, height: float, title: str) -> Iterator[None]:
        """Context manager that adds a supply (a strip beside the board) and draws the shapes of the `with` block there.

        Within the block, (0, 0) is the top left corner of the supply. `name`: name of the supply. `width`, `height`:
        its size in scene units. `title`: its heading, a word or two.
        """
        self.supplies[name] = Supply(width, height, title)
        before, self.layer = self.layer, name
        try:
            yield
        finally:
            self.layer = before

    @contextmanager
    def realm(self, name: str, realm: Realm) -> Iterator[None]:
        """Context manager that adds a realm (a player's own part of the board) and draws the shapes of the block there.

        The shapes have the realm's coordinates, and are drawn in the order in which they are added. `name`: name of the
        realm. `realm`: its player, its size and its place on the board.
        """
        self.realms[name] = realm
        before, self.layer = self.layer, name
        try:
            yield
        finally:
            self.layer = before

    def in_order(self) -> list[Shape]:
        """Returns all shapes in drawing order: the layers from the lowest to the highest, the realms, the supplies."""
        places = {name: number for number, name in enumerate((*LAYERS, *self.realms, *self.supplies))}
        return sorted(self.shapes, key=lambda shape: places[shape.place])

    def _add(self, key: str, tag: str, classes: str, title: str, **attributes: str) -> None:
        self.shapes.append(Shape(key, tag, tuple(attributes.items()), classes, "", title, self.layer))


class _Piece:
    """The `with` block of `Scene.piece`. It is a class, which is faster than a generator: boards have many pieces.

    Args:
        scene: the scene.
        empty: the piece without its parts and its place.
    """

    __slots__ = ("_empty", "_outer", "_scene")

    def __init__(self, scene: Scene, empty: Shape) -> None:
        self._scene, self._empty = scene, empty
        self._outer: list[Shape] = []

    def __enter__(self) -> None:
        self._outer, self._scene.shapes = self._scene.shapes, []

    def __exit__(self, *_: object) -> None:
        scene, parts = self._scene, tuple(self._scene.shapes)
        scene.shapes = self._outer
        scene.shapes.append(msgspec.structs.replace(self._empty, place=scene.layer, parts=parts))


@dataclass(frozen=True, slots=True)
class Moment:
    """One picture on the way from one position to the next.

    Attributes:
        scene: the picture. Its panels show the scores at this moment.
        caption: what happens, in a few words.
        mark: event to show on a timeline ("eruption", "capture" …); "" for nothing special.
        weight: time for which to show the picture, relative to a usual move: below 1 if nothing happens, above 1 if
            much happens.
        gauge: the value that a chart shows for each player at this moment; empty to use the values of `Game.gauge`.
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
