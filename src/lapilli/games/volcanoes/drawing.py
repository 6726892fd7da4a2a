"""Volcanoes' pictures: the unfolded net as shapes, and as terminal lines."""

from __future__ import annotations

from typing import cast

from lapilli.games.api import State, Step
from lapilli.games.scene import Scene, Span, TextLine
from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import INDEX, NAMES, TILES
from lapilli.games.volcanoes.geometry import CENTRES, HEIGHT, ROW, TRIANGLES, WIDTH
from lapilli.games.volcanoes.state import VolcanoesState

_SCALE = 100.0
_MARGIN = 30.0
_HEAD = 60.0

STYLE = """
.volcanoes-tile { fill: var(--paper); stroke: var(--line); stroke-width: 2; stroke-linejoin: round; }
.volcanoes-tile.blue { fill: var(--player-0); }
.volcanoes-tile.orange { fill: var(--player-1); }
.volcanoes-tile.level-1 { fill-opacity: .4; }
.volcanoes-tile.level-2 { fill-opacity: .6; }
.volcanoes-tile.level-3 { fill-opacity: .8; }
.volcanoes-frame { fill: none; stroke: var(--ink); stroke-width: 7; stroke-linejoin: round; }
.volcanoes-frame.path { stroke: var(--highlight); stroke-width: 8; }
.volcanoes-name { font: 13px sans-serif; fill: var(--muted); text-anchor: middle; }
.volcanoes-name.owned { fill: var(--ink); }
.volcanoes-badge { fill: var(--paper); stroke: var(--ink); stroke-width: 2; }
.volcanoes-badge.asleep { stroke-dasharray: 4 3; }
.volcanoes-level { font: bold 20px sans-serif; fill: var(--ink); text-anchor: middle; }
.volcanoes-head { font: bold 26px sans-serif; fill: var(--ink); }
"""


def scene(state: State, step: Step | None) -> Scene:
    """The net of 80 tiles. Blue levels stand in a circle, orange ones in a diamond; dashed means asleep."""
    state = cast(VolcanoesState, state)
    width, height = WIDTH * _SCALE + 2 * _MARGIN, HEIGHT * _SCALE + 2 * _MARGIN + _HEAD
    drawn = Scene(width, height, f"Volcanoes: {headline(state)}", STYLE)
    drawn.text("head", _MARGIN, _MARGIN + 18, headline(state), "volcanoes-head")
    for tile in range(TILES):
        _draw_tile(drawn, tile, state.level(tile))
    for tile in _winning_tiles(state):
        drawn.polygon(f"path-{NAMES[tile]}", _corners(tile), "volcanoes-frame path", f"{NAMES[tile]}: winning path")
    for tile in _played(step):
        drawn.polygon("last", _corners(tile), "volcanoes-frame", f"{NAMES[tile]}: last move")
    return drawn


def _draw_tile(drawn: Scene, tile: int, level: int) -> None:
    name = NAMES[tile]
    owner = "blue" if level > 0 else "orange" if level < 0 else ""
    asleep = ", asleep" if abs(level) == 4 else ""
    title = f"{name}: {owner} level {abs(level)}{asleep}" if level else f"{name}: empty"
    drawn.polygon(f"tile-{name}", _corners(tile), f"volcanoes-tile {owner} level-{abs(level)}", title)
    x, y = _place(CENTRES[tile])
    upward = min(corner[1] for corner in TRIANGLES[tile]) < CENTRES[tile][1] - ROW / 2
    drawn.text(
        f"name-{name}", x, y + (22 if upward else -12), name, "volcanoes-name owned" if level else "volcanoes-name"
    )
    if not level:
        return
    y += -6 if upward else 10
    classes = "volcanoes-badge asleep" if asleep else "volcanoes-badge"
    if level > 0:
        drawn.circle(f"badge-{name}", x, y, 14, classes)
    else:
        drawn.polygon(f"badge-{name}", [(x, y - 17), (x + 17, y), (x, y + 17), (x - 17, y)], classes)
    drawn.text(f"level-{name}", x, y + 7, str(abs(level)), "volcanoes-level")


def _place(point: tuple[float, float]) -> tuple[float, float]:
    return _MARGIN + _SCALE * point[0], _MARGIN + _HEAD + _SCALE * point[1]


def _corners(tile: int) -> list[tuple[float, float]]:
    return [_place(corner) for corner in TRIANGLES[tile]]


def headline(state: VolcanoesState) -> str:
    """One line: whose turn, or how it ended."""
    outcome = state.outcome()
    if outcome is not None:
        return outcome.reason
    return f"Turn {state.turn}: {('Blue to move', 'Orange to move', 'growth')[rules.mover(state.record)]}"


def _winning_tiles(state: VolcanoesState) -> list[int]:
    return sorted({*state.path(0), *state.path(1)}) if state.is_terminal() else []


def _played(step: Step | None) -> list[int]:
    return [INDEX[text] for text in step.report.actions.values() if text in INDEX] if step else []


def text(state: State, step: Step | None) -> list[TextLine]:
    """The net in 92 columns: `B3` is blue on level 3, `O4` orange and asleep; `<>` the last move, `*` the path."""
    state = cast(VolcanoesState, state)
    marks = dict.fromkeys(_winning_tiles(state), "**") | dict.fromkeys(_played(step), "<>")
    lines: list[TextLine] = [[(headline(state), "bold")], []]
    for row in range(6):
        tiles = sorted(
            (tile for tile in range(TILES) if int(CENTRES[tile][1] / ROW) == row), key=lambda t: CENTRES[t][0]
        )
        names: TextLine = []
        levels: TextLine = []
        column = 0
        for tile in tiles:
            gap = " " * (round(CENTRES[tile][0] * 8) - 4 - column)
            column += len(gap) + 4
            names.append((f"{gap}{NAMES[tile]} ", "dim"))
            levels += [(gap, ""), _level_span(state.level(tile), marks.get(tile, "  "))]
        lines += [names, levels]
    return lines


def _level_span(level: int, marks: str) -> Span:
    shown = f"B{level}" if level > 0 else f"O{-level}" if level < 0 else "··"
    style = "bold bright_blue" if level > 0 else "bold dark_orange" if level < 0 else "dim"
    return f"{marks[0]}{shown}{marks[1]}"[:4], style if marks == "  " else f"{style} reverse"
