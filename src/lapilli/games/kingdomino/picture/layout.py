"""The layout of the board: where each territory is drawn, cropped to the squares into which it can still grow.

Two territories are drawn side by side, a third and a fourth below them. The board has about the same size in all
positions. In later rounds fewer squares are within reach of each territory, so squares are drawn larger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from lapilli.core.picture.scene import Point
from lapilli.games.kingdomino.picture.look import Place

Reach = tuple[int, int, int, int]
"""A part of a territory's grid: left column, top row, number of columns, number of rows."""
_ROOM = {1: (820.0, 470.0), 2: (820.0, 800.0)}
"""Greatest width and height of the board in scene units, by the number of lines of territories (1 or 2)."""
_EDGE = 30.0
"""Margin to the left of a territory and above it, in scene units, for the player's sign and the numbers of rows and
columns."""
_GAP = 14.0
"""Margin to the right of a territory and below it, in scene units."""


@dataclass(frozen=True)
class Layout:
    """Positions and sizes of the territories on the board, in scene units.

    Attributes:
        width, height: size of the board.
        cell: length of a square's side.
        corners: by player, the upper left corner of the part of the territory that is shown.
        shown: by player, the part of the territory's grid that is shown.
    """

    width: float
    height: float
    cell: float
    corners: tuple[Point, ...]
    shown: tuple[Reach, ...]

    def origin(self, player: int) -> Point:
        """Returns the upper left corner of the square (0, 0) of a player's grid.

        This square itself may not be shown.
        """
        (x, y), (left, top, _, _) = self.corners[player], self.shown[player]
        return x - left * self.cell, y - top * self.cell

    def corner(self, player: int, place: Place) -> Point:
        """Returns the upper left corner of the square `place` of a player's grid."""
        x, y = self.origin(player)
        return x + place[0] * self.cell, y + place[1] * self.cell

    def middle(self, player: int, place: Place) -> Point:
        x, y = self.corner(player, place)
        return x + self.cell / 2, y + self.cell / 2

    def places(self, player: int) -> list[Place]:
        """Returns the shown squares of a player's grid as (column, row), from left to right and from top to bottom."""
        left, top, columns, rows = self.shown[player]
        return [(x, y) for y in range(top, top + rows) for x in range(left, left + columns)]

    def area(self, player: int) -> tuple[float, float, float, float]:
        """Returns left, top, width and height of the shown part of a player's territory, in scene units."""
        _, _, columns, rows = self.shown[player]
        return *self.corners[player], columns * self.cell, rows * self.cell


@lru_cache(maxsize=256)
def layout(shown: tuple[Reach, ...]) -> Layout:
    """Returns the layout of the board for these parts of the players' grids, given by player."""
    lines = [list(range(len(shown)))[start : start + 2] for start in range(0, len(shown), 2)]
    wide = [max(shown[line[at]][2] for line in lines if at < len(line)) for at in (0, 1)]
    high = [max(shown[player][3] for player in line) for line in lines]
    width, height = _ROOM[len(lines)]
    across, down = width - 2 * (_EDGE + _GAP), height - len(lines) * (_EDGE + _GAP)
    cell = float(int(min(across / sum(wide), down / sum(high))))
    corners: list[Point] = []
    whole = 2 * (_EDGE + _GAP) + sum(wide) * cell
    for line, above in zip(lines, _starts(high, cell), strict=True):
        # A territory that is alone in its line is drawn in the middle.
        alone = (whole - (_EDGE + _GAP + shown[line[0]][2] * cell)) / 2 if len(line) == 1 else 0
        corners += [(alone + left, above) for left in _starts(wide, cell)[: len(line)]]
    return Layout(whole, len(lines) * (_EDGE + _GAP) + sum(high) * cell, cell, tuple(corners), shown)


def _starts(squares: Sequence[int], cell: float) -> list[float]:
    """Returns the left edge (or upper edge) of each territory, from the widths (or heights) of the territories in
    squares."""
    return [_EDGE + number * (_EDGE + _GAP) + sum(squares[:number]) * cell for number in range(len(squares))]
