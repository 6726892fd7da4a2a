"""A position as shapes: stacks seen from the side, and beside the board the captures, sorted as they count."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from typing import NamedTuple, cast

from lapilli.games.protocol import Step
from lapilli.games.pyramids.board import CELLS, COLOUR, HEX, SIZE, SIZE_NAMES, Board
from lapilli.games.pyramids.picture.nests import MIXED, OTHER, SOLID, arrange
from lapilli.games.pyramids.picture.story import LastTurn, last_turn
from lapilli.games.pyramids.state.layout import pile
from lapilli.games.pyramids.state.state import SIDES, PyramidsState
from lapilli.games.scene import Scene
from lapilli.games.state import State

Point = tuple[float, float]
Groups = Sequence[tuple[int, ...]]

PITCH = ((116.0, 120.0), (102.0, 112.0))
"""By board: cells are so far apart, in x and in y."""
MARGIN = 14.0
HEAD = 44.0
PANEL = 200.0
"""Width of the captures' panels: room for "Second: 252 points" in a wide font."""
BANNER = 34.0
"""Height of a player's name and points."""
BASES = (42.0, 60.0, 80.0)
"""Width of a piece's base by size."""
CAP_BASE = 44.0
STEEPNESS = 0.52
"""Height of a pyramid over the width of its base."""
SLICE = 17.0
"""Visible height of a piece under another, at most."""
ROOM = 90.0
"""Height that a stack may take in its cell."""
CAPTURED = 0.62
"""Captured pieces are drawn smaller."""
CAPTURED_SLICE = 11.0
RING = 46.0
"""Radius of the ring around a capture."""

STYLE = """
.pyramids-cell { fill: var(--paper); stroke: var(--line); stroke-width: 2; stroke-linejoin: round; }
.pyramids-cell.source { fill: var(--highlight); fill-opacity: .35; }
.pyramids-cell.landed { fill: var(--highlight); fill-opacity: .18; }
.pyramids-name { font: 12px sans-serif; fill: var(--muted); }
.pyramids-piece { stroke: #14141a; stroke-width: 1.5; stroke-linejoin: round; }
.pyramids-Y { fill: #f4c430; } .pyramids-R { fill: #c8321f; } .pyramids-G { fill: #1f7a45; }
.pyramids-B { fill: #2f5fc4; } .pyramids-P { fill: #7a3fb0; } .pyramids-C { fill: #e6edf0; }
.pyramids-cap { fill: #18181d; stroke: #ff7a3d; stroke-width: 2.5; stroke-linejoin: round; }
.pyramids-letter { font-family: sans-serif; font-weight: bold; text-anchor: middle; fill: #fff; }
.pyramids-letter.on-Y, .pyramids-letter.on-C { fill: #14141a; }
.pyramids-tiny { font-size: 6px; } .pyramids-small { font-size: 9px; } .pyramids-usual { font-size: 13px; }
.pyramids-way { fill: none; stroke: var(--ink); stroke-width: 4; stroke-linejoin: round; stroke-linecap: round;
  stroke-dasharray: 2 9; }
.pyramids-foot { fill: var(--ink); }
.pyramids-eruption { stroke: #ff5a1f; stroke-width: 7; stroke-linecap: round; }
.pyramids-arrow { fill: #ff5a1f; stroke: #ff5a1f; stroke-width: 3; stroke-linejoin: round; }
.pyramids-ring { fill: none; stroke: #ff5a1f; stroke-width: 4; }
.pyramids-head { font: bold 22px sans-serif; fill: var(--ink); }
.pyramids-banner-0 { fill: var(--player-0); } .pyramids-banner-1 { fill: var(--player-1); }
.pyramids-points { font: bold 15px sans-serif; }
.pyramids-points.of-0, .pyramids-turn.of-0 { fill: var(--on-player-0); }
.pyramids-points.of-1, .pyramids-turn.of-1 { fill: var(--on-player-1); }
.pyramids-heading { font: 14px sans-serif; fill: var(--ink); }
"""


