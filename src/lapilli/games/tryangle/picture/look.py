"""The look of TryAngle's pictures: sizes in scene units, the style sheet, fillings of triangles, tips of arrows.

Blue (player 0) has discs and solid lines; Orange (player 1) has diamonds, dots and dashed lines.
"""

from __future__ import annotations

SIDES = ("Blue", "Orange")
"""The players' names in texts for people."""
HOUSE = 46.0
"""Half the width of a house. `CONTESTED` is half the width of a house with units of both players."""
CONTESTED = 58.0
GROUP = 34.0
"""Half the width of the sign for a group of moving units."""
DIGITS = {1: 56.0, 2: 56.0, 3: 44.0, 4: 33.0}
"""Font size of the number in a house, by its number of digits."""
HALF_DIGITS = {1: 56.0, 2: 42.0, 3: 29.0, 4: 22.0}
"""Font size of a number in half a house or on moving units, by its number of digits."""
MOST_DIGITS = 4
BAR = 90.0, 18.0, 22.0
"""Place of the bar that shows each player's share of the triangles: its distance from the board's left and right edges,
that from the upper edge, and its height."""

STYLE = """
.tryangle-bar { fill: none; stroke: var(--line); stroke-width: 2; }
.tryangle-goal { stroke: var(--ink); stroke-width: 4; stroke-dasharray: 6 4; }
.tryangle-share.owner-0 { fill: var(--player-0); }
.tryangle-share.owner-1 { fill: var(--player-1); }
.tryangle-triangle { fill: var(--line); fill-opacity: .12; stroke-width: 2; stroke-linejoin: round; }
.tryangle-triangle.used-0 { fill: url(#tryangle-used-0); fill-opacity: 1; }
.tryangle-triangle.used-1 { fill: url(#tryangle-used-1); fill-opacity: 1; }
.tryangle-triangle.used-2 { fill: url(#tryangle-used-2); fill-opacity: 1; }
.tryangle-triangle.owner-0 { fill: var(--player-0); fill-opacity: .4; stroke: var(--player-0); }
.tryangle-triangle.owner-1 { fill: url(#tryangle-owner-1); fill-opacity: 1; stroke: var(--player-1-line); }
.tryangle-tint { fill: var(--player-1); fill-opacity: .4; }
.tryangle-dots { stroke: var(--player-1-line); stroke-opacity: .55; stroke-width: 6; stroke-linecap: round; }
.tryangle-stroke-0 { stroke: var(--player-0); stroke-width: 2.6; stroke-opacity: .9; }
.tryangle-stroke-1 { stroke: var(--player-1-line); stroke-width: 2.6; stroke-opacity: .9; }
.tryangle-path { stroke: var(--line); stroke-width: 7; fill: none; stroke-linecap: round; }
.tryangle-changed { stroke: var(--accent); stroke-width: 11; fill: none; stroke-linecap: round; }
.tryangle-changed.removed { stroke-width: 7; stroke-dasharray: 5 15; }
.tryangle-captured { fill: none; stroke: var(--accent); stroke-width: 6; stroke-linejoin: round; }
.tryangle-house { fill: var(--paper); stroke: var(--line); stroke-width: 5; stroke-linejoin: round; }
.tryangle-house.held-0 { fill: var(--player-0); stroke: var(--player-0-line); }
.tryangle-house.held-1 { fill: var(--player-1); stroke: var(--player-1-line); }
.tryangle-house.empty-0 { stroke: var(--player-0); stroke-width: 9; }
.tryangle-house.empty-1 { stroke: var(--player-1-line); stroke-width: 9; }
.marked .outline.halo.pressed.piece { stroke-width: 5px; }
.tryangle-ring { fill: none; stroke-width: 8; stroke-linejoin: round; }
.tryangle-ring.owner-0 { stroke: var(--player-0); }
.tryangle-ring.owner-1 { stroke: var(--player-1-line); }
.tryangle-name { font: 600 25px system-ui, sans-serif; fill: var(--ink); stroke: var(--paper); stroke-width: 7;
  paint-order: stroke; stroke-linejoin: round; text-anchor: middle; }
.tryangle-group { stroke: var(--paper); stroke-width: 4; }
.tryangle-units { font-weight: 700; font-family: system-ui, sans-serif; text-anchor: middle; }
.tryangle-group.player-0, .tryangle-tip.player-0 { fill: var(--player-0); }
.tryangle-group.player-1, .tryangle-tip.player-1 { fill: var(--player-1); }
.tryangle-units.player-0 { fill: var(--on-player-0); }
.tryangle-units.player-1 { fill: var(--on-player-1); }
.tryangle-name, .tryangle-units, .tryangle-group, .tryangle-captured, .tryangle-note, .tryangle-target, .tryangle-move,
.tryangle-attack, .tryangle-plan, .tryangle-debug { pointer-events: none; }
.tryangle-move { stroke-width: 9; stroke-opacity: .85; }
.tryangle-move.player-0, .tryangle-attack.player-0 { stroke: var(--player-0); marker-end: url(#tryangle-tip-0); }
.tryangle-move.player-1, .tryangle-attack.player-1 { stroke: var(--player-1-line); marker-end: url(#tryangle-tip-1); }
.tryangle-tip.player-1 { fill: var(--player-1-line); }
.tryangle-move.player-1 { stroke-dasharray: 15 5; }
.tryangle-attack { stroke-width: 14; stroke-dasharray: 7 5; }
.tryangle-target { fill: none; stroke: var(--highlight); stroke-width: 7; stroke-dasharray: 12 8; }
.tryangle-note { font: 700 56px system-ui, sans-serif; fill: var(--highlight); stroke: var(--paper); stroke-width: 10;
  paint-order: stroke; stroke-linejoin: round; text-anchor: middle; }
.tryangle-note.gain { fill: var(--accent); }
.tryangle-plan { fill: none; stroke: var(--accent); stroke-width: 9; stroke-linejoin: round; }
.tryangle-plan.way { marker-end: url(#tryangle-tip-plan); }
.tryangle-plan.build { stroke-width: 11; stroke-linecap: round; stroke-dasharray: 22 16; }
.tryangle-plan.remove { stroke-linecap: round; stroke-dasharray: 1 18; }
.tryangle-plan.spent { stroke-width: 5; stroke-dasharray: 14 8; }
.tryangle-tip.plan { fill: var(--accent); }
.tryangle-debug { fill: none; stroke-width: 4; opacity: .8; }
.tryangle-debug.player-0 { stroke: var(--player-0); }
.tryangle-debug.player-1 { stroke: var(--player-1-line); stroke-dasharray: 10 5; }
text.tryangle-debug { font: bold 26px system-ui, sans-serif; paint-order: stroke; stroke-width: 6;
  stroke-dasharray: none; }
text.tryangle-debug.player-0 { fill: var(--player-0); stroke: var(--paper); }
text.tryangle-debug.player-1 { fill: var(--player-1-line); stroke: var(--paper); }
""" + "".join(
    f".tryangle-{where}-{digits} {{ font-size: {size:g}px; }}\n"
    for where, sizes in (("whole", DIGITS), ("half", HALF_DIGITS))
    for digits, size in sizes.items()
)

