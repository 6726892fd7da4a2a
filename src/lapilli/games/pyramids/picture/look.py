"""The look of Volcano with pyramids: the style sheet, the legend, and the shapes of pieces and caps.

The middle of a shape's bottom edge is at the origin. The board is dark in the light theme, too, so that all six bright
colours and the caps are equally visible. The colours below are constants so that a test can check their contrast.
"""

from __future__ import annotations

from functools import lru_cache
from math import cos, pi, sin

from lapilli.core.picture.panels import Sample
from lapilli.core.picture.scene import Scene, Shape
from lapilli.games.pyramids.board import BOARDS, HEX, SIZE_NAMES

Point = tuple[float, float]

GROUND = "#2b3037"
"""Colour of a cell, and of the trays for captured pieces."""
FILLS = {"Y": "#f2c53d", "R": "#f2604c", "G": "#37b26c", "B": "#5c9df5", "P": "#ba86ee", "C": "#eaf0f3"}
MARK = "#12161a"
"""Colour of the pips on a piece: small dots, squares and other signs, whose shape depends on the colour of the
piece."""
CAP, CAP_EDGE = "#0b0d0f", "#f6f8fa"
LAVA = "#ff7a4d"
"""Colour of an eruption's arrow, and of the rings around captures."""
LIGHT = "#c3ccd4"
"""Colour of the cells' names and of the caps' paths."""

BASES = (42.0, 60.0, 80.0)
"""Width of a piece's base by size, in scene units."""
STEEPNESS = 0.52
"""Height of a pyramid divided by the width of its base."""
CAP_HEIGHT = 27.0
_EDGE = 0.14
"""Distance from the middle of a pyramid to its front edge, which is drawn right of the middle. The unit is the width of
the base."""

# Sides are no colours here, because pieces have these. So plates name a side only if two players have the same name.
STYLE = f"""
.pyramids-cell {{ fill: {GROUND}; stroke: var(--line); stroke-width: 1.6; stroke-linejoin: round; }}
.pyramids-tray {{ fill: {GROUND}; stroke: {GROUND}; stroke-width: 6; stroke-linejoin: round; pointer-events: none; }}
.pyramids-name {{ font: 12px sans-serif; fill: {LIGHT}; pointer-events: none; }}
:host(:not([names=off], [names=large])) .frame:is([data-narrow=true], [data-low=true]) .stage:not(.close)
  .pyramids-name {{ display: inline !important; font-size: 18px; transform: translate(3px, 6px); }}
.pyramids-standing {{ pointer-events: none; }}
.pyramids-piece {{ stroke: {GROUND}; stroke-width: 1.6; stroke-linejoin: round; }}
.pyramids-face {{ fill: #ffffff; fill-opacity: .22; }}
.pyramids-pip {{ fill: {MARK}; }}
.pyramids-pip.ring {{ fill: none; stroke: {MARK}; stroke-width: 1.8; }}
.pyramids-cap {{ fill: {CAP}; stroke: {CAP_EDGE}; stroke-width: 2.6; stroke-linejoin: round; }}
.pyramids-way {{ fill: none; stroke: {LIGHT}; stroke-width: 4; stroke-linejoin: round; stroke-linecap: round;
  stroke-dasharray: 1 9; pointer-events: none; }}
.pyramids-foot {{ fill: none; stroke: {LIGHT}; stroke-width: 2.5; pointer-events: none; }}
.pyramids-casing {{ stroke: {GROUND}; stroke-width: 9; stroke-linecap: round; pointer-events: none; }}
.pyramids-eruption {{ stroke: {LAVA}; stroke-width: 5; stroke-linecap: round; pointer-events: none; }}
.pyramids-arrow {{ fill: {LAVA}; stroke: {GROUND}; stroke-width: 2; stroke-linejoin: round; pointer-events: none; }}
.pyramids-ring {{ fill: none; stroke: {LAVA}; stroke-width: 3.5; pointer-events: none; }}
.pyramids-source {{ fill: none; stroke: {LAVA}; stroke-width: 3; stroke-dasharray: 7 6; stroke-linejoin: round;
  pointer-events: none; }}
.pyramids-hollow {{ fill: none; stroke-width: 3; stroke-dasharray: 5 3; stroke-linejoin: round; }}
.plate:not(.twin) .side {{ display: none; }}
""" + "".join(
    f".pyramids-{colour} {{ fill: {fill}; }}\n.pyramids-hollow.of-{colour} {{ stroke: {fill}; }}\n"
    for colour, fill in FILLS.items()
)


def pyramid(drawn: Scene, colour: str, size: int, shown: float) -> None:
    """Draws the lowest part of a piece, `shown` units high. `size`: 0 for a small piece to 2 for a large one.

    The number of pips (small signs) on the piece shows its size, and their shape its colour.
    """
    drawn.shapes += _pyramid(colour, size, shown)


