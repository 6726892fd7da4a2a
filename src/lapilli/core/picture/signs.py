"""The players' signs: circle, diamond, square, hexagon. With them, people can distinguish players without colours."""

from __future__ import annotations

from functools import lru_cache
from math import cos, pi, sin

from lapilli.core.picture.scene import Point, Scene

_CORNERS = ((4, 0.0, 1.2), (4, pi / 4, 1.2), (6, 0.0, 1.1))
"""The signs of players 1 to 3: number of corners, angle of the first corner in radians, and distance of the corners
from the centre. The distance is relative to the radius of player 0's circle, and chosen so that all signs look equally
large."""


@lru_cache(maxsize=1024)
def corners_of(player: int, x: float, y: float, radius: float) -> tuple[Point, ...]:
    """Returns the corners of a player's sign around (x, y); none for player 0, whose sign is a circle.

    `radius` is the radius of a circle that looks as large as the sign.
    """
    if player == 0:
        return ()
    number, first, out = _CORNERS[player - 1]
    angles = [first + 2 * pi * corner / number for corner in range(number)]
    return tuple((x + out * radius * cos(angle), y + out * radius * sin(angle)) for angle in angles)


def draw_sign(scene: Scene, key: str, player: int, x: float, y: float, radius: float, classes: str) -> None:
    """Adds a player's sign to a scene, with the centre (x, y). The sign looks as large as a circle of this radius.

    `key` is the key of the sign's shape, and `classes` are its CSS classes.
    """
    corners = corners_of(player, x, y, radius)
    if corners:
        scene.polygon(key, corners, classes)
    else:
        scene.circle(key, x, y, radius, classes)