_HATCH = 40
_SLOPES = ("M-10 10L10 -10M-10 50L50 -10M30 50L50 30", "M-10 30L10 50M-10 -10L50 50M30 -10L50 10")
"""By player: path data of a hatching that repeats in squares of size `_HATCH`: rising lines, or falling ones."""


_CELLS = 8
"""Number of dots along a side of the square that the dotted filling repeats. The square is large, because some programs
show a thin line between two squares."""
_DOTS = 26


def _pattern(name: str, size: float, content: str) -> str:
    """Returns an SVG pattern that repeats `content` in squares of side length `size`."""
    return (
        f'<pattern id="tryangle-{name}" width="{size:g}" height="{size:g}" patternUnits="userSpaceOnUse">'
        f"{content}</pattern>"
    )


def _used(*players: int) -> str:
    """Returns the hatching of a free triangle that these players have used up and may not capture yet."""
    lines = "".join(f'<path class="tryangle-stroke-{player}" d="{_SLOPES[player]}"/>' for player in players)
    return _pattern("used-" + ("2" if len(players) == 2 else str(players[0])), _HATCH, lines)


def _dotted() -> str:
    """Returns the dotted filling of player 1's triangles."""
    side = _DOTS * _CELLS
    dots = "".join(f"M{_DOTS * x + 13} {_DOTS * y + 13}h0" for x in range(_CELLS) for y in range(_CELLS))
    tint = f'<rect class="tryangle-tint" width="{side}" height="{side}"/>'
    return _pattern("owner-1", side, f'{tint}<path class="tryangle-dots" d="{dots}"/>')


def _tip(name: str, look: str) -> str:
    """Returns the tip of an arrow, as an SVG marker with the id `tryangle-tip-` + `name`. `look`: its CSS class."""
    return (
        f'<marker id="tryangle-tip-{name}" viewBox="0 0 24 26" refX="2" refY="13" markerWidth="24" markerHeight="26" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path class="tryangle-tip {look}" d="M0 0L24 13L0 26z"/></marker>'
    )


_TIPS = _tip("0", "player-0") + _tip("1", "player-1") + _tip("plan", "plan")
DEFS = _dotted() + _used(0) + _used(1) + _used(0, 1) + _TIPS
