"""The layout of the board: places of the territories, each cropped to the squares into which it can still grow.

Two territories lie side by side, further ones in a second line. The board always has about the same size. So squares
become larger during a game, as the number of squares into which territories can still grow shrinks.
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
"""Greatest width and height of the board, by the number of lines of territories."""
_EDGE = 30.0
"""Margin to the left of a territory and above it, for its player's sign and the numbers of its rows and columns."""
_GAP = 14.0
"""Margin to the right of a territory and below it."""


@dataclass(frozen=True)
class Layout:
    """Positions and sizes of the territories on the board, in scene units.

    Attributes:
        width, height: size of the board.
        cell: side of a square.
        corners: by player, the upper left corner of the shown part of its territory.
        shown: by player, the part of its territory that is shown.
    """

    width: float
    height: float
    cell: float
    corners: tuple[Point, ...]
    shown: tuple[Reach, ...]

    def origin(self, player: int) -> Point:
        """Returns the upper left corner of the square (0, 0) of a player's grid, even if it is not shown."""
        (x, y), (left, top, _, _) = self.corners[player], self.shown[player]
        return x - left * self.cell, y - top * self.cell

    def corner(self, player: int, place: Place) -> Point:
        """Returns the upper left corner of a square of a player's grid."""
        x, y = self.origin(player)
        return x + place[0] * self.cell, y + place[1] * self.cell

    def middle(self, player: int, place: Place) -> Point:
        x, y = self.corner(player, place)
        return x + self.cell / 2, y + self.cell / 2

    def places(self, player: int) -> list[Place]:
        """Returns the shown squares of a player's grid, row by row."""
        left, top, columns, rows = self.shown[player]
        return [(x, y) for y in range(top, top + rows) for x in range(left, left + columns)]

    def area(self, player: int) -> tuple[float, float, float, float]:
        """Returns left, top, width and height of the shown part of a player's territory, in scene units."""
        _, _, columns, rows = self.shown[player]
        return *self.corners[player], columns * self.cell, rows * self.cell


@lru_cache(maxsize=256)
def layout(shown: tuple[Reach, ...]) -> Layout:
    """Returns the layout that shows these parts of the players' territories, by player."""
    lines = [list(range(len(shown)))[start : start + 2] for start in range(0, len(shown), 2)]
    wide = [max(shown[line[at]][2] for line in lines if at < len(line)) for at in (0, 1)]
    high = [max(shown[player][3] for player in line) for line in lines]
    width, height = _ROOM[len(lines)]
    across, down = width - 2 * (_EDGE + _GAP), height - len(lines) * (_EDGE + _GAP)
    cell = float(int(min(across / sum(wide), down / sum(high))))
    corners: list[Point] = []
    whole = 2 * (_EDGE + _GAP) + sum(wide) * cell
    for line, above in zip(lines, _starts(high, cell), strict=True):
        # A territory that is alone in its line lies in the middle.
        alone = (whole - (_EDGE + _GAP + shown[line[0]][2] * cell)) / 2 if len(line) == 1 else 0
        corners += [(alone + left, above) for left in _starts(wide, cell)[: len(line)]]
    return Layout(whole, len(lines) * (_EDGE + _GAP) + sum(high) * cell, cell, tuple(corners), shown)


def _starts(squares: Sequence[int], cell: float) -> list[float]:
    """Returns the left (or top) of each territory in a line, from their widths (or heights) in squares."""
    return [_EDGE + number * (_EDGE + _GAP) + sum(squares[:number]) * cell for number in range(len(squares))]
