"""Draws a position: the net of 80 tiles, the volcanoes, and for each player the chain that needs the fewest further
tiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import cast

from lapilli.core.picture.panels import one_line
from lapilli.core.picture.scene import Scene, Shape
from lapilli.core.protocol.protocol import Step
from lapilli.core.state import State
from lapilli.games.volcanoes.board import CYCLE, HEMISPHERE, NAMES, NEIGHBOURS, TILES
from lapilli.games.volcanoes.picture import look, net
from lapilli.games.volcanoes.picture.chains import Chain
from lapilli.games.volcanoes.picture.words import CYCLE_STRIP, SIDES, Chains, chains_of, headline, panels, played
from lapilli.games.volcanoes.state import VolcanoesState

_CLOSE = 4
"""A chain that lacks more tiles than this is not drawn: while it is far from complete, it often changes."""
_NAMES = ((r"\b[NS][0-4][0-9]\b", "tile-{0}"),)
"""Value of `Scene.names`: the pattern by which viewers find names of tiles in texts."""


@dataclass(frozen=True, slots=True)
class StepMarks:
    """Marks that show the effects of a step, drawn in addition to the position. Tiles are given by their numbers.

    Attributes:
        last: the tile that was played; None if no tile was played.
        hot: tiles that have reached level 4 and erupt now.
        rays: whether arrows show the effects of these eruptions.
        risen: tiles on which eruptions have just founded or raised a volcano.
        ruined: tiles whose volcanoes have just been destroyed, with their former owners.
    """

    last: int | None = None
    hot: frozenset[int] = frozenset()
    rays: bool = False
    risen: frozenset[int] = frozenset()
    ruined: Mapping[int, int] = field(default_factory=dict)

    @property
    def is_calm(self) -> bool:
        """Whether nothing grows or erupts in the picture, so that it shows a position between two turns."""
        return not (self.hot or self.risen or self.ruined)


def scene(state: State, step: Step | None) -> Scene:
    """Draws a position, the last move, and each player's chain that needs the fewest tiles. Implements `Game.scene`."""
    return draw(cast(VolcanoesState, state), StepMarks(last=played(step)))


def draw(state: VolcanoesState, marks: StepMarks, heading: str = "") -> Scene:
    """Draws a position with the marks of a step.

    Args:
        state: the position.
        marks: the marks of the step.
        heading: the headline beside the board; "" for the usual headline, which describes the position.
    """
    chains = chains_of(state)
    heading = heading or headline(state, chains)
    drawn = Scene(*net.SIZE, "", look.STYLE, links=net.LINKS, globe=net.GLOBE, anchors=net.ANCHORS, names=_NAMES)
    drawn.panels = panels(state, chains, heading, marks.hot)
    drawn.label = one_line(state.game, drawn.panels)
    levels = state.levels()
    with drawn.on("ground"):
        _draw_ground(drawn, levels, marks)
    with drawn.on("marks"):
        _draw_marks(drawn, marks)
    with drawn.on("pieces"):
        for tile, level in enumerate(levels):
            if level:
                drawn.shapes += _volcano(tile, level, tile in marks.hot)
    with drawn.on("overlay"):
        _draw_overlay(drawn, state, chains, marks)
    _draw_cycle(drawn, state)
    return drawn


def _draw_ground(drawn: Scene, levels: list[int], marks: StepMarks) -> None:
    for tile, level in enumerate(levels):
        drawn.shapes += _tile(tile, level, tile in marks.hot)
    drawn.shapes += _fixed()


