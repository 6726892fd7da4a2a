"""The look of pictures: the style sheet, the legend, and functions that draw volcanoes and signs around the origin."""

from __future__ import annotations

from lapilli.core.picture.panels import Sample
from lapilli.core.picture.scene import Scene

LAVA = "#e8452c"
"""Colour of eruptions. Its contrast with the background is at least 3:1 in the light and in the dark theme."""
TINTS = (0.1, 0.14, 0.18, 0.26)
"""Opacity of the owner's colour on a tile with a volcano on level 1, 2, 3, 4."""
RADII = ((14.5, 18.5, 22.0), (17.0, 19.5, 22.0))
"""Radii of volcanoes on level 1, 2 and 3, in scene units: first of Blue's, then of Orange's. A volcano on level 4 is as
wide as one on level 3."""

STYLE = (
    """
.volcanoes-tile { fill: var(--paper); stroke: var(--line); stroke-width: 1.4; stroke-linejoin: round; }
.volcanoes-tile.of-0 { fill: var(--player-0); }
.volcanoes-tile.of-1 { fill: var(--player-1); }
"""
    + "".join(f".volcanoes-tile.level-{level} {{ fill-opacity: {tint}; }}\n" for level, tint in enumerate(TINTS, 1))
    + f".volcanoes-tile.hot {{ fill-opacity: {TINTS[2]}; }}"
    + """
.volcanoes-equator { fill: none; stroke: var(--muted); stroke-width: 3; stroke-linecap: round; pointer-events: none; }
.volcanoes-arc { fill: none; stroke: var(--line); stroke-width: 1.5; stroke-dasharray: 2 5; pointer-events: none; }
.volcanoes-name { font: 11px sans-serif; fill: var(--muted); text-anchor: middle; pointer-events: none; }
.volcanoes-name.owned { fill: var(--ink); }
.volcanoes-glue { font: 11px sans-serif; fill: var(--muted); text-anchor: middle; pointer-events: none;
  paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
.volcanoes-cone { stroke-width: 2.2; pointer-events: none; }
.volcanoes-cone.of-0 { fill: var(--player-0); stroke: var(--player-0); }
.volcanoes-cone.of-1 { fill: var(--player-1); stroke: var(--player-1-line); }
.volcanoes-cone.asleep { fill: var(--paper); stroke-width: 4; }
.volcanoes-contour { fill: none; stroke-width: 1.6; stroke-opacity: .7; pointer-events: none; }
.volcanoes-contour.of-0 { stroke: var(--on-player-0); }
.volcanoes-contour.of-1 { stroke: var(--on-player-1); }
.volcanoes-crust { fill: none; stroke: var(--muted); stroke-width: 2.4; stroke-dasharray: 7 4; pointer-events: none; }
.volcanoes-level { font: bold 32px sans-serif; text-anchor: middle; paint-order: stroke; stroke-width: 3px;
  pointer-events: none; }
.volcanoes-level.of-0 { fill: var(--on-player-0); stroke: var(--player-0); }
.volcanoes-level.of-1 { fill: var(--on-player-1); stroke: var(--player-1); }
.volcanoes-level.asleep { fill: var(--ink); stroke: var(--paper); }
.volcanoes-rim { fill: none; stroke: LAVA; stroke-width: 3.6; pointer-events: none; }
.volcanoes-glow { fill: LAVA; fill-opacity: .16; pointer-events: none; }
.volcanoes-casing { stroke: var(--paper); stroke-width: 9; stroke-linecap: round; pointer-events: none; }
.volcanoes-ray { stroke-width: 4.5; stroke-linecap: round; pointer-events: none; }
.volcanoes-head { stroke: var(--paper); stroke-width: 1.5; stroke-linejoin: round; pointer-events: none; }
.volcanoes-ray.of-0 { stroke: var(--player-0); } .volcanoes-head.of-0 { fill: var(--player-0); }
.volcanoes-ray.of-1 { stroke: var(--player-1-line); } .volcanoes-head.of-1 { fill: var(--player-1-line); }
.volcanoes-ray.hostile { stroke: LAVA; } .volcanoes-head.hostile { fill: LAVA; }
.volcanoes-hit { font: bold 17px sans-serif; text-anchor: middle; fill: var(--ink); paint-order: stroke;
  stroke: var(--paper); stroke-width: 4px; pointer-events: none; }
.volcanoes-risen { fill: none; stroke: var(--highlight); stroke-width: 2.5; pointer-events: none; }
.volcanoes-ruin { fill: none; stroke: LAVA; stroke-width: 3; stroke-dasharray: 6 5; pointer-events: none; }
.volcanoes-dot { stroke: var(--paper); stroke-width: 1.2; pointer-events: none; }
.volcanoes-dot.of-0 { fill: var(--player-0); } .volcanoes-dot.of-1 { fill: var(--player-1-line); }
.volcanoes-goal { fill: none; stroke-width: 2.4; stroke-dasharray: 4 3; pointer-events: none; }
.volcanoes-goal.of-0 { stroke: var(--player-0); } .volcanoes-goal.of-1 { stroke: var(--player-1-line); }
.volcanoes-near, .volcanoes-far { fill: none; stroke: var(--ink); stroke-width: 2; stroke-dasharray: 5 5; }
.volcanoes-far { stroke-width: 5; stroke-dasharray: .1 8; stroke-linecap: round; stroke-linejoin: round; }
.volcanoes-last { fill: none; stroke: var(--ink); stroke-width: 4; stroke-linejoin: round; pointer-events: none; }
.volcanoes-path { fill: none; stroke-width: 6; stroke-linejoin: round; pointer-events: none; }
.volcanoes-path.of-0 { stroke: var(--player-0); } .volcanoes-path.of-1 { stroke: var(--player-1-line); }
.volcanoes-growth { fill: var(--muted); stroke: var(--muted); stroke-width: 2; stroke-linejoin: round; }
.volcanoes-now { fill: none; stroke: var(--accent); stroke-width: 3.5; }
"""
).replace("LAVA", LAVA)


