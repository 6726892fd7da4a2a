"""Coordinates of tiles, edges, names and volcanoes, on the net (the unfolded sphere) in scene units, and on the globe.

The coordinates are the same for all positions. A volcano is drawn slightly nearer to the tip of its tile than the
tile's centre is. This leaves space for the tile's name at the base.
"""

from __future__ import annotations

from math import atan2, cos, degrees, dist, hypot, radians, sin
from typing import NamedTuple

from lapilli.core.picture.scene import Link
from lapilli.games.volcanoes.board import HEMISPHERE, NAMES, NEIGHBOURS, TILES
from lapilli.games.volcanoes.geometry import (
    CENTRES,
    HEIGHT,
    ROW,
    SPHERE,
    SPHERE_CENTRES,
    TRIANGLES,
    WIDTH,
    Point,
    Point3,
)

SCALE = 100.0
"""Length of a tile's edge, in scene units."""
MARGIN = 12.0
SIZE = WIDTH * SCALE + 2 * MARGIN, HEIGHT * SCALE + 2 * MARGIN
TO_TIP = 7.0
TO_NAME = 25.0
OUTSIDE = 9.0
"""Distance from an edge of the net to a name beyond the edge, in scene units. The name is that of the tile that lies
beyond this edge on the sphere."""
_NEAR = 1.8 * SCALE
"""Greatest distance, in scene units, between two edges of the net that an arc joins. The two are a single edge on the
sphere."""


class Edge(NamedTuple):
    """One edge of a tile. The border between two tiles has two such objects, one seen from each tile.

    Attributes:
        middle: middle of the edge on the net, in scene units.
        outward: direction out of the tile at the edge, in degrees, clockwise from right.
        glued: whether the neighbour beyond the edge lies elsewhere on the net.
        ends: both ends of the edge on the net, in scene units.
        globe: middle of the edge on the unit sphere.
    """

    middle: Point
    outward: float
    glued: bool
    ends: tuple[Point, Point]
    globe: Point3


def place(point: Point) -> Point:
    """Converts a point of the net from units in which a tile's edge has length 1 to scene units."""
    return MARGIN + SCALE * point[0], MARGIN + SCALE * point[1]


def corners(tile: int) -> list[Point]:
    """Returns a tile's three corners on the net, in scene units."""
    return [place(corner) for corner in TRIANGLES[tile]]


def ahead(point: Point, direction: float, length: float) -> Point:
    """Returns the point at the distance `length` from `point`, in a direction given in degrees clockwise from right."""
    return point[0] + length * cos(radians(direction)), point[1] + length * sin(radians(direction))


def _points_up(tile: int) -> bool:
    return min(corner[1] for corner in TRIANGLES[tile]) < CENTRES[tile][1] - ROW / 2


def _spot(tile: int) -> Point:
    """Returns the position of a tile's volcano on the net, in scene units."""
    x, y = place(CENTRES[tile])
    return x, y + (-TO_TIP if _points_up(tile) else TO_TIP)


def _name_point(tile: int) -> Point:
    """Returns the position of a tile's name on the net, in scene units."""
    x, y = place(CENTRES[tile])
    return x, y + (TO_NAME if _points_up(tile) else 8.0 - TO_NAME)


def _edge(tile: int, near: int) -> Edge:
    """Returns the edge of `tile` at which the tile `near` adjoins on the sphere."""
    mine = [number for number in range(3) if any(dist(SPHERE[tile][number], other) < 1e-6 for other in SPHERE[near])]
    one, other = (place(TRIANGLES[tile][number]) for number in mine)
    middle = (one[0] + other[0]) / 2, (one[1] + other[1]) / 2
    x, y = place(CENTRES[tile])
    outward = degrees(atan2(middle[1] - y, middle[0] - x))
    theirs = {place(corner) for corner in TRIANGLES[near]}
    beside = sum(min(dist(end, their) for their in theirs) < 1e-3 for end in (one, other)) == 2
    sphere = [sum(SPHERE[tile][number][axis] for number in mine) for axis in range(3)]
    length = hypot(*sphere)
    return Edge(middle, outward, not beside, (one, other), (sphere[0] / length, sphere[1] / length, sphere[2] / length))


