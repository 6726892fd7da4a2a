"""What the shapes of a picture look like: sizes, the style sheet, fillings of triangles, tips of arrows.

Player 0 is blue, round, and drawn with unbroken lines; player 1 is orange, square, dotted and dashed.
"""

from __future__ import annotations

HEAD = 128.0
"""Height of the strip above the map."""
HOUSE = 34.0
TOKEN = 25.0
"""Half the size of a token: the units of one side on a house."""
GROUP = 19.0
"""Half the size of units on their way."""
BAR = (660.0, 66.0, 600.0, 26.0)
"""The triangles' shares: left, top, width, height."""

STYLE = """
.tryangle-turn { font: bold 34px system-ui, sans-serif; fill: var(--ink); text-anchor: middle; }
.tryangle-score { font: bold 64px system-ui, sans-serif; fill: var(--ink); }
.tryangle-count { font: 29px system-ui, sans-serif; fill: var(--muted); }
.tryangle-right { text-anchor: end; }
.tryangle-bar { fill: none; stroke: var(--muted); stroke-width: 2; }
.tryangle-goal { stroke: var(--ink); stroke-width: 4; stroke-dasharray: 5 3; }
.tryangle-percent { font: 21px system-ui, sans-serif; fill: var(--muted); text-anchor: middle; }
.tryangle-triangle { fill: var(--muted); fill-opacity: .12; }
.tryangle-triangle.used-0 { fill: url(#tryangle-used-0); fill-opacity: 1; }
.tryangle-triangle.used-1 { fill: url(#tryangle-used-1); fill-opacity: 1; }
.tryangle-triangle.used-2 { fill: url(#tryangle-used-2); fill-opacity: 1; }
.tryangle-triangle.owner-0, .tryangle-share.owner-0 { fill: var(--player-0); fill-opacity: .55; }
.tryangle-triangle.owner-1, .tryangle-share.owner-1 { fill: url(#tryangle-owner-1); fill-opacity: 1; }
.tryangle-tint { fill: var(--player-1); fill-opacity: .55; }
.tryangle-dots { stroke: var(--player-1); stroke-width: 6.4; stroke-linecap: round; }
.tryangle-stroke-0 { stroke: var(--player-0); stroke-width: 4; stroke-opacity: .75; }
.tryangle-stroke-1 { stroke: var(--player-1); stroke-width: 4; stroke-opacity: .75; }
.tryangle-path { stroke: var(--line); stroke-width: 7; fill: none; }
.tryangle-changed { stroke: var(--highlight); stroke-width: 10; fill: none; }
.tryangle-changed.removed { stroke-width: 6; stroke-dasharray: 5 15; stroke-linecap: round; }
.tryangle-captured { fill: none; stroke: var(--highlight); stroke-width: 6; stroke-linejoin: round; }
.tryangle-house { fill: var(--paper); stroke: var(--muted); stroke-width: 4; }
.tryangle-house.owner-0 { stroke: var(--player-0); stroke-width: 10; }
.tryangle-house.owner-1 { stroke: var(--player-1); stroke-width: 10; stroke-dasharray: 13 5; }
.tryangle-name { font: 27px system-ui, sans-serif; fill: var(--ink); text-anchor: middle; }
.tryangle-token, .tryangle-group { stroke: var(--paper); stroke-width: 3; }
.tryangle-units { font: bold 35px system-ui, sans-serif; text-anchor: middle; }
.tryangle-units.small { font-size: 28px; }
.tryangle-token.player-0, .tryangle-group.player-0, .tryangle-tip.player-0 { fill: var(--player-0); }
.tryangle-token.player-1, .tryangle-group.player-1, .tryangle-tip.player-1 { fill: var(--player-1); }
.tryangle-units.player-0 { fill: var(--on-player-0); }
.tryangle-units.player-1 { fill: var(--on-player-1); }
.tryangle-name, .tryangle-token, .tryangle-units, .tryangle-group, .tryangle-captured, .tryangle-note, .tryangle-target,
.tryangle-debug { pointer-events: none; }
.tryangle-move { stroke-width: 9; }
.tryangle-move.player-0, .tryangle-attack.player-0 { stroke: var(--player-0); marker-end: url(#tryangle-tip-0); }
.tryangle-move.player-1, .tryangle-attack.player-1 { stroke: var(--player-1); marker-end: url(#tryangle-tip-1); }
.tryangle-move.player-1 { stroke-dasharray: 15 5; }
.tryangle-attack { stroke-width: 14; stroke-dasharray: 7 5; }
.tryangle-target { fill: none; stroke: var(--highlight); stroke-width: 6; stroke-dasharray: 12 8; }
.tryangle-note { font: bold 34px system-ui, sans-serif; fill: var(--highlight); stroke: var(--paper); stroke-width: 8;
  paint-order: stroke; stroke-linejoin: round; text-anchor: middle; }
.tryangle-debug { fill: none; stroke-width: 4; opacity: .8; }
.tryangle-debug.player-0 { stroke: var(--player-0); }
.tryangle-debug.player-1 { stroke: var(--player-1); stroke-dasharray: 10 5; }
text.tryangle-debug { font: bold 26px system-ui, sans-serif; paint-order: stroke; stroke-width: 6;
  stroke-dasharray: none; }
text.tryangle-debug.player-0 { fill: var(--player-0); stroke: var(--paper); }
text.tryangle-debug.player-1 { fill: var(--player-1); stroke: var(--paper); }
"""

_SLOPES = ("M-7 7L7 -7M-7 35L35 -7M21 35L35 21", "M-7 21L7 35M-7 -7L35 35M21 -7L35 7")


_CELLS = 10
"""Dots a side of a dotted filling: where its copies meet, some programs leave a hairline, so it is large."""


def _pattern(name: str, size: float, content: str) -> str:
    """A filling; its copies are squares of that size."""
    return (
        f'<pattern id="tryangle-{name}" width="{size:g}" height="{size:g}" patternUnits="userSpaceOnUse">'
        f"{content}</pattern>"
    )


def _used(*players: int) -> str:
    lines = "".join(f'<path class="tryangle-stroke-{player}" d="{_SLOPES[player]}"/>' for player in players)
    return _pattern("used-" + ("2" if len(players) == 2 else str(players[0])), 28, lines)


def _dotted() -> str:
    side = 20 * _CELLS
    dots = "".join(f"M{20 * x + 10} {20 * y + 10}h0" for x in range(_CELLS) for y in range(_CELLS))
    tint = f'<rect class="tryangle-tint" width="{side}" height="{side}"/>'
    return _pattern("owner-1", side, f'{tint}<path class="tryangle-dots" d="{dots}"/>')


def _tip(player: int) -> str:
    return (
        f'<marker id="tryangle-tip-{player}" viewBox="0 0 24 26" refX="2" refY="13" markerWidth="24" markerHeight="26" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path class="tryangle-tip player-{player}" d="M0 0L24 13L0 26z"/>'
        "</marker>"
    )


DEFS = _dotted() + _used(0) + _used(1) + _used(0, 1) + "".join(map(_tip, (0, 1)))