def sign(drawn: Scene, key: str, player: int, radius: float, classes: str) -> None:
    """Draws the sign of a player around the origin: a circle for Blue (player 0), a diamond for Orange (player 1).

    `radius` is the radius of the circle, in scene units. The diamond is about as large as this circle. `classes` are
    the sign's CSS classes.
    """
    if player == 0:
        drawn.circle(key, 0, 0, radius, classes)
        return
    wide, high = 1.18 * radius, 1.03 * radius
    drawn.polygon(key, [(0, -high), (wide, 0), (0, high), (-wide, 0)], classes)


def volcano(drawn: Scene, player: int, level: int, hot: bool = False) -> None:
    """Draws a volcano around the origin.

    The higher its level, the wider the volcano; a contour ring marks each lower level.

    A volcano that erupts now (`hot`), or would erupt on the next level, has a glowing rim. A volcano that is asleep has
    a crust.
    """
    of = f"of-{player}"
    radius = RADII[player][min(level, 3) - 1]
    asleep = level == 4 and not hot
    sign(drawn, "cone", player, radius, f"volcanoes-cone {of}" + " asleep" * asleep)
    if asleep:
        sign(drawn, "crust", player, radius - 5.5, "volcanoes-crust")
    else:
        for step in range(min(level, 3) - 1):
            sign(drawn, f"contour-{step}", player, RADII[player][step], f"volcanoes-contour {of}")
        if level >= 3:
            sign(drawn, "rim", player, radius + 1.5, "volcanoes-rim")
    drawn.text("number", 0, 11.5, str(level), f"volcanoes-level {of}" + " asleep" * asleep)


def growth(drawn: Scene) -> None:
    """Draws the sign of growth around the origin: a mountain with its top cut off."""
    drawn.polygon("growth", [(-13, 10), (-4, -9), (4, -9), (13, 10)], "volcanoes-growth")


def arrow(drawn: Scene, classes: str, start: float, end: float, head: bool = True) -> None:
    """Draws an arrow along the x axis, from x = `start` to x = `end`. If `head` is False, the arrow is a plain line.

    `classes` are the arrow's CSS classes.
    """
    drawn.line("casing", start, 0, end, 0, "volcanoes-casing")
    drawn.line("ray", start, 0, end, 0, f"volcanoes-ray {classes}")
    if head:
        drawn.polygon("head", [(end + 7, 0), (end - 5, -8), (end - 5, 8)], f"volcanoes-head {classes}")


def dots(drawn: Scene, player: int, places: tuple[float, ...]) -> None:
    """Draws a dot at each x coordinate in `places`: slightly above the x axis for Blue, slightly below it for
    Orange."""
    for number, x in enumerate(places):
        with drawn.piece(f"dot-{number}", x, 32 * player - 16):
            sign(drawn, "dot", player, 3.4, f"volcanoes-dot of-{player}")


def _sample(text: str, *volcanoes: tuple[int, int], brief: str = "") -> Sample:
    """Returns a legend entry with this text and these volcanoes, each a pair of player and level. `brief`: see
    `Sample`."""
    drawn = Scene(40, 40, "", "")
    for player, level in volcanoes:
        with drawn.piece("volcano", 20, 20, scale=0.75):
            volcano(drawn, player, level)
    return Sample(text, tuple(drawn.shapes), brief)


def _drawn_samples() -> tuple[Sample, ...]:
    ray, fire, way, goal, last, now, near, far = (Scene(40, 40, "", "") for _ in range(8))
    with ray.piece("ray", 18, 20):
        arrow(ray, "of-0", -14, 10)
    with fire.piece("ray", 18, 20):
        arrow(fire, "hostile", -14, 10)
    with way.piece("way", 20, 36):
        dots(way, 0, (-9, 0, 9))
    with goal.piece("goal", 20, 20):
        sign(goal, "goal", 1, 13, "volcanoes-goal of-1")
    last.polygon("last", [(5, 34), (35, 34), (20, 8)], "volcanoes-last")
    with now.piece("growth", 20, 20):
        growth(now)
    near.polygon("near", [(5, 34), (35, 34), (20, 8)], "volcanoes-near")
    far.polygon("far", [(5, 8), (35, 8), (20, 34)], "volcanoes-far")
    return (
        Sample("an eruption founds a volcano, or raises its own side's by a level", tuple(ray.shapes)),
        Sample("an eruption destroys: it takes four levels of the other side's", tuple(fire.shapes)),
        Sample(
            "the shortest way to the tile opposite, if a side lacks at most four tiles of it",
            tuple(way.shapes),
        ),
        Sample("an empty tile on that way", tuple(goal.shapes)),
        Sample("the last move", tuple(last.shapes), "last move"),
        Sample("growth: every volcano that is awake rises by a level", tuple(now.shapes)),
        Sample("while you point at a tile: one of its three neighbours", tuple(near.shapes)),
        Sample("while you point at a tile: the one opposite, which a chain from it must reach", tuple(far.shapes)),
    )


LEGEND = (
    _sample("Blue: circles; the number is the level", (0, 1)),
    _sample("Orange: diamonds; the higher, the wider", (1, 2)),
    _sample("level 3: the next level makes it erupt", (0, 3), brief="erupts next"),
    _sample("asleep after an eruption: it grows no more, but still counts", (1, 4), brief="asleep"),
    *_drawn_samples(),
    Sample("the thick line parts north from south; small names outside the net say what an edge is glued to"),
)