class Placed(NamedTuple):
    """Where a piece is drawn: the middle of its foot, how much of its height shows, its title, and how large."""

    piece: int
    x: float
    foot: float
    shown: float
    title: str
    scale: float = 1.0


def scene(state: State, step: Step | None) -> Scene:
    """The board, the last turn's ways and eruption, and both players' captures with their points.

    Pieces keep their keys for a whole game (`piece-17`), on the board and among the captures; so do caps (`cap-2`).
    """
    state = cast(PyramidsState, state)
    last = last_turn(step)
    if not last.paths:
        last = LastTurn(tuple(tuple(state.board.number[name] for name in path) for path in state.paths()))
    return draw(state, last)


def draw(state: PyramidsState, last: LastTurn) -> Scene:
    """A position with what is to be shown of a turn."""
    board = state.board
    across, up = _extent(board)
    width, height = across + 3 * MARGIN + PANEL, HEAD + up + MARGIN
    drawn = Scene(width, height, f"Volcano: {headline(state)}", STYLE)
    drawn.text("head", MARGIN, 30, headline(state), "pyramids-head")
    for cell in range(len(board.cells)):
        _draw_cell(drawn, state, cell, last)
    for number, path in enumerate(last.paths):
        _draw_way(drawn, board, number, path)
    if last.landed:
        _draw_eruption(drawn, board, last)
    panels = (HEAD + 2, HEAD + up / 2 + 2)
    placed: list[Placed] = []
    for cell in range(len(board.cells)):
        placed += _stack(state, cell)
    for player in (0, 1):
        placed += _draw_captures(drawn, state, player, panels[player])
    if not state.is_terminal():
        _draw_turn(drawn, state.current_player(), panels[state.current_player()])
    for piece in sorted(placed, key=lambda one: one.piece):
        _draw_piece(drawn, board, piece)
    for cell in sorted(range(len(board.cells)), key=lambda cell: int(state.record["cap_on"][cell])):
        _draw_cap(drawn, state, cell)
    return drawn


def headline(state: PyramidsState) -> str:
    """One line: whose turn, or how it ended."""
    outcome = state.outcome()
    if outcome is not None:
        return outcome.reason
    return f"Turn {state.turn}: {SIDES[state.current_player()]} to move"


# -------------------------------------------------------------------------------------------- board


def _extent(board: Board) -> Point:
    dx, dy = PITCH[board.index]
    longest = max(map(len, board.columns))
    return len(board.columns) * dx + (dx / 3 if board.index == HEX else 0), longest * dy


def _middle(board: Board, cell: int) -> Point:
    dx, dy = PITCH[board.index]
    across, up = _extent(board)
    x, y = board.places[cell]
    left = MARGIN + (across - (len(board.columns) - 1) * dx) / 2
    return left + x * dx, HEAD + up - (y + 0.5) * dy


def _outline(board: Board, cell: int) -> list[Point]:
    dx, dy = PITCH[board.index]
    x, y = _middle(board, cell)
    if board.index == HEX:
        wide, narrow, high = dx * 2 / 3 - 2, dx / 3 - 1, dy / 2 - 2
        corners = [(wide, 0.0), (narrow, high), (-narrow, high), (-wide, 0.0), (-narrow, -high), (narrow, -high)]
    else:
        wide, high = dx / 2 - 3, dy / 2 - 3
        corners = [(wide, high), (-wide, high), (-wide, -high), (wide, -high)]
    return [(x + a, y + b) for a, b in corners]


def _draw_cell(drawn: Scene, state: PyramidsState, cell: int, last: LastTurn) -> None:
    board = state.board
    name = board.cells[cell]
    classes = "pyramids-cell"
    classes += " source" if cell == last.source else " landed" if cell in last.landed else ""
    drawn.polygon(f"cell-{name}", _outline(board, cell), classes, _told(state, cell))
    x, y = _middle(board, cell)
    left, down = (-63.0, 4.0) if board.index == HEX else (-50.0, 52.0)
    drawn.text(f"name-{name}", x + left, y + down, name, "pyramids-name lapilli-label")


