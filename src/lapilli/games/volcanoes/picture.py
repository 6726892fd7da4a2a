"""Volcanoes' pictures: the unfolded net and the globe as shapes, and the net as terminal lines."""

from __future__ import annotations

from typing import cast

from lapilli.games.protocol import Step
from lapilli.games.scene import Moment, Scene, Span, TextLine
from lapilli.games.state import State
from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import CYCLE, GROWTH, INDEX, NAMES, NEIGHBOURS, TILES
from lapilli.games.volcanoes.geometry import CENTRES, HEIGHT, ROW, SPHERE, SPHERE_CENTRES, TRIANGLES, WIDTH
from lapilli.games.volcanoes.state import VolcanoesState

_SCALE = 100.0
_MARGIN = 24.0
_HEAD = 64.0

STYLE = """
.volcanoes-tile { fill: var(--paper); stroke: var(--line); stroke-width: 2; stroke-linejoin: round; }
.volcanoes-tile.blue { fill: var(--player-0); }
.volcanoes-tile.orange { fill: var(--player-1); }
.volcanoes-tile.level-1 { fill-opacity: .35; }
.volcanoes-tile.level-2 { fill-opacity: .55; }
.volcanoes-tile.level-3 { fill-opacity: .75; }
.volcanoes-tile.erupting { fill: var(--highlight); }
.volcanoes-frame { fill: none; stroke: var(--ink); stroke-width: 7; stroke-linejoin: round; pointer-events: none; }
.volcanoes-frame.path { stroke: var(--highlight); stroke-width: 8; }
.volcanoes-name { font: 13px sans-serif; fill: var(--muted); text-anchor: middle; pointer-events: none; }
.volcanoes-name.owned { fill: var(--ink); font-weight: bold; }
.volcanoes-name.on-blue { fill: var(--on-player-0); }
.volcanoes-name.on-orange { fill: var(--on-player-1); }
.volcanoes-badge { fill: var(--paper); stroke: var(--ink); stroke-width: 2; pointer-events: none; }
.volcanoes-badge.asleep { stroke-dasharray: 4 3; }
.volcanoes-level { font: bold 20px sans-serif; fill: var(--ink); text-anchor: middle; pointer-events: none; }
.volcanoes-head { font: bold 26px sans-serif; fill: var(--ink); }
.volcanoes-clock { font: bold 15px sans-serif; text-anchor: middle; fill: var(--ink); }
.volcanoes-clock.blue { fill: var(--on-player-0); }
.volcanoes-clock.orange { fill: var(--on-player-1); }
.volcanoes-hand { fill: var(--paper); stroke: var(--line); stroke-width: 2; }
.volcanoes-hand.blue { fill: var(--player-0); }
.volcanoes-hand.orange { fill: var(--player-1); }
.volcanoes-now { fill: none; stroke: var(--ink); stroke-width: 5; }
"""

