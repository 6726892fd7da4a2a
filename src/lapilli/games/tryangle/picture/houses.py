"""Shapes of houses and units.

Colour and form show the player to whom the units belong; a number shows how many there are.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from lapilli.core.picture.scene import Scene, Shape
from lapilli.core.picture.signs import corners_of, draw_sign
from lapilli.games.tryangle.picture.look import CONTESTED, GROUP, HOUSE, MOST_DIGITS


def owners(record: Any) -> list[int]:
    """Returns the owner of each house in a position, -1 for nobody.

    A house belongs to the player who has more units than the other one on every neighbour of the house. If there is no
    such player, it belongs to the player with more units on the house itself.
    """
    houses = int(record["houses"])
    own, other = record["units"][:, :houses].tolist()
    most = [0 if own[h] > other[h] else 1 if other[h] > own[h] else -1 for h in range(houses)]
    owners = []
    for house, mask in enumerate(record["paths"][:houses].tolist()):
        around = {most[h] for h in range(houses) if mask >> h & 1}
        owners.append(around.pop() if around in ({0}, {1}) else most[house])
    return owners


@lru_cache(maxsize=4096)
def house_parts(owner: int, units: tuple[int, int]) -> tuple[Shape, ...]:
    """Returns the shapes of a house around the origin.

    The house has the colour of the player with units on it, and is split if both players have units on it. A ring in
    the owner's colour is added if a player other than the owner has units on the house.

    Args:
        owner: the owner of the house, -1 for nobody.
        units: the numbers of units of player 0 and of player 1 on the house.
    """
    drawn = Scene(2 * HOUSE, 2 * HOUSE, "", "")
    there = [player for player in (0, 1) if units[player]]
    if len(there) == 2:
        _split(drawn, units)
    elif there:
        (player,) = there
        draw_sign(drawn, "house", player, 0, 0, HOUSE - 4, f"tryangle-house held-{player}")
        _number(drawn, f"units-{player}", player, 0, units[player], "whole")
    else:
        look = f" empty-{owner}" if owner >= 0 else ""
        draw_sign(drawn, "house", max(owner, 0), 0, 0, HOUSE - 8, f"tryangle-house{look}")
    if owner >= 0 and there and there != [owner]:
        size = (CONTESTED if len(there) == 2 else HOUSE) + 12
        draw_sign(drawn, "ring", owner, 0, 0, size, f"tryangle-ring owner-{owner}")
    return tuple(drawn.shapes)


def _split(drawn: Scene, units: tuple[int, int]) -> None:
    """Draws a house on which both players have units: half a disc and half a diamond."""
    size = CONTESTED
    drawn.path("half-0", f"M0 {-size:g}A{size:g} {size:g} 0 0 0 0 {size:g}z", "tryangle-house held-0")
    (right, _), (_, low) = corners_of(1, 0, 0, size)[:2]
    drawn.polygon("half-1", [(0, -low), (right, 0), (0, low)], "tryangle-house held-1")
    for player in (0, 1):
        _number(drawn, f"units-{player}", player, (28 if player else -28), units[player], "half")


def draw_group(drawn: Scene, player: int, number: int) -> None:
    """Draws a group of moving units around the origin, with their number if there are several."""
    draw_sign(drawn, "sign", player, 0, 0, GROUP, f"tryangle-group player-{player}")
    if number > 1:
        _number(drawn, "number", player, 0, number, "half")


def _number(drawn: Scene, key: str, player: int, x: float, number: int, where: str) -> None:
    """Draws `number`, a number of units, in letters as large as fit into the house.

    Args:
        drawn: the picture.
        key: key of the shape.
        player: owner of the units.
        x: horizontal position of the number's middle, relative to the middle of the house.
        number: the number.
        where: "whole" for a number in a whole house, "half" for one in half a house.
    """
    digits = min(len(str(number)), MOST_DIGITS)
    down = {"whole": (19, 19, 16, 12), "half": (19, 15, 10, 8)}[where][digits - 1]
    drawn.text(key, x, down, str(number), f"tryangle-units tryangle-{where}-{digits} player-{player}")
