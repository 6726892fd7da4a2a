"""What the shapes of a picture look like: the style sheet, the patterns of the squares, a few outlines."""

from __future__ import annotations

from collections.abc import Collection

from lapilli.games.kingdomino.board import SQUARES

CELL = 40.0
"""The side of a square, in scene units."""
Place = tuple[int, int]

_PLAYERS = "".join(
    f".kingdomino-king-{n}, .kingdomino-castle-{n} {{ fill: var(--player-{n}); }}\n"
    f".kingdomino-name-{n} {{ fill: var(--on-player-{n}); }}\n"
    f".kingdomino-card.kingdomino-mover-{n} {{ stroke: var(--player-{n}); }}\n"
    for n in range(4)
)
KINDS = sorted({square for tile in SQUARES[1:] for square in tile})
"""Terrain and crowns of the squares that exist."""

STYLE = (
    """
.kingdomino-heading { font: bold 26px system-ui, sans-serif; fill: var(--ink); }
.kingdomino-what { font: 22px system-ui, sans-serif; fill: var(--ink); }
.kingdomino-points { font: bold 26px system-ui, sans-serif; fill: var(--ink); }
.kingdomino-status { font: 20px system-ui, sans-serif; fill: var(--muted); text-anchor: end; }
.kingdomino-status.kingdomino-first { font-weight: bold; fill: var(--ink); }
.kingdomino-status.kingdomino-out { font-weight: bold; fill: var(--highlight); }
.kingdomino-label { font: 18px system-ui, sans-serif; fill: var(--muted); }
.kingdomino-axis { font: 13px system-ui, sans-serif; fill: var(--muted); text-anchor: middle; }
.kingdomino-number { font: bold 19px system-ui, sans-serif; fill: var(--ink); text-anchor: end; }
.kingdomino-card { fill: none; stroke: var(--line); stroke-width: 2; }
.kingdomino-card[class*=mover] { stroke-width: 6; }
.kingdomino-grid { fill: none; stroke: var(--line); stroke-opacity: .45; }
.kingdomino-reach { fill: var(--line); fill-opacity: .3; stroke: var(--muted); stroke-width: 2; stroke-dasharray: 6 5; }
.kingdomino-slot { fill: none; stroke: var(--muted); stroke-width: 1.5; stroke-dasharray: 4 4; }
.kingdomino-castle { stroke: var(--ink); stroke-width: 2.5; stroke-linejoin: round; }
.kingdomino-square { stroke: #0004; }
.kingdomino-letter { font: bold 14px system-ui, sans-serif; fill: #1b1b1b; stroke: #fff9; stroke-width: 2.5;
  paint-order: stroke; }
.kingdomino-letter.kingdomino-on-dark { fill: #fff; stroke: #0009; }
.kingdomino-letter, .kingdomino-value, .kingdomino-name, .kingdomino-put { pointer-events: none; }
.kingdomino-void { opacity: .4; }
.kingdomino-cross { fill: none; stroke: var(--highlight); stroke-width: 4; stroke-linecap: round;
  pointer-events: none; }
.kingdomino-lost { fill: url(#kingdomino-hatch); pointer-events: none; }
.kingdomino-zone { fill: transparent; stroke: #000; stroke-width: 2.5; stroke-linejoin: round; }
.kingdomino-zone.kingdomino-rich { stroke-width: 4; }
.kingdomino-value { font: bold 16px system-ui, sans-serif; fill: #fff; stroke: #000; stroke-width: 4;
  paint-order: stroke; stroke-linejoin: round; text-anchor: end; }
.kingdomino-new, .kingdomino-turn { fill: none; stroke: var(--highlight); stroke-width: 5; stroke-linejoin: round;
  pointer-events: none; }
.kingdomino-turn { stroke-width: 3; stroke-dasharray: 7 4; }
.kingdomino-king { stroke: var(--ink); stroke-width: 2; }
.kingdomino-king.kingdomino-void { stroke-dasharray: 4 3; }
.kingdomino-name { font: bold 19px system-ui, sans-serif; text-anchor: middle; }
.kingdomino-hatching { stroke: var(--muted); stroke-width: 3; stroke-opacity: .5; }
"""
    + _PLAYERS
    + "".join(f".kingdomino-{kind} {{ fill: url(#kingdomino-ground-{kind}); }}\n" for kind in KINDS)
)

