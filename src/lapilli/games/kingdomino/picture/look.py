"""The look of pictures: the style sheet, the SVG patterns of squares, and the outlines of castle, crown and zones."""

from __future__ import annotations

from collections.abc import Collection

from lapilli.games.kingdomino.board import SQUARES

CELL = 40.0
"""Length of a square's side, in scene units, on the strips and in the realms (the drawn territories)."""
TURNS = (0, 90, 180, 270)
"""By rotation of a tile (0 to 3): the angle by which the drawing is turned, in degrees, clockwise."""
Place = tuple[int, int]
SIDES = ("Blue", "Orange", "Green", "Purple")
"""The players' names in texts for people: the colours of their kings."""

_PLAYERS = "".join(
    f".kingdomino-of-{n} {{ fill: var(--player-{n}); }}\n"
    f".kingdomino-on-{n} {{ fill: var(--on-player-{n}); }}\n"
    f".kingdomino-mover-{n} {{ stroke: var(--player-{n}); }}\n"
    for n in range(4)
)
KINDS = sorted({square for tile in SQUARES[1:] for square in tile})
"""All kinds of squares on tiles, each as the letter of its terrain and its number of crowns: "c0"."""


def _fill(kind: str, turn: int) -> str:
    if not turn:
        return f".kingdomino-{kind} {{ fill: url(#{_pattern_name(kind, turn)}); }}\n"
    fill = f"{{ fill: url(#{_pattern_name(kind, turn)}); }}\n"
    return f".kingdomino-{kind}.kingdomino-turned-{turn} {fill}.lapilli-turned-{turn} .kingdomino-{kind} {fill}"


def _pattern_name(kind: str, turn: int) -> str:
    return f"kingdomino-ground-{kind}" + (f"-{turn}" if turn else "")


STYLE = (
    """
.kingdomino-place { fill: var(--line); fill-opacity: .1; stroke: var(--line); stroke-opacity: .4; }
.kingdomino-frame { fill: none; stroke: var(--line); stroke-width: 2; pointer-events: none; }
.kingdomino-frame.kingdomino-mover { stroke-width: 4; }
:host(:is([over], [waits])) .kingdomino-frame.kingdomino-mover { stroke: var(--line); stroke-width: 2; }
:host(:is([over], [waits])) .kingdomino-edge { display: none; }
.kingdomino-limit { fill: none; stroke: var(--muted); stroke-width: 3; stroke-linecap: square; pointer-events: none; }
.kingdomino-edge { fill: none; stroke: var(--ink); stroke-width: 1; pointer-events: none; }
.kingdomino-axis { font: 10px system-ui, sans-serif; fill: var(--muted); text-anchor: middle; }
.kingdomino-number { font: 600 22px system-ui, sans-serif; fill: var(--muted); text-anchor: middle; }
.kingdomino-number.kingdomino-now { fill: var(--ink); font-weight: 700; }
.kingdomino-slot { fill: none; stroke: var(--line); stroke-width: 1.5; stroke-dasharray: 4 4; }
.kingdomino-castle { stroke: var(--ink); stroke-width: 2; stroke-linejoin: round; }
.kingdomino-sign { stroke: var(--ink); stroke-width: 1.5; }
.kingdomino-square { stroke: #0003; }
.kingdomino-tile { fill: none; stroke: #0c0f12; stroke-width: 1.5; }
.kingdomino-letter { font: 600 17px system-ui, sans-serif; fill: var(--ink); stroke: var(--paper); stroke-width: 4;
  paint-order: stroke; text-anchor: middle; }
.kingdomino-letter, .kingdomino-value { pointer-events: none; }
.kingdomino-void { opacity: .4; }
.kingdomino-cross { fill: none; stroke: var(--highlight); stroke-width: 4; stroke-linecap: round;
  pointer-events: none; }
.kingdomino-lost { fill: url(#kingdomino-hatch); pointer-events: none; }
.kingdomino-zone { fill: transparent; stroke: #0c0f12; stroke-width: 1.5; stroke-linejoin: round; }
.kingdomino-zone.kingdomino-rich { stroke-width: 3; }
.kingdomino-value { font: 700 19px system-ui, sans-serif; fill: var(--ink); stroke: var(--paper); stroke-width: 4;
  paint-order: stroke; stroke-linejoin: round; text-anchor: end; }
.kingdomino-new, .kingdomino-turn { fill: none; stroke: var(--accent); stroke-width: 4; stroke-linejoin: round;
  pointer-events: none; }
.kingdomino-turn { stroke-width: 3; }
.kingdomino-halo { fill: none; stroke: var(--paper); stroke-width: 8; stroke-linejoin: round; pointer-events: none; }
.kingdomino-king { stroke: var(--paper); stroke-width: 2; }
.kingdomino-hatching { stroke: var(--muted); stroke-width: 3; stroke-opacity: .5; }
"""
    + _PLAYERS
    + "".join(_fill(kind, turn) for kind in KINDS for turn in TURNS)
)


def _stalks(*feet: tuple[float, float]) -> str:
    return "".join(f"M{x:g} {y:g}v-4.5m-1.5-.9l1.5 1.7 1.5-1.7m-3 2l1.5 1.7 1.5-1.7" for x, y in feet)


