"""Where things lie in a picture: the territories, both rows of tiles, headline and legend.

With two players both rows lie above the territories; with four they stand between them; with three they take the place
of the fourth territory. Lengths are in squares here and scene units outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from lapilli.games.kingdomino.picture.look import CELL

Point = tuple[float, float]
Pair = tuple[Point, Point]
_MARGIN = 0.35
_AXIS = 0.45
_HEAD = 1.05
_ROW = 3.85
"""From the left end of a tile's number to the right end of its king."""
_TALL = 1.3
_LEGEND = (3.5, 0.85)


@dataclass(frozen=True)
class Layout:
    """Points are in scene units.

    Attributes:
        panels: the upper left corner of each territory's grid.
        heads: where both halves of the headline begin.
        labels: the names of the rows in play and to pick.
        rows: where each begins.
        step: from a tile of a row to the next.
        legend: for each terrain, where its sample lies.
    """

    width: float
    height: float
    panels: tuple[Point, ...]
    heads: Pair
    labels: Pair
    rows: Pair
    step: Point
    legend: tuple[Point, ...]

    def tile(self, line: int, index: int) -> Point:
        """The upper left corner of a tile: line 0 is in play, 1 to pick."""
        x, y = self.rows[line]
        return x + index * self.step[0] + 0.9 * CELL, y + index * self.step[1]

    def king(self, line: int, index: int) -> Point:
        """The middle of the king beside that tile."""
        x, y = self.tile(line, index)
        return x + 2.5 * CELL, y + 0.5 * CELL


def _scaled(
    size: Point,
    blocks: Sequence[Point],
    heads: Pair,
    labels: Pair,
    rows: Pair,
    step: Point,
    legend: Sequence[Point],
) -> Layout:
    """From squares to scene units; a block is a territory with its heading and its axes."""

    def at(point: Point) -> Point:
        return point[0] * CELL, point[1] * CELL

    def both(pair: Pair) -> Pair:
        return at(pair[0]), at(pair[1])

    panels = tuple(at((x + _AXIS, y + _HEAD + _AXIS)) for x, y in blocks)
    return Layout(*at(size), panels, both(heads), both(labels), both(rows), at(step), tuple(map(at, legend)))


@cache
def layout(players: int, side: int) -> Layout:
    """For that many players with grids of that many squares a side."""
    block = _AXIS + side, _HEAD + _AXIS + side
    return {2: _side_by_side, 3: _around_a_corner, 4: _around_the_middle}[players](*block)


def _side_by_side(across: float, down: float) -> Layout:
    gap = 1.0
    width = 2 * (_MARGIN + across) + gap
    top = _MARGIN + 1.0 + 2 * _TALL + 0.15
    left = (width - 1.9 - 4 * (_ROW + 0.35)) / 2
    rows = ((left + 1.9, _MARGIN + 1.0), (left + 1.9, _MARGIN + 1.0 + _TALL))
    legend_left = (width - 5 * _LEGEND[0] - 2.0) / 2
    legend = [(legend_left + n * _LEGEND[0], top + down + 0.3) for n in range(6)]
    return _scaled(
        (width, top + down + 1.1 + _MARGIN),
        [(_MARGIN, top), (_MARGIN + across + gap, top)],
        ((left, _MARGIN + 0.6), (left + 6.2, _MARGIN + 0.6)),
        ((left, rows[0][1] + 0.65), (left, rows[1][1] + 0.65)),
        rows,
        (_ROW + 0.35, 0),
        legend,
    )


def _around_a_corner(across: float, down: float) -> Layout:
    gap = 0.8
    right, low = _MARGIN + across + gap, _MARGIN + down + 0.35
    left = right + _AXIS + 0.2
    rows = ((left, low + 2.9), (left + across / 2, low + 2.9))
    legend = [(left + 0.9 + n // 3 * across / 2, low + 7.3 + n % 3 * _LEGEND[1]) for n in range(6)]
    return _scaled(
        (right + across + _MARGIN, low + down + _MARGIN),
        [(_MARGIN, _MARGIN), (right, _MARGIN), (_MARGIN, low)],
        ((left, low + 0.65), (left, low + 1.35)),
        ((rows[0][0], rows[0][1] - 0.35), (rows[1][0], rows[1][1] - 0.35)),
        rows,
        (0, _TALL),
        legend,
    )


def _around_the_middle(across: float, down: float) -> Layout:
    middle = 6.2
    left = _MARGIN + across + 0.7
    right, low = _MARGIN + across + middle, _MARGIN + down + 0.35
    rows = ((left + 0.25, 3.0), (left + 0.25, 9.4))
    legend = [(left + 1.15, 15.7 + n * _LEGEND[1]) for n in range(6)]
    return _scaled(
        (right + across + _MARGIN, low + down + _MARGIN),
        [(_MARGIN, _MARGIN), (right, _MARGIN), (_MARGIN, low), (right, low)],
        ((left, _MARGIN + 0.65), (left, _MARGIN + 1.35)),
        ((left, rows[0][1] - 0.35), (left, rows[1][1] - 0.35)),
        rows,
        (0, _TALL),
        legend,
    )