@cache
def _tile(tile: int, level: int, hot: bool) -> tuple[Shape, ...]:
    """Returns the shapes of a tile and its name. They are cached, because the same tiles occur in many pictures.

    `level` is the tile's level, negative for Orange; `hot` says whether the tile erupts now.
    """
    name, drawn = NAMES[tile], Scene(*net.SIZE, "", look.STYLE, layer="ground")
    classes = f"volcanoes-tile of-{int(level < 0)} level-{abs(level)}" if level else "volcanoes-tile"
    drawn.polygon(f"tile-{name}", net.corners(tile), classes + " hot" * hot, _tile_title(tile, level, hot))
    owned = " owned" if level else ""
    drawn.text(f"name-{name}", *net.NAME_POINTS[tile], name, f"volcanoes-name lapilli-label{owned}")
    return tuple(drawn.shapes)


@cache
def _fixed() -> tuple[Shape, ...]:
    """Returns the shapes of the board that are the same in every picture, on the layer "ground".

    They are the equator, the arcs between edges of the net that are one edge on the sphere, and the names of
    neighbouring tiles outside the net.
    """
    drawn = Scene(*net.SIZE, "", look.STYLE, layer="ground")
    drawn.path("equator", net.EQUATOR, "volcanoes-equator")
    drawn.path("arcs", net.ARCS, "volcanoes-arc")
    for (tile, near), edge in net.EDGES.items():
        if edge.glued:
            turn = (edge.outward + 180) % 180 - 90
            with drawn.piece(
                f"glue-{NAMES[tile]}-{NAMES[near]}", *net.ahead(edge.middle, edge.outward, net.OUTSIDE), turn=turn
            ):
                drawn.text("name", 0, 4, NAMES[near], "volcanoes-glue lapilli-label")
    return tuple(drawn.shapes)


@cache
def _volcano(tile: int, level: int, hot: bool) -> tuple[Shape, ...]:
    """Returns the shapes of a volcano. They are cached, because the same volcanoes occur in many pictures.

    `level` is the volcano's level, negative for Orange; `hot` says whether it erupts now.
    """
    drawn = Scene(*net.SIZE, "", look.STYLE, layer="pieces")
    with drawn.piece(f"level-{NAMES[tile]}", *net.SPOTS[tile]):
        look.volcano(drawn, int(level < 0), abs(level), hot)
    return tuple(drawn.shapes)


def _tile_title(tile: int, level: int, hot: bool) -> str:
    size = abs(level)
    how = ", erupts" if hot else ", about to erupt" if size == 3 else ", asleep" if size == 4 else ""
    what = f"{SIDES[level < 0]}, level {size}{how}" if level else "empty"
    near = ", ".join(NAMES[other] for other in NEIGHBOURS[tile])
    return f"{NAMES[tile]}: {what}. Neighbours {near}; opposite lies {NAMES[(tile + HEMISPHERE) % TILES]}"


def _draw_marks(drawn: Scene, marks: StepMarks) -> None:
    if marks.last is not None:
        x, y = net.SPOTS[marks.last]
        inside = [(x + 0.9 * (a - x), y + 0.9 * (b - y)) for a, b in net.corners(marks.last)]
        drawn.polygon(f"last-{NAMES[marks.last]}", inside, "volcanoes-last lapilli-last", "the last move")
    for tile in sorted(marks.hot):
        with drawn.piece(f"glow-{NAMES[tile]}", *net.SPOTS[tile]):
            drawn.circle("outer", 0, 0, 48, "volcanoes-glow")
            drawn.circle("inner", 0, 0, 36, "volcanoes-glow")


def _draw_overlay(drawn: Scene, state: VolcanoesState, chains: Chains, marks: StepMarks) -> None:
    for player, chain in enumerate(chains if marks.is_calm else ()):
        if chain and state.is_terminal():
            for tile in chain.tiles:
                drawn.polygon(f"path-{NAMES[tile]}", net.corners(tile), f"volcanoes-path of-{player}")
        elif chain and len(chain.missing) <= _CLOSE:
            _draw_way(drawn, player, chain)
    for tile in sorted(marks.hot) if marks.rays else ():
        for near in NEIGHBOURS[tile]:
            _draw_ray(drawn, tile, near, state.level(tile), state.level(near))
    for tile in sorted(marks.risen):
        with drawn.piece(f"risen-{NAMES[tile]}", *net.SPOTS[tile]):
            look.sign(drawn, "ring", int(state.level(tile) < 0), 27, "volcanoes-risen")
    for tile, owner in sorted(marks.ruined.items()):
        with drawn.piece(f"ruin-{NAMES[tile]}", *net.SPOTS[tile]):
            look.sign(drawn, "ring", owner, 19, "volcanoes-ruin")
            drawn.line("one", -7, -7, 7, 7, "volcanoes-ruin")
            drawn.line("other", -7, 7, 7, -7, "volcanoes-ruin")


