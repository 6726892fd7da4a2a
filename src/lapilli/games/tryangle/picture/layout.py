"""The layout of the drawn map, in scene units: places of houses and their names, and lines between houses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import atan2, cos, dist, pi, sin
from typing import Any

from lapilli.core.picture.scene import Point
from lapilli.games.tryangle.picture.look import CONTESTED, HOUSE

_SIDES, _ABOVE, _BELOW = 90.0, 148.0, 96.0
"""Margins around the middles of the outermost houses, in scene units: left and right; above, where the bar with the
players' shares of the triangles is; below."""
_TIP = 22.0
_RIM = 10.0
_DIRECTIONS = 16
_NAME = 17.0
"""Distance from a house's edge to the middle of its name, in scene units: the name touches the house."""
_FARTHEST = CONTESTED + 12 + _NAME
"""Distance from the middle of a house to the middle of its name, if the house has units of both players. (The house may
then have a ring.)"""
_APART = 90.0
"""Smallest distance from a name to the edge of another house, in scene units, at which nobody confuses the houses."""
NAME_BOX = (36.0, 28.0)
"""Width and height of a house's name, in scene units."""


@dataclass(frozen=True)
class MapLayout:
    """Positions and sizes on the board, in scene units.

    Attributes:
        width, height: size of the board.
        left, top: upper left corner of the board, in the map's coordinates.
        places: middle of each house.
        aside: direction from each house to its name, in radians.
    """

    width: float
    height: float
    left: float
    top: float
    places: tuple[Point, ...]
    aside: tuple[float, ...]

    def name(self, house: int, contested: bool) -> Point:
        """Returns the middle of a house's name. `contested` means that both players have units on the house."""
        (x, y), angle = self.places[house], self.aside[house]
        out = _FARTHEST if contested else HOUSE + _NAME
        return self.inside(round(x + out * cos(angle)), round(y + out * sin(angle)), NAME_BOX[0] / 2)

    def middle(self, houses: Sequence[int]) -> Point:
        """Returns the point in the middle of several houses, such as a triangle's corners."""
        points = [self.places[house] for house in houses]
        return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)

    def inside(self, x: float, y: float, room: float) -> Point:
        """Returns (x, y), moved so far inwards that its distance from the edges of the board is at least `room`."""
        return min(max(x, room), self.width - room), min(max(y, room), self.height - room)


def layout_of(record: Any) -> MapLayout:
    """Returns the layout for a position's houses and paths."""
    houses = int(record["houses"])
    spots = tuple(zip(record["x"][:houses].tolist(), record["y"][:houses].tolist(), strict=True))
    return _layout(spots, tuple(record["paths"][:houses].tolist()))


@lru_cache(maxsize=512)
def _layout(spots: tuple[tuple[int, int], ...], paths: tuple[int, ...]) -> MapLayout:
    columns, rows = [x for x, _ in spots], [y for _, y in spots]
    left, top = min(columns) - _SIDES, min(rows) - _ABOVE
    width, height = max(columns) + _SIDES - left, max(rows) + _BELOW - top
    places = tuple((x - left, y - top) for x, y in spots)
    aside = tuple(_aside(places, house, mask, (width, height)) for house, mask in enumerate(paths))
    return MapLayout(width, height, left, top, places, aside)