def _told(state: PyramidsState, cell: int) -> str:
    name = state.board.cells[cell]
    stack = [_long_name(state.board, piece) for piece in pile(state.record, cell)]
    cap = ", capped" if state.record["cap_on"][cell] >= 0 else ""
    return f"{name}: {', '.join(stack) or 'empty'}{cap}" + (" (bottom to top)" if len(stack) > 1 else "")


def _long_name(board: Board, piece: int) -> str:
    return f"{SIZE_NAMES[SIZE[piece]]} {board.colour_names[COLOUR[piece]].lower()}"


def _stack(state: PyramidsState, cell: int) -> list[Placed]:
    """The pieces from the bottom up, each resting on the one below it; a cap lies on them like one more piece."""
    pieces = pile(state.record, cell)
    x, foot = _foot(state.board, cell)
    covered = len(pieces) - (0 if state.record["cap_on"][cell] >= 0 else 1)
    slice_height = _slice_height(state, cell)
    title = _told(state, cell)
    return [
        Placed(piece, x, foot - place * slice_height, slice_height if place < covered else BASES[-1], title)
        for place, piece in enumerate(pieces)
    ]


def _slice_height(state: PyramidsState, cell: int) -> float:
    pieces = pile(state.record, cell)
    if state.record["cap_on"][cell] >= 0:
        return min(SLICE, (ROOM - STEEPNESS * CAP_BASE) / max(1, len(pieces)))
    return min(SLICE, (ROOM - STEEPNESS * BASES[-1]) / max(1, len(pieces) - 1))


def _draw_cap(drawn: Scene, state: PyramidsState, cell: int) -> None:
    cap = int(state.record["cap_on"][cell])
    if cap >= 0:
        x, foot = _foot(state.board, cell)
        foot -= len(pile(state.record, cell)) * _slice_height(state, cell)
        drawn.polygon(f"cap-{cap}", _pyramid(x, foot, CAP_BASE, CAP_BASE), "pyramids-cap", _told(state, cell))


def _foot(board: Board, cell: int) -> Point:
    x, y = _middle(board, cell)
    return x, y + 43.0


def _draw_piece(drawn: Scene, board: Board, placed: Placed) -> None:
    piece, x, foot = placed.piece, placed.x, placed.foot
    base, colour = BASES[int(SIZE[piece])] * placed.scale, board.colours[int(COLOUR[piece])]
    outline = _pyramid(x, foot, base, placed.shown)
    drawn.polygon(f"piece-{piece}", outline, f"pyramids-piece pyramids-{colour}", placed.title)
    shown = min(placed.shown, 20.0) * placed.scale
    size = "usual" if shown >= 15 else "small" if shown >= 9 else "tiny"
    drawn.text(f"letter-{piece}", x, foot - 2.5, colour, f"pyramids-letter on-{colour} pyramids-{size}")


def _pyramid(x: float, foot: float, base: float, shown: float) -> list[Point]:
    """A pyramid of which a part is shown, from the foot up; always four corners, so that it can be moved smoothly."""
    tip = STEEPNESS * base
    shown = min(shown, tip)
    half = base / 2 * (1 - shown / tip)
    return [(x - base / 2, foot), (x + base / 2, foot), (x + half, foot - shown), (x - half, foot - shown)]


# ---------------------------------------------------------------------------------------- last turn


def _draw_way(drawn: Scene, board: Board, number: int, path: tuple[int, ...]) -> None:
    points = [(x, y + 8.0 + 5.0 * number) for x, y in (_middle(board, cell) for cell in path)]
    title = "cap's way: " + " ".join(board.cells[cell] for cell in path)
    drawn.circle(f"foot-{number}", *points[0], 7, "pyramids-foot lapilli-last", title)
    drawn.polyline(f"way-{number}", points, "pyramids-way lapilli-last", title)