def _tufts(*feet: tuple[float, float]) -> str:
    return "".join(f"M{x:g} {y:g}v-4m-.7 4l-1.5-2.8m2.9 2.8l1.5-2.8" for x, y in feet)


_GROUNDS = {
    "c": (
        "#f2cf5b",
        "#8a6100",
        _stalks((4, 9.5), (8, 9.5), (12, 9.5), (6, 17), (10, 17), (14, 17)),
    ),
    "f": (
        "#2f8a57",
        "#0d3b22",
        "M3 10.5l2.7-5 2.7 5zM5.7 10.5v1.6M8.2 16l2.7-5 2.7 5zM10.9 16v1.6M12.6 9.7l2.2-4 2.2 4zM14.8 9.7v1.4",
    ),
    "g": (
        "#a9d46f",
        "#3f6a12",
        _tufts((4, 9), (12, 12), (6, 17)),
    ),
    "l": ("#4a97d6", "#eaf6ff", "M2.5 7q1.9-2 3.8 0t3.8 0M8 11.5q1.9-2 3.8 0t3.8 0M3 16q1.9-2 3.8 0t3.8 0"),
    "w": ("#cfba9f", "#6b4d2a", "M2.5 8.5q3.5-4 7.5-.5M9 13q3.8-4 8.3-.3M3 17q3-3 6.4-.4"),
    "m": ("#6d657b", "#f3e6b0", "M4.5 6l2.2 1.8-.8 2.7H3.2l-.8-2.7zM12 11l2.8 2.2-1 3.4h-3.6l-1-3.4zM15.5 8.2l1 .8"),
}
"""By terrain: colour of the background, colour of the lines, and the lines as path data in a square with sides of
length 20."""
_CROWN = "v-3.7l1.25 1.3 1.25-2.3 1.25 2.3 1.25-1.3v3.7z"


def _drawing(kind: str) -> str:
    """Returns the SVG of a square with sides of length 20: background, lines, and crowns on a dark plate in the corner.

    `kind` is the letter of the terrain and the number of crowns, such as "l2".
    """
    ground, ink, lines = _GROUNDS[kind[0]]
    crowns = int(kind[1])
    left = 18.4 - 5.8 * crowns
    plate = f'<rect x="{left - 0.4:g}" y="1.2" width="{19.4 - left:g}" height="6.2" rx="1.6" fill="#33230a"/>'
    crown = "".join(f"M{left + 0.4 + 5.8 * n:g} 6.3{_CROWN}" for n in range(crowns))
    worn = f'{plate}<path d="{crown}" fill="#ffd24a"/>' if crowns else ""
    return (
        f'<g id="kingdomino-drawing-{kind}"><rect width="20" height="20" fill="{ground}"/>'
        f'<path d="{lines}" fill="none" stroke="{ink}" stroke-width=".9" stroke-opacity=".65" '
        f'stroke-linecap="round" stroke-linejoin="round"/>{worn}</g>'
    )


def _pattern(kind: str, turn: int) -> str:
    """Returns an SVG pattern that fills a square of any size with the drawing of `kind` (see `_drawing`).

    The pattern is for tiles that are turned by `turn` degrees. The drawing in the pattern is turned back by this angle,
    so that the drawing stays upright.
    """
    return (
        f'<pattern id="{_pattern_name(kind, turn)}" width="1" height="1" viewBox="0 0 20 20">'
        f'<use href="#kingdomino-drawing-{kind}"'
        + (f' transform="rotate({-turn} 10 10)"' if turn else "")
        + "/></pattern>"
    )


_HATCH = (
    '<pattern id="kingdomino-hatch" width="14" height="14" patternUnits="userSpaceOnUse">'
    '<path class="kingdomino-hatching" d="M-3 3l6-6M-3 17L17-3M11 17l6-6"/></pattern>'
)
DEFS = _HATCH + "".join(map(_drawing, KINDS)) + "".join(_pattern(kind, turn) for kind in KINDS for turn in TURNS)

CASTLE = [
    (2 * x - 20, 2 * y - 20)
    for x, y in ((3, 17), (3, 6), (6, 6), (6, 8), (8, 8), (8, 4), (12, 4), (12, 8), (14, 8), (14, 6), (17, 6), (17, 17))
]
"""Corners of the castle relative to its middle."""
CROWN = "M-7 5v-9l3.5 3.3L0-7l3.5 6.3L7-4v9z"
"""Path data of a king's crown relative to the king's middle."""


def outline(squares: Collection[Place]) -> str:
    """Returns the border of a set of squares (column, row) as path data."""
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
        corners_of = [f"{CELL * column:g} {CELL * row:g}" for column, row in _bends(loop)]
        loops.append(f"M{'L'.join(corners_of)}Z")
    return "".join(loops)


def _bends(loop: list[Place]) -> list[Place]:
    """Returns the corners of a closed loop. Points where the loop does not change its direction are left out."""
    points = loop[:-1]
    places = []
    for before, here, after in zip(points[-1:] + points[:-1], points, points[1:] + points[:1], strict=True):
        if not any(before[axis] == here[axis] == after[axis] for axis in (0, 1)):
            places.append(here)
    return places
