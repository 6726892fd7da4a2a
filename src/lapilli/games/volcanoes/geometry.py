"""Coordinates of the tiles, on the unfolded net and on the sphere.

The net is the usual one of an icosahedron: five faces that point up, below them a strip of ten faces, and below the
strip five faces that point down. Every face is cut into four tiles. On the net, a tile's edge has length 1; x points
right, y down. On the sphere, the left end of the strip is joined to its right end. In the upper part and in the lower
part of the net, the right edge of each face is joined to the left edge of the next face.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import atan, cos, hypot, pi, sin, sqrt
from typing import TypeVar

from lapilli.games.volcanoes.board import HEMISPHERE, NEIGHBOURS

Point = tuple[float, float]
Point3 = tuple[float, float, float]
P = TypeVar("P")

ROW = sqrt(3) / 2
"""Distance between the upper and the lower edge of a line of tiles on the net, where a tile's edge has length 1."""
WIDTH, HEIGHT = 11.0, 6 * ROW

_Face = tuple[tuple[int, int, int, int], tuple[Point, Point, Point]]
"""A face of the icosahedron. First its four tiles: at the tip, at the left corner, in the middle, at the right corner.
Then its three corners on the net: tip, left, right."""


def _faces() -> Iterator[_Face]:
    """Yields the twenty faces of the icosahedron.

    Follows NEIGHBOURS (each tile's neighbours) from the tiles of one face to the tiles of the next face.
    """

    def other(tile: int, *not_these: int) -> int:
        (near,) = (near for near in NEIGHBOURS[tile] if near not in not_these)
        return near

    for k in range(5):
        x = 2.0 * k
        # A face of the upper row, and below it a face of the strip that points down. Only its tip is southern.
        yield (k, 5 + 3 * k, 6 + 3 * k, 7 + 3 * k), _upward(x, 0)
        left, middle, right = 20 + 4 * k, 21 + 4 * k, 22 + 4 * k
        tip = other(middle, left, right)
        yield (tip, left, middle, right), _downward(x, 2 * ROW)
        # The next face of the strip points up; below its lower edge lies a face of the lower row.
        up_tip = 23 + 4 * k
        (up_middle,) = (near for near in NEIGHBOURS[up_tip] if near >= HEMISPHERE)
        (up_left,) = (near for near in NEIGHBOURS[up_middle] if tip in NEIGHBOURS[near])
        up_right = other(up_middle, up_tip, up_left)
        yield (up_tip, up_left, up_middle, up_right), _upward(x + 1, 2 * ROW)
        cap_left = other(up_left, tip, up_middle)
        cap_middle, cap_right = next(
            (middle, right)
            for middle in NEIGHBOURS[cap_left]
            for right in NEIGHBOURS[middle]
            if up_right in NEIGHBOURS[right] and middle != up_left
        )
        cap_tip = other(cap_middle, cap_left, cap_right)
        yield (cap_tip, cap_left, cap_middle, cap_right), _downward(x + 1, 4 * ROW)


def _upward(left: float, top: float) -> tuple[Point, Point, Point]:
    """Returns the corners (tip, left, right) of a face that points up, on the net.

    `left` and `top` are the coordinates of the upper left corner of the smallest box around the face.
    """
    return (left + 1, top), (left, top + 2 * ROW), (left + 2, top + 2 * ROW)


def _downward(left: float, top: float) -> tuple[Point, Point, Point]:
    """Returns the corners (tip, left, right) of a face that points down, on the net.

    `left` and `top` are the coordinates of the upper left corner of the smallest box around the face.
    """
    return (left + 1, top + 2 * ROW), (left, top), (left + 2, top)


def _cut(tip: P, left: P, right: P, middle: Callable[[P, P], P]) -> Iterator[tuple[P, P, P]]:
    """Yields the corners of each of a face's four tiles, in the order of the tiles in `_Face`.

    Args:
        tip, left, right: the corners of the face.
        middle: function that returns the point midway between two points.
    """
    side_left, side_right, base = middle(tip, left), middle(tip, right), middle(left, right)
    yield tip, side_left, side_right
    yield left, base, side_left
    yield side_left, side_right, base
    yield base, right, side_right


def _flat_middle(a: Point, b: Point) -> Point:
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2


def _round_middle(a: Point3, b: Point3) -> Point3:
    x, y, z = (one + two for one, two in zip(a, b, strict=True))
    length = hypot(x, y, z)
    return x / length, y / length, z / length


def _on_sphere(corner: Point) -> Point3:
    """Converts a face's corner from the net to the unit sphere, where x points right, y up, and z towards the
    viewer."""
    latitude = (pi / 2, atan(0.5), -atan(0.5), -pi / 2)[round(corner[1] / ROW) // 2]
    longitude = corner[0] * pi / 5
    return cos(latitude) * sin(longitude), sin(latitude), cos(latitude) * cos(longitude)


def _lay() -> tuple[dict[int, tuple[Point, Point, Point]], dict[int, tuple[Point3, Point3, Point3]]]:
    """Returns the corners of each tile by tile number, first on the net and then on the unit sphere."""
    flat: dict[int, tuple[Point, Point, Point]] = {}
    sphere: dict[int, tuple[Point3, Point3, Point3]] = {}
    for tiles, (tip, left, right) in _faces():
        flat.update(zip(tiles, _cut(tip, left, right, _flat_middle), strict=True))
        corners = _on_sphere(tip), _on_sphere(left), _on_sphere(right)
        sphere.update(zip(tiles, _cut(*corners, _round_middle), strict=True))
    return flat, sphere


_FLAT, _SPHERE = _lay()
TRIANGLES = tuple(_FLAT[tile] for tile in sorted(_FLAT))
"""The three corners of each tile on the net, by tile number."""
SPHERE = tuple(_SPHERE[tile] for tile in sorted(_SPHERE))
"""The three corners of each tile on the unit sphere, by tile number."""
CENTRES = tuple((sum(x for x, _ in tile) / 3, sum(y for _, y in tile) / 3) for tile in TRIANGLES)
"""The centre of each tile on the net, by tile number."""
SPHERE_CENTRES = tuple(_round_middle(tile[0], _round_middle(tile[1], tile[2])) for tile in SPHERE)
"""The approximate centre of each tile on the unit sphere, by tile number."""