def _aside(places: Sequence[Point], house: int, mask: int, size: Point) -> float:
    """Returns the angle, in radians, at which to write a house's name beside the house.

    The direction is one of 16, and the name must fit on the board there. The function prefers directions in which no
    other house is near the name. Among these, it chooses the direction with the largest angle to the nearest
    path of the house; if several are equal, the first one, clockwise from the lower right.

    Args:
        places: middles of all houses, in scene units.
        house: the house.
        mask: bit set of the house's neighbours.
        size: width and height of the board.
    """
    x, y = places[house]
    ways = [
        atan2(places[other][1] - y, places[other][0] - x)
        for other in range(len(places))
        if mask >> other & 1 and other != house
    ]
    every = [pi / 4 + 2 * pi * number / _DIRECTIONS for number in range(_DIRECTIONS)]
    directions = [
        angle
        for angle in every
        if all(
            box / 2 <= at + _FARTHEST * way <= room - box / 2
            for at, way, room, box in zip((x, y), (cos(angle), sin(angle)), size, NAME_BOX, strict=True)
        )
    ]

    others = [place for other, place in enumerate(places) if other != house]

    def clear(angle: float) -> tuple[float, float]:
        name = x + _FARTHEST * cos(angle), y + _FARTHEST * sin(angle)
        free = min((dist(name, other) - HOUSE for other in others), default=_APART)
        turned = min((abs((angle - way + pi) % (2 * pi) - pi) for way in ways), default=pi)
        return round(min(free, _APART)), round(turned, 3)

    return max(directions, key=clear)


def arrow(start: Point, end: Point, aside: float, gap: float) -> tuple[float, float, float, float]:
    """Returns the ends (x1, y1, x2, y2) of an arrow's line from `start` to a house at `end`.

    Args:
        start: point from which the arrow comes: the middle of a house or of a triangle.
        end: middle of the house at which the arrow ends.
        aside: distance by which the line is shifted to the right, as seen in its direction.
        gap: distance from `start` to the line. At the other end, there is space for the house and the arrow's tip.
    """
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = (dx * dx + dy * dy) ** 0.5 or 1.0
    dx, dy = dx / length, dy / length
    first, last = min(gap, length / 3), length - min(HOUSE + 10 + _TIP, length / 2)
    x, y = start[0] - dy * aside, start[1] + dx * aside
    return round(x + dx * first), round(y + dy * first), round(x + dx * last), round(y + dy * last)


def on_the_way(start: Point, end: Point, aside: float, out: float) -> Point:
    """Returns a point beside the line from `start` to `end`: the point at the distance `out` from `start`, shifted.

    If `out` is more than half of the line's length, the line's middle is used. The point is shifted to the right, as
    seen in the line's direction, by the distance `aside`.
    """
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = (dx * dx + dy * dy) ** 0.5 or 1.0
    dx, dy, out = dx / length, dy / length, min(out, length / 2)
    return round(start[0] - dy * aside + dx * out), round(start[1] + dx * aside + dy * out)


def shrunk(points: Sequence[Point]) -> list[Point]:
    """Returns the corners of a triangle, `points`, shrunk to 80 % of its size around its centre."""
    x, y = (sum(point[axis] for point in points) / len(points) for axis in (0, 1))
    return [(round(x + 0.8 * (px - x)), round(y + 0.8 * (py - y))) for px, py in points]


@lru_cache(maxsize=1024)
def inset(corners: tuple[Point, Point, Point]) -> list[Point]:
    """Returns the corners of a triangle without a rim of 10 units along its sides, where the paths are drawn.

    A thin triangle is shrunk to half its size at most, so that it stays visible.
    """
    sides = [dist(corners[n - 2], corners[n - 1]) for n in range(3)]
    total = sum(sides)
    (ax, ay), (bx, by), (cx, cy) = corners
    mx, my = (sum(side * corner[axis] for side, corner in zip(sides, corners, strict=True)) / total for axis in (0, 1))
    radius = abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) / total
    scale = max(0.5, 1 - _RIM / radius) if radius else 0.5
    return [(round(mx + scale * (x - mx)), round(my + scale * (y - my))) for x, y in corners]


def overlap(one: Point, one_box: Point, other: Point, other_box: Point) -> bool:
    """Returns whether two boxes overlap.

    `one` and `other` are their middles, `one_box` and `other_box` their sizes (width, height).
    """
    return all(abs(one[axis] - other[axis]) < (one_box[axis] + other_box[axis]) / 2 for axis in (0, 1))
