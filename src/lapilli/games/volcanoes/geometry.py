"""Where the tiles lie on the unfolded net.

The net is the usual one of an icosahedron, five faces across, every face cut into four tiles: a row of five faces
pointing up, a strip of ten, a row of five pointing down. Units: one tile's edge is 1, x to the right, y down. Seams:
the strip's two ends meet, and so do the sides of neighbouring caps.
"""

from __future__ import annotations

from math import sqrt

from lapilli.games.volcanoes.board import HEMISPHERE, NEIGHBOURS

Point = tuple[float, float]
Triangle = tuple[Point, Point, Point]

ROW = sqrt(3) / 2
"""Height of a row of tiles."""
WIDTH, HEIGHT = 11.0, 6 * ROW


def _face(left: float, top: float, up: bool) -> tuple[Triangle, Triangle, Triangle, Triangle]:
    """The four tiles of one face with edge 2: (tip, left corner, middle, right corner).

    (left, top) is the upper left corner of the face's bounding box.
    """
    near, far = (top, top + 2 * ROW) if up else (top + 2 * ROW, top)
    middle = top + ROW
    tip, low_left, low_right = (left + 1, near), (left, far), (left + 2, far)
    side_left, side_right, base = (left + 0.5, middle), (left + 1.5, middle), (left + 1, far)
    return (
        (tip, side_left, side_right),
        (low_left, base, side_left),
        (side_left, side_right, base),
        (base, low_right, side_right),
    )


def _net() -> tuple[Triangle, ...]:
    triangles: dict[int, Triangle] = {}

    def lay(face: tuple[Triangle, ...], tip: int, left: int, middle: int, right: int) -> None:
        triangles.update(zip((tip, left, middle, right), face, strict=True))

    def other(tile: int, *not_these: int) -> int:
        (found,) = (near for near in NEIGHBOURS[tile] if near not in not_these)
        return found

    for k in range(5):
        # North: the cap's face, then the face of the strip below it, whose tip is the first southern tile reached.
        lay(_face(2 * k, 0, up=True), k, 5 + 3 * k, 6 + 3 * k, 7 + 3 * k)
        left, middle, right = 20 + 4 * k, 21 + 4 * k, 22 + 4 * k
        tip = other(middle, left, right)
        lay(_face(2 * k, 2 * ROW, up=False), tip, left, middle, right)
        # The strip's next face points up; from its corners the southern cap hangs.
        up_tip = 23 + 4 * k
        (up_middle,) = (near for near in NEIGHBOURS[up_tip] if near >= HEMISPHERE)
        (up_left,) = (near for near in NEIGHBOURS[up_middle] if tip in NEIGHBOURS[near])
        up_right = other(up_middle, up_tip, up_left)
        lay(_face(2 * k + 1, 2 * ROW, up=True), up_tip, up_left, up_middle, up_right)
        cap_left = other(up_left, tip, up_middle)
        (cap_middle,) = (
            near for near in NEIGHBOURS[cap_left] if set(NEIGHBOURS[near]) & set(NEIGHBOURS[up_right]) - {up_middle}
        )
        cap_right = next(near for near in NEIGHBOURS[cap_middle] if near in NEIGHBOURS[up_right])
        lay(
            _face(2 * k + 1, 4 * ROW, up=False), other(cap_middle, cap_left, cap_right), cap_left, cap_middle, cap_right
        )
    return tuple(triangles[tile] for tile in sorted(triangles))


TRIANGLES = _net()
"""The corners of each tile on the net."""

CENTRES = tuple((sum(x for x, _ in tile) / 3, sum(y for _, y in tile) / 3) for tile in TRIANGLES)
"""The centre of each tile on the net."""