def _draw_way(drawn: Scene, player: int, chain: Chain) -> None:
    """Draws dots where a chain crosses the border of two tiles, and the player's sign on each empty tile of the
    chain."""
    for tile, near in pairwise(chain.tiles):
        one, other = sorted((tile, near), key=NAMES.__getitem__)
        edge, key = net.EDGES[one, other], f"way-{player}-{net.crossing(one, other)}"
        if not edge.glued:
            with drawn.piece(key, *edge.middle, turn=edge.outward):
                look.dots(drawn, player, (-9, 0, 9))
            continue
        beyond = net.EDGES[other, one]
        with drawn.piece(key, *edge.middle, turn=edge.outward):
            look.dots(drawn, player, (-10, -1))
        with drawn.piece(f"{key}-far", *beyond.middle, turn=beyond.outward + 180):
            look.dots(drawn, player, (1, 10))
    for tile in chain.missing:
        with drawn.piece(f"goal-{player}-{NAMES[tile]}", *net.SPOTS[tile]):
            look.sign(drawn, "goal", player, (11, 14)[player], f"volcanoes-goal of-{player}")


def _draw_ray(drawn: Scene, tile: int, near: int, level: int, other: int) -> None:
    """Draws the effect of an eruption on a neighbour: an arrow, and the change of the neighbour's level.

    Args:
        drawn: the picture.
        tile, near: the erupting tile and the neighbour.
        level, other: the level of the erupting tile and that of the neighbour.
    """
    player = int(level < 0)
    classes = "hostile" if level * other < 0 else f"of-{player}"
    effect = "\N{MINUS SIGN}4" if level * other < 0 else "+1"
    edge, beyond, name = net.EDGES[tile, near], net.EDGES[near, tile], f"{NAMES[tile]}-{NAMES[near]}"
    inward = beyond.outward + 180
    if edge.glued:
        with drawn.piece(f"ray-{name}-start", *edge.middle, turn=edge.outward):
            look.arrow(drawn, classes, -14, 6, head=False)
    with drawn.piece(f"ray-{name}", *beyond.middle, turn=inward):
        look.arrow(drawn, classes, -6 if edge.glued else -16, 9)
    x, y = net.ahead(net.ahead(beyond.middle, inward + 90, 27), inward, 8)
    drawn.text(f"hit-{name}", x, y + 6, effect, "volcanoes-hit lapilli-label")


def _draw_cycle(drawn: Scene, state: VolcanoesState) -> None:
    """Draws the signs of the cycle of six turns on a strip beside the board, with a ring around the next turn."""
    with drawn.supply(CYCLE_STRIP, 240, 40, "turn order, repeating"):
        for number, player in enumerate(CYCLE):
            side = SIDES[player] if player >= 0 else "growth"
            with drawn.piece(f"turn-{number + 1}", 20 + 40 * number, 20, title=f"{number + 1} of 6: {side}"):
                if player < 0:
                    look.growth(drawn)
                else:
                    look.sign(drawn, "sign", player, 11, f"volcanoes-cone of-{player}")
        if not state.is_terminal():
            with drawn.piece("now", 20 + 40 * ((state.turn - 1) % 6), 20, title="the turn to come"):
                drawn.circle("ring", 0, 0, 17.5, "volcanoes-now")