_GROUNDS = {
    "c": ("#f4d35e", "M5 17.5v-7M10 18v-9M15 17.5v-7M3.5 12.5l1.5-2 1.5 2M8.5 11l1.5-2 1.5 2M13.5 12.5l1.5-2 1.5 2"),
    "f": ("#1f6b45", "M3.5 14.5l3.5-7 3.5 7zM7 14.5v2.5M10.5 16l3.5-7 3.5 7zM14 16v2"),
    "g": ("#b4dd7f", "M3.5 13q1.5-1 2-4q.5 3 2 4M12 11q1.5-1 2-4q.5 3 2 4M8.5 17.5q1.5-1 2-4q.5 3 2 4"),
    "l": ("#4596d6", "M2.5 10.5q2.5-3 5 0t5 0t5 0M2.5 15.5q2.5-3 5 0t5 0t5 0"),
    "w": ("#cbb9a8", "M3 10h3M9 10h3M15 10h2.5M6 13.2h3M12 13.2h3M3 16.5h3M9 16.5h3M15 16.5h2.5"),
    "m": ("#4b4453", "M6 9l3 4-3 4-3-4zM14 9l3 4-3 4-3-4z"),
}
"""Colour, and lines in a cell of 20 units."""
DARK = "fm"
_LINES = {True: 'stroke="#fff" stroke-opacity=".6"', False: 'stroke="#2a2413" stroke-opacity=".55"'}
_CROWN = "v-3.6l1.2 1.2 1.2-2.2 1.2 2.2 1.2-1.2v3.6z"


def _pattern(kind: str) -> str:
    """Fills one square, whatever its size: ground, lines, and crowns on a plate in the upper right corner."""
    colour, lines = _GROUNDS[kind[0]]
    crowns = int(kind[1])
    left = 19.6 - 5.6 * crowns
    plate = f"M{left - 0.6:g} .4H19.6V6.4H{left - 0.6:g}z"
    crown = "".join(f"M{left + 0.1 + 5.6 * n:g} 5.3{_CROWN}" for n in range(crowns))
    worn = f'<path d="{plate}" fill="#2b1d00"/><path d="{crown}" fill="#ffd24a"/>' if crowns else ""
    return (
        f'<pattern id="kingdomino-ground-{kind}" width="1" height="1" viewBox="0 0 20 20">'
        f'<rect width="20" height="20" fill="{colour}"/>'
        f'<path d="{lines}" fill="none" stroke-width=".9" {_LINES[kind[0] in DARK]}/>{worn}</pattern>'
    )


_HATCH = (
    '<pattern id="kingdomino-hatch" width="14" height="14" patternUnits="userSpaceOnUse">'
    '<path class="kingdomino-hatching" d="M-3 3l6-6M-3 17L17-3M11 17l6-6"/></pattern>'
)
DEFS = _HATCH + "".join(map(_pattern, KINDS))

CASTLE = [
    (CELL / 20 * x, CELL / 20 * y)
    for x, y in ((3, 17), (3, 6), (6, 6), (6, 8), (8, 8), (8, 4), (12, 4), (12, 8), (14, 8), (14, 6), (17, 6), (17, 17))
]


def outline(squares: Collection[Place], x: float, y: float) -> str:
    """The border of some squares as path data; (x, y) is the upper left corner of the grid."""
    turns: dict[Place, list[Place]] = {}
    for column, row in sorted(squares):
        corners = ((column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1))
        across = ((column, row - 1), (column + 1, row), (column, row + 1), (column - 1, row))
        for side, other in enumerate(across):
            if other not in squares:
                turns.setdefault(corners[side], []).append(corners[(side + 1) % 4])
    loops = []
    while turns:
        loop = [min(turns)]
        while loop[-1] in turns:
            ends = turns[loop[-1]]
            loop.append(ends.pop())
            if not ends:
                del turns[loop[-2]]
        corners_of = [f"{x + CELL * column:g} {y + CELL * row:g}" for column, row in _bends(loop)]
        loops.append(f"M{'L'.join(corners_of)}Z")
    return "".join(loops)


def _bends(loop: list[Place]) -> list[Place]:
    """A closed loop's corners, without the points on its straight lines."""
    points = loop[:-1]
    places = []
    for before, here, after in zip(points[-1:] + points[:-1], points, points[1:] + points[:1], strict=True):
        if not any(before[axis] == here[axis] == after[axis] for axis in (0, 1)):
            places.append(here)
    return places