@lru_cache(maxsize=1 << 10)
def _pyramid(colour: str, size: int, shown: float) -> tuple[Shape, ...]:
    """Returns the shapes of the lowest part of a piece, which `pyramid` draws.

    They are cached, as many pieces look the same. `size` is 0 for a small piece to 2 for a large one, and `shown` the
    height of the visible part.
    """
    drawn = Scene(0, 0, "", "")
    base = BASES[size]
    shown = min(shown, STEEPNESS * base)
    narrower = 1 - shown / (STEEPNESS * base)
    half, edge = base / 2, _EDGE * base
    tops = (half * narrower, edge * narrower)
    drawn.polygon(
        "body",
        [(-half, 0), (half, 0), (tops[0], -shown), (-tops[0], -shown)],
        f"pyramids-piece pyramids-{colour}",
    )
    drawn.polygon("face", [(-half, 0), (edge, 0), (tops[1], -shown), (-tops[0], -shown)], "pyramids-face")
    radius = min(3.6, 0.24 * shown)
    for number in range(size + 1):
        x, y = 11.0 * (number - size / 2), -min(7.0, shown / 2)
        _pip(drawn, f"pip-{number}", colour, x, y, radius)
    return tuple(drawn.shapes)


def hollow(drawn: Scene, colour: str) -> None:
    """Draws the outline of a medium piece with its pip, for a colour of which a player has no piece yet."""
    half = BASES[1] / 2
    drawn.polygon("body", [(-half, 0), (half, 0), (0, -STEEPNESS * BASES[1])], f"pyramids-hollow of-{colour}")
    _pip(drawn, "pip", colour, 0, -9, 4, f"pyramids-{colour}")


def _pip(drawn: Scene, key: str, colour: str, x: float, y: float, radius: float, classes: str = "pyramids-pip") -> None:
    """Draws one pip (a small sign) of a piece around (x, y). The shape of the pip depends on the colour of the piece.

    `radius` is about half the width of the pip, in scene units. `classes` are the pip's CSS classes.
    """
    if colour in "YC":
        ring = " ring" if colour == "C" else ""
        drawn.circle(key, x, y, radius, f"{classes}{ring}")
        return
    if colour == "P":
        thin = radius / 2.6
        arm = [(thin, radius), (thin, thin), (radius, thin)]
        turned = [(a, b) for a, b in arm] + [(b, -a) for a, b in arm] + [(-a, -b) for a, b in arm]
        corners = [*turned, *((-b, a) for a, b in arm)]
        drawn.polygon(key, [(x + a, y + b) for a, b in corners], classes)
        return
    number, first = {"R": (3, -pi / 2), "G": (4, pi / 4), "B": (4, 0.0)}[colour]
    wide = radius * 1.25
    angles = [first + 2 * pi * corner / number for corner in range(number)]
    drawn.polygon(key, [(x + wide * cos(a), y + wide * sin(a)) for a in angles], classes)


def cap(drawn: Scene) -> None:
    """Draws a cap: a cone with a brim."""
    right = [(25.0, 0.0), (25.0, -6.0), (13.0, -6.0), (4.0, -CAP_HEIGHT)]
    drawn.polygon("cap", [*right, *((-x, y) for x, y in reversed(right))], "pyramids-cap")


def arrow(drawn: Scene, start: Point, end: Point, key: str, title: str) -> None:
    """Draws an arrow from `start` to `end`, which shows how the pieces of an eruption move.

    The keys of the arrow's shapes begin with `key`. `title` is the text to show when somebody points at the arrow.
    """
    (x1, y1), (x2, y2) = start, end
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    back = (x2 - 20 * ux, y2 - 20 * uy)
    wings = [(back[0] - 13 * uy, back[1] + 13 * ux), (back[0] + 13 * uy, back[1] - 13 * ux)]
    drawn.line(f"{key}-casing", x1, y1, *back, "pyramids-casing lapilli-last")
    drawn.line(key, x1, y1, *back, "pyramids-eruption lapilli-last", title)
    drawn.polygon(f"{key}-head", [end, *wings], "pyramids-arrow lapilli-last", title)


def _tray() -> Scene:
    drawn = Scene(40, 40, "", "")
    drawn.rect("tray", 3, 3, 34, 34, "pyramids-tray")
    return drawn


def _samples() -> list[Sample]:
    samples = []
    board = BOARDS[HEX]
    for number, (colour, name) in enumerate(zip(board.colours, board.colour_names, strict=True)):
        drawn, size = _tray(), number % 3
        with drawn.piece("piece", 20, 30, scale=0.45):
            pyramid(drawn, colour, size, BASES[-1])
        samples.append(Sample(f"{name.lower()}, here a {SIZE_NAMES[size]} one", tuple(drawn.shapes)))
    covered, way, eruption, ring, lacked = _tray(), _tray(), _tray(), _tray(), _tray()
    with lacked.piece("colour", 20, 29, scale=0.5):
        hollow(lacked, board.colours[0])
    with covered.piece("cap", 20, 30, scale=0.6):
        cap(covered)
    way.circle("foot", 11, 20, 4, "pyramids-foot")
    way.polyline("way", [(17, 20), (34, 20)], "pyramids-way")
    arrow(eruption, (8, 20), (36, 20), "eruption", "")
    ring.circle("ring", 20, 20, 13, "pyramids-ring")
    return [
        *samples,
        Sample("hollow: a colour that a player still lacks", tuple(lacked.shapes)),
        Sample("a cap: nothing erupts from under it, nothing lands on it", tuple(covered.shapes)),
        Sample("a cap's quiet steps, from where it stood", tuple(way.shapes)),
        Sample("an eruption: piece after piece from the top, one for each cell", tuple(eruption.shapes)),
        Sample("captured: it landed on a piece of its own size", tuple(ring.shapes)),
    ]


LEGEND = (Sample("one pip is small, two are medium, three are large; their shape tells the colour"), *_samples())
