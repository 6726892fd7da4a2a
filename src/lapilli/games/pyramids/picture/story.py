"""Finds the effects of the last turn, for pictures. It replays the turn from the position before the turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lapilli.core.protocol.protocol import Step
from lapilli.games.pyramids.state.state import PyramidsState


@dataclass(frozen=True, slots=True)
class LastTurn:
    """The effects of the last turn. Cells are given by their numbers.

    Attributes:
        paths: for every cap that moved, its cells in order; the cap that moved first is the first.
        source: cell of the stack that erupted; None if no stack erupted.
        landed: cells on which pieces of the stack landed, in order.
        captured: the cells among `landed` on which the landing piece was captured.
    """

    paths: tuple[tuple[int, ...], ...] = ()
    source: int | None = None
    landed: tuple[int, ...] = ()
    captured: frozenset[int] = frozenset()


def _paths(state: PyramidsState, moves: Sequence[str]) -> list[list[int]]:
    """Returns the cells of each cap that has moved in this turn, in the order of the caps' first moves.

    `moves` are the moves that led to `state`.
    """
    begun = list[str]()
    starts = dict[str, str]()
    for start, end in (move.upper().split("-") for move in moves):
        starts[end] = starts.pop(start, start)
        if starts[end] not in begun:
            begun.append(starts[end])
    paths = sorted(state.paths(), key=lambda path: begun.index(path[0]))
    return [[state.board.number[name] for name in path] for path in paths]


def last_turn(step: Step | None) -> LastTurn:
    """Returns the effects of the last turn. They are empty if `step` is None or the player's reply was a fault."""
    if step is None or step.report.faults or not isinstance(step.before, PyramidsState):
        return LastTurn()
    before = step.before.clone()
    board = before.board
    moves = [move for text in step.report.actions.values() for move in text.split()]
    if not moves:
        return LastTurn()
    for move in moves[:-1]:
        before.apply_action(before.string_to_action(move))
    action = before.string_to_action(moves[-1])
    landed, _ = before.preview(action)
    source, heading = divmod(action, len(board.headings))
    at = board.neighbours[source][heading]
    paths = _paths(before, moves[:-1])
    for path in paths:
        if path[-1] == source:
            path.append(at)
            break
    else:
        paths.append([source, at])
    cells: list[int] = []
    for _ in range(landed):
        at = board.neighbours[at][heading]
        cells.append(at)
    heights = {cell: len(before.stack(board.cells[cell])) for cell in cells}
    before.apply_action(action)
    captured = frozenset(cell for cell in cells if len(before.stack(board.cells[cell])) == heights[cell])
    return LastTurn(tuple(map(tuple, paths)), source if landed else None, tuple(cells), captured)