_SIDES = ("blue", "orange", "growth")
_LINKS = {
    f"tile-{NAMES[tile]}": [f"tile-{NAMES[other]}" for other in (*NEIGHBOURS[tile], (tile + TILES // 2) % TILES)]
    for tile in range(TILES)
}


def _lowered(point: tuple[float, float, float]) -> tuple[float, float, float]:
    """A little below, so that a tile's name does not cover its level."""
    return point[0], point[1] - 0.09, point[2]


_GLOBE: dict[str, tuple[tuple[float, float, float], ...]] = {}
for _name, _corners3, _centre in zip(NAMES, SPHERE, SPHERE_CENTRES, strict=True):
    _GLOBE |= {f"{what}-{_name}": _corners3 for what in ("tile", "path", "last")}
    _GLOBE |= {f"level-{_name}": (_centre,), f"name-{_name}": (_lowered(_centre),)}


def scene(state: State, step: Step | None) -> Scene:
    """The net of 80 tiles. Blue levels stand in a circle, orange ones in a diamond; dashed means asleep."""
    return _scene(cast(VolcanoesState, state), step, headline(cast(VolcanoesState, state)), frozenset())


def moments(state: State, step: Step) -> list[Moment]:
    """A step phase by phase: the move or growth, then eruption after eruption, then what has come of it."""
    before = cast(VolcanoesState, step.before.clone())
    played = _played(step)
    if step.report.faults or not (played or step.report.event):
        return [Moment(scene(state, step), headline(cast(VolcanoesState, state)))]
    what = f"{NAMES[played[0]]}" if played else "Growth"
    side = _SIDES[rules.side(before.record)].capitalize()
    north, south = rules.begin(before.record, played[0] if played else GROWTH)
    pictures: list[Moment] = []
    phase = 0
    while north | south:
        phase += 1
        erupting = frozenset(tile for tile in range(TILES) if (north, south)[tile // 40] >> (tile % 40) & 1)
        caption = f"{what}: {len(erupting)} erupt" + (f" (phase {phase})" if phase > 1 else "")
        pictures.append(Moment(_scene(before, step, caption, erupting), caption, "eruption" if phase == 1 else ""))
        north, south = rules.erupt(before.record, north, south)
    ending = headline(cast(VolcanoesState, state)) if state.is_terminal() else f"{side}: {what}" if played else what
    return [*pictures, Moment(scene(state, step), ending)]


def gauge(state: State) -> tuple[float, ...]:
    """How many tiles each side holds."""
    levels = cast(VolcanoesState, state).levels()
    return float(sum(level > 0 for level in levels)), float(sum(level < 0 for level in levels))


def _scene(state: VolcanoesState, step: Step | None, head: str, erupting: frozenset[int]) -> Scene:
    width, height = WIDTH * _SCALE + 2 * _MARGIN, HEIGHT * _SCALE + 2 * _MARGIN + _HEAD
    drawn = Scene(width, height, f"Volcanoes: {head}", STYLE, links=_LINKS, globe=_GLOBE)
    drawn.text("head", _MARGIN, _MARGIN + 18, head, "volcanoes-head")
    _draw_clock(drawn, state)
    for tile in range(TILES):
        _draw_tile(drawn, tile, state.level(tile), tile in erupting)
    for tile in _winning_tiles(state) if not erupting else ():
        drawn.polygon(f"path-{NAMES[tile]}", _corners(tile), "volcanoes-frame path")
    for tile in _played(step):
        drawn.polygon(f"last-{NAMES[tile]}", _corners(tile), "volcanoes-frame lapilli-last")
    return drawn


def _draw_clock(drawn: Scene, state: VolcanoesState) -> None:
    """The cycle of six turns; a ring around the one to come."""
    left, y = drawn.width - _MARGIN - 5 * 40 - 18, _MARGIN + 10
    for number, player in enumerate(CYCLE):
        x, side = left + 40 * number, _SIDES[player]
        drawn.circle(f"clock-{number}", x, y, 15, f"volcanoes-hand {side}", f"{number + 1} of 6: {side}")
        drawn.text(f"clock-text-{number}", x, y + 5, "BOG"[player], f"volcanoes-clock {side}")
    if not state.is_terminal():
        drawn.circle("now", left + 40 * ((state.turn - 1) % 6), y, 19, "volcanoes-now", "the turn to come")


def _draw_tile(drawn: Scene, tile: int, level: int, erupting: bool) -> None:
    name, size = NAMES[tile], abs(level)
    owner = "blue" if level > 0 else "orange" if level < 0 else ""
    asleep = size == 4 and not erupting
    title = f"{name}: {owner} level {size}{', asleep' if asleep else ''}" if level else f"{name}: empty"
    classes = f"volcanoes-tile {owner} level-{size}" + (" erupting" if erupting else "")
    drawn.polygon(f"tile-{name}", _corners(tile), classes, title)
    x, y = _place(CENTRES[tile])
    upward = min(corner[1] for corner in TRIANGLES[tile]) < CENTRES[tile][1] - ROW / 2
    shade = f"on-{owner}" if size == 4 else "owned" if level else ""
    drawn.text(f"name-{name}", x, y + (22 if upward else -12), name, f"volcanoes-name lapilli-label {shade}")
    if not level:
        return
    y += -6 if upward else 10
    badge = "volcanoes-badge asleep" if asleep else "volcanoes-badge"
    if level > 0:
        drawn.circle(f"badge-{name}", x, y, 14, badge)
    else:
        drawn.polygon(f"badge-{name}", [(x, y - 17), (x + 17, y), (x, y + 17), (x - 17, y)], badge)
    drawn.text(f"level-{name}", x, y + 7, str(size), "volcanoes-level")


def _place(point: tuple[float, float]) -> tuple[float, float]:
    return _MARGIN + _SCALE * point[0], _MARGIN + _HEAD + _SCALE * point[1]


def _corners(tile: int) -> list[tuple[float, float]]:
    return [_place(corner) for corner in TRIANGLES[tile]]


def headline(state: VolcanoesState) -> str:
    """One line: whose turn, or how it ended."""
    outcome = state.outcome()
    if outcome is not None:
        return outcome.reason
    return f"Turn {state.turn}: {('Blue to move', 'Orange to move', 'growth')[rules.side(state.record)]}"


def _winning_tiles(state: VolcanoesState) -> list[int]:
    return sorted({*state.path(0), *state.path(1)}) if state.is_terminal() else []


def _played(step: Step | None) -> list[int]:
    if step is None or step.report.faults:
        return []
    return [INDEX[text] for text in step.report.actions.values() if text in INDEX]


def text(state: State, step: Step | None) -> list[TextLine]:
    """The net in 80 columns: `B3` is blue on level 3, `O4` orange and asleep; `<>` the last move, `*` the path."""
    state = cast(VolcanoesState, state)
    marks = dict.fromkeys(_winning_tiles(state), "**") | dict.fromkeys(_played(step), "<>")
    lines: list[TextLine] = [[(headline(state), "bold")], []]
    for row in range(6):
        # The net's right edge meets its left edge: what would lie beyond 80 columns is set there.
        columns = {tile: _column(tile) for tile in range(TILES) if int(CENTRES[tile][1] / ROW) == row}
        names: TextLine = []
        levels: TextLine = []
        column = 0
        for tile in sorted(columns, key=columns.__getitem__):
            gap = " " * (columns[tile] - column)
            column += len(gap) + 4
            names.append((f"{gap}{NAMES[tile]} ", "dim"))
            levels += [(gap, ""), _level_span(state.level(tile), marks.get(tile, "  "))]
        lines += [names, levels]
    return lines


def _column(tile: int) -> int:
    return (round(CENTRES[tile][0] * 8) - 4) % 80


def _level_span(level: int, marks: str) -> Span:
    shown = f"B{level}" if level > 0 else f"O{-level}" if level < 0 else "··"
    style = "bold bright_blue" if level > 0 else "bold dark_orange" if level < 0 else "dim"
    return f"{marks[0]}{shown}{marks[1]}", style if marks == "  " else f"{style} reverse"