SPOTS = tuple(_spot(tile) for tile in range(TILES))
"""Position of each tile's volcano on the net, in scene units, by tile number."""
NAME_POINTS = tuple(_name_point(tile) for tile in range(TILES))
"""Position of each tile's name on the net, in scene units, by tile number: the middle of the text's lower edge."""
EDGES = {(tile, near): _edge(tile, near) for tile in range(TILES) for near in NEIGHBOURS[tile]}
"""By (tile, neighbour): the edge between them, seen from the tile."""
ANCHORS = {f"tile-{name}": spot for name, spot in zip(NAMES, SPOTS, strict=True)}
LINKS: dict[str, tuple[Link, ...]] = {
    f"tile-{NAMES[tile]}": (
        *(f"tile-{NAMES[near]}" for near in NEIGHBOURS[tile]),
        (f"tile-{NAMES[(tile + HEMISPHERE) % TILES]}", "far"),
    )
    for tile in range(TILES)
}
"""Value of `Scene.links`: pointing at a tile highlights its three neighbours and, in another style, its antipode."""


def _equator() -> str:
    """Returns the SVG path data of all edges between a northern and a southern tile."""
    parts = []
    for (tile, near), edge in EDGES.items():
        if (tile < HEMISPHERE) != (near < HEMISPHERE) and (tile < near or edge.glued):
            (x1, y1), (x2, y2) = edge.ends
            parts.append(f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}")
    return "".join(parts)


def _arcs() -> str:
    """Returns the SVG path data of arcs across gaps of the net.

    Each arc joins two edges that are one edge on the sphere.
    """
    parts = []
    for (tile, near), edge in EDGES.items():
        (x1, y1), (x2, y2) = edge.middle, EDGES[near, tile].middle
        apart = dist((x1, y1), (x2, y2))
        if edge.glued and x1 < x2 and apart < _NEAR:
            over = int(tile < HEMISPHERE)
            parts.append(f"M{x1:.1f} {y1:.1f}A{apart:.1f} {apart:.1f} 0 0 {over} {x2:.1f} {y2:.1f}")
    return "".join(parts)


EQUATOR, ARCS = _equator(), _arcs()


_VOLCANO, _NAME = -0.24, 0.66
"""Where a tile's volcano and its name lie on the globe: on the way from the tile's centre to the middle of its base, as
shares of this way. The base is the edge that is most nearly level."""
_BASELINE = 0.025
"""How far the lower edge of a tile's name lies below the name's middle on the globe, in radii."""


def _moved(point: Point3, by: Point3) -> Point3:
    """Returns the point on the globe in the direction of the sum of `point` and `by`."""
    x, y, z = (one + other for one, other in zip(point, by, strict=True))
    length = hypot(x, y, z)
    return x / length, y / length, z / length


def _north(point: Point3) -> Point3:
    """Returns the direction to the north at a point of the globe."""
    x, y, z = point
    level = hypot(x, z)
    return -x * y / level, level, -z * y / level


def _to_base(tile: int, centre: Point3) -> Point3:
    """Returns the way from a tile's centre to the middle of its base on the globe."""
    north = _north(centre)
    ways = []
    for near in NEIGHBOURS[tile]:
        x, y, z = (middle - own for middle, own in zip(EDGES[tile, near].globe, centre, strict=True))
        ways.append((x, y, z))
    return max(ways, key=lambda way: abs(sum(one * other for one, other in zip(way, north, strict=True))) / hypot(*way))


def crossing(tile: int, near: int) -> str:
    """Returns the part of a shape's key that names the border between the tiles `tile` and `near`, in any order."""
    return "-".join(sorted((NAMES[tile], NAMES[near])))


def _globe() -> dict[str, tuple[Point3, ...]]:
    """Returns the value of `Scene.globe`: by the key of each shape, its points on the unit sphere."""
    keys: dict[str, tuple[Point3, ...]] = {}
    for tile, (name, around, centre) in enumerate(zip(NAMES, SPHERE, SPHERE_CENTRES, strict=True)):
        keys |= {f"{what}-{name}": around for what in ("tile", "path", "last")}
        x, y, z = _to_base(tile, centre)
        spot = _moved(centre, (_VOLCANO * x, _VOLCANO * y, _VOLCANO * z))
        keys |= {f"{what}-{name}": (spot,) for what in ("level", "glow", "risen", "ruin", "goal-0", "goal-1")}
        middle = _moved(centre, (_NAME * x, _NAME * y, _NAME * z))
        east, up, towards = _north(middle)
        keys[f"name-{name}"] = (_moved(middle, (-_BASELINE * east, -_BASELINE * up, -_BASELINE * towards)),)
    for (tile, near), edge in EDGES.items():
        keys[f"ray-{NAMES[tile]}-{NAMES[near]}"] = (edge.globe,)
        keys |= {f"way-{player}-{crossing(tile, near)}": (edge.globe,) for player in (0, 1)}
    return keys


GLOBE = _globe()
