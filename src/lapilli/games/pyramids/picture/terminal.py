"""Formats a position as lines for a terminal: towers of letters, each cell nine columns wide."""

from __future__ import annotations

from typing import cast

from lapilli.core.picture.scene import Span, TextLine
from lapilli.core.protocol.protocol import Step
from lapilli.core.state import State
from lapilli.games.pyramids.board import CELLS, COLOUR, SIZE
from lapilli.games.pyramids.picture.nests import MIXED, OTHER, SOLID, arrange
from lapilli.games.pyramids.picture.story import last_turn
from lapilli.games.pyramids.state.layout import pile
from lapilli.games.pyramids.state.state import SIDES, PyramidsState

_WIDTH = 9
_MIDDLE = 5
STYLES = {
    "Y": "black on yellow",
    "R": "white on red",
    "G": "white on green",
    "B": "white on blue",
    "P": "white on magenta",
    "C": "black on bright_white",
}


def text(state: State, step: Step | None) -> list[TextLine]:
    """Returns the board and, below it, the captures as lines. Implements `Game.text`.

    A stack is a tower with one piece per line, wider for larger pieces: `R`, `RRR`, `RRRRR`. `▲` is a cap, `·` an empty
    cell. The names of the cells that took part in the last eruption are in reverse video.
    """
    state = cast(PyramidsState, state)
    lines: list[TextLine] = [[(headline(state), "bold")], []]
    lines += _board_lines(state, step)
    for player in (0, 1):
        lines += [[], *_capture_lines(state, player)]
    return lines


def headline(state: PyramidsState) -> str:
    """Returns a line with the number of the turn and the player to move; if the game is over, the result."""
    outcome = state.outcome()
    if outcome is not None:
        return outcome.reason
    return f"Turn {state.turn}: {SIDES[state.current_player()]} to move"


def _board_lines(state: PyramidsState, step: Step | None) -> list[TextLine]:
    board = state.board
    last = last_turn(step)
    marked = {*last.landed, last.source}
    towers = [_tower(state, cell, cell in marked) for cell in range(len(board.cells))]
    pitch = max(map(len, towers)) + 1
    rows = max(map(len, board.columns))
    canvas: dict[tuple[int, int], list[Span]] = {}
    for (x, y), tower in zip(board.places, towers, strict=True):
        bottom = int((rows - y) * pitch) - 1
        for height, spans in enumerate(tower):
            canvas[bottom - height, x] = spans
    lines = []
    for row in range(min(row for row, _ in canvas), max(row for row, _ in canvas) + 1):
        cells = [canvas.get((row, x), [(" " * _WIDTH, "")]) for x in range(len(board.columns))]
        lines.append([span for spans in cells for span in spans])
    return lines


def _tower(state: PyramidsState, cell: int, is_marked: bool) -> list[list[Span]]:
    """Returns the lines that show a cell's name, stack and cap, from the bottom up.

    If `is_marked`, the name is in reverse video.
    """
    board = state.board
    blocks: list[Span] = []
    for piece in pile(state.record, cell):
        letter = board.colours[int(COLOUR[piece])]
        blocks.append((letter * (2 * int(SIZE[piece]) + 1), STYLES[letter]))
    if state.record["cap_on"][cell] >= 0:
        blocks.append(("▲", "bold"))
    tower = [_centred(block) for block in blocks or [("·", "dim")]]
    (pad, _), *rest = tower[0]
    name = board.cells[cell]
    tower[0] = [(name, "reverse" if is_marked else "dim"), (pad[len(name) :], ""), *rest]
    return tower


def _centred(block: Span) -> list[Span]:
    left = _MIDDLE - len(block[0]) // 2
    return [(" " * left, ""), block, (" " * (_WIDTH - left - len(block[0])), "")]


def _capture_lines(state: PyramidsState, player: int) -> list[TextLine]:
    nests = arrange(pile(state.record, CELLS + player))
    lines: list[TextLine] = [
        [(f"{SIDES[player]}: {nests.points} points", f"bold {('bright_blue', 'dark_orange')[player]}")]
    ]
    others = [(piece,) for piece in nests.others]
    for name, worth, groups in (
        ("solid", SOLID, nests.solid),
        ("mixed", MIXED, nests.mixed),
        ("others", OTHER, others),
    ):
        names = ["".join(state.board.piece_names[piece] for piece in group) for group in groups]
        head = f"  {name} {len(names)} × {worth} = {len(names) * worth}:"
        line = head
        for word in names:
            if len(line) + 1 + len(word) > 98:
                lines.append([(line, "")])
                line = " " * len(head)
            line += f" {word}"
        if names:
            lines.append([(line, "")])
    return lines