def _draw_eruption(drawn: Scene, board: Board, last: LastTurn) -> None:
    assert last.source is not None
    (x1, y1), (x2, y2) = _middle(board, last.source), _middle(board, last.landed[-1])
    length = hypot(x2 - x1, y2 - y1)
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    title = f"{board.cells[last.source]} erupts to {board.cells[last.landed[-1]]}"
    tip, back = (x2 - RING * ux, y2 - RING * uy), (x2 - (RING + 20) * ux, y2 - (RING + 20) * uy)
    wings = [(back[0] - 13 * uy, back[1] + 13 * ux), (back[0] + 13 * uy, back[1] - 13 * ux)]
    drawn.line("eruption", x1, y1, *back, "pyramids-eruption lapilli-last", title)
    drawn.polygon("eruption-arrow", [tip, *wings], "pyramids-arrow lapilli-last", title)
    for place, cell in enumerate(last.landed):
        if cell in last.captured:
            title = f"captured on {board.cells[cell]}"
            drawn.circle(f"captured-{place}", *_middle(board, cell), RING, "pyramids-ring lapilli-last", title)


# ----------------------------------------------------------------------------------------- captures


def _draw_captures(drawn: Scene, state: PyramidsState, player: int, y: float) -> list[Placed]:
    """Draws a player's name, points and the headings of his captures; returns the pieces that belong there."""
    nests = arrange(pile(state.record, CELLS + player))
    x = drawn.width - MARGIN - PANEL
    drawn.rect(f"banner-{player}", x, y, PANEL, BANNER, f"pyramids-banner-{player}")
    said = f"{SIDES[player]}: {nests.points} points"
    drawn.text(f"points-{player}", x + 24, y + 23, said, f"pyramids-points of-{player}")
    singles = tuple((piece,) for piece in nests.others)
    placed: list[Placed] = []
    y += BANNER + 6
    for name, worth, groups in (
        ("solid", SOLID, nests.solid),
        ("mixed", MIXED, nests.mixed),
        ("others", OTHER, singles),
    ):
        said = f"{name}: {len(groups)} at {worth} = {len(groups) * worth}" if groups else f"{name}: none"
        drawn.text(f"{name}-{player}", x, y + 13, said, "pyramids-heading")
        placed += _row(state.board, groups, x, y + 56, f"captured by {SIDES[player]}")
        y += 64
    return placed


def _row(board: Board, groups: Groups, left: float, foot: float, said: str) -> list[Placed]:
    """Captured nests, or single pieces, one beside the other; many single pieces in rows."""
    base, row_height = BASES[-1] * CAPTURED, 27.0
    rows = 1 if not groups or len(groups[0]) > 1 else 1 + (len(groups) > 5) + (len(groups) > 12)
    in_row = -(-len(groups) // rows)
    apart = min(base + 3, (PANEL - base) / max(1, in_row - 1))
    placed: list[Placed] = []
    for number, group in enumerate(groups):
        row, place = divmod(number, in_row)
        x, down = left + base / 2 + place * apart, row_height * row - (14.0 if rows > 1 else 0.0)
        placed += _nest(board, group, x, foot + down, said)
    return placed


def _draw_turn(drawn: Scene, player: int, y: float) -> None:
    """Marks the player to move."""
    x, middle = drawn.width - MARGIN - PANEL + 18, y + BANNER / 2
    corners = [(x - 12, middle - 7), (x, middle), (x - 12, middle + 7)]
    drawn.polygon("to-move", corners, f"pyramids-turn of-{player}", f"{SIDES[player]} to move")


def _nest(board: Board, group: tuple[int, ...], x: float, foot: float, said: str) -> list[Placed]:
    """A captured nest, its largest piece at the bottom, or a single piece."""
    pieces = sorted(group, key=lambda piece: -int(SIZE[piece]))
    heights = [CAPTURED_SLICE] * (len(pieces) - 1) + [BASES[-1]]
    return [
        Placed(piece, x, foot - place * CAPTURED_SLICE, shown, f"{said}: {_long_name(board, piece)}", CAPTURED)
        for place, (piece, shown) in enumerate(zip(pieces, heights, strict=True))
    ]
