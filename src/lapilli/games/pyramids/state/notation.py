"""Writes and reads the position notation: one line of six fields.

    RSRMRL*/GSGMGL/…/RSRMRL* YLPS - 0 B2,A3;C3,B3 7

The fields are the stacks of all cells, the captures of player 0 and of player 1, the player to move, the cells on which
each moved cap has stood in this turn, and the turn number (1 if omitted). The notation does not contain the numbers of
pieces and caps.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from lapilli.core.errors import PositionError
from lapilli.core.reading.numbers import bounded
from lapilli.core.reading.text import quoted
from lapilli.games.pyramids.board import ALL_COLOURS, BOARDS, CELLS, COLOUR, SIZES, TURN_LIMIT, Board
from lapilli.games.pyramids.rules.verbs import DECIDED, NO_MOVE, TURNS_UP, can_move
from lapilli.games.pyramids.state.layout import PieceBox, empty_record, pile, push, put_caps

FIELDS = "stacks, captures of player 0, captures of player 1, player to move, cells visited in this turn, turn"


def quote(text: str) -> str:
    """Returns a text in quotation marks for an error message, shortened to 40 characters."""
    return quoted(text, 40)


def write_position(board: Board, record: Any) -> str:
    """Returns the position notation of a position, which is given as its record and its board."""
    caps = ["*" if record["cap_on"][cell] >= 0 else "" for cell in range(len(board.cells))]
    stacks = [(_pieces(board, record, cell) or "-") + cap for cell, cap in enumerate(caps)]
    captures = [_pieces(board, record, CELLS + player) or "-" for player in (0, 1)]
    paths = [",".join(board.cells[cell] for cell in path) for path in sorted(paths_of(record))]
    player, turn = str(int(record["player"])), str(int(record["turn"]))
    return " ".join(["/".join(stacks), *captures, player, ";".join(paths) or "-", turn])


def _pieces(board: Board, record: Any, place: int) -> str:
    return "".join(board.piece_names[piece] for piece in pile(record, place))


def paths_of(record: Any) -> list[list[int]]:
    """Returns, for every cap that has moved in this turn, the numbers of the cells on which the cap stood, in order.

    The last number is the cap's present cell. `record` is the position.
    """
    moved = ((record["path"][cap], int(steps)) for cap, steps in enumerate(record["steps"]) if steps)
    return [[int(cell) for cell in path[: steps + 1]] for path, steps in moved]


def read_position(board: Board, text: str) -> Any:
    """Returns the record of the position that `text`, a position notation, describes.

    Raises:
        PositionError: `text` describes no position on this board.
    """
    fields = text.split()
    if len(fields) == 5:
        fields.append("1")
    if len(fields) != 6:
        raise PositionError(f"position: {len(fields)} fields instead of 6 ({FIELDS})")
    stacks = fields[0].split("/")
    if len(stacks) != len(board.cells):
        raise PositionError(_wrong_size(board, len(stacks)))
    record = empty_record()
    record["board"] = board.index
    box = PieceBox(board)
    for cell, stack in enumerate(stacks):
        _read_pile(board, record, box, cell, stack.removesuffix("*"), board.cells[cell])
    for player in (0, 1):
        _read_pile(board, record, box, CELLS + player, fields[1 + player], f"captures of player {player}")
    _read_caps(board, record, [cell for cell, stack in enumerate(stacks) if stack.endswith("*")])
    if fields[3] not in ("0", "1"):
        raise PositionError(f"position: the player to move is 0 or 1, not {quote(fields[3])}")
    record["player"] = int(fields[3])
    if fields[4] != "-":
        _read_paths(board, record, fields[4])
    turn = bounded(fields[5], 1, TURN_LIMIT + 1)
    if turn is None:
        raise PositionError(f"position: the turn is 1 to {TURN_LIMIT}, or one more at the end, not {quote(fields[5])}")
    record["turn"] = turn
    _settle(board, record)
    return record


def _wrong_size(board: Board, cells: int) -> str:
    for other in BOARDS:
        if cells == len(other.cells):
            return f"position: {cells} cells are a {other.name} board: give variant {other.name!r}, not {board.name!r}"
    return f"position: {cells} cells, joined by '/', instead of {len(board.cells)} (variant {board.name!r})"


def _read_pile(board: Board, record: Any, box: PieceBox, place: int, text: str, name: str) -> None:
    if text == "-":
        return
    if not text or len(text) % 2:
        raise PositionError(f"position, {name}: {quote(text)} is no list of pieces like 'RSRM', nor '-' for none")
    for start in range(0, len(text), 2):
        piece = text[start : start + 2]
        if piece[0] not in board.colours or piece[1] not in SIZES:
            wanted = f"a colour of {board.colours} and a size of {SIZES}"
            raise PositionError(f"position, {name}: {quote(piece)} is no piece of the {board.name} board: {wanted}")
        number = box.take(piece)
        if not number:
            raise PositionError(f"position, {name}: one {piece} too many, there are {board.copies} of them")
        push(record, place, number)
        if place >= CELLS:
            record["colours"][place - CELLS] |= 1 << int(COLOUR[number])


def _read_caps(board: Board, record: Any, cells: list[int]) -> None:
    if len(cells) > board.max_caps:
        raise PositionError(f"position: {len(cells)} caps ('*'), but the {board.name} board has {board.max_caps}")
    put_caps(record, cells)


def _read_paths(board: Board, record: Any, text: str) -> None:
    origins = {int(cell) for cell in np.flatnonzero(record["cap_on"] >= 0)}
    paths = [_read_path(board, part) for part in text.split(";")]
    for path in paths:
        cap = int(record["cap_on"][path[-1]])
        if cap < 0:
            raise PositionError(
                f"position, visited cells: no cap stands on {board.cells[path[-1]]}, where its way ends"
            )
        if record["steps"][cap]:
            raise PositionError(f"position, visited cells: the cap on {board.cells[path[-1]]} has two ways")
        record["steps"][cap] = len(path) - 1
        record["path"][cap, : len(path)] = path
        record["seen"][cap] = sum(1 << cell for cell in path)
        origins.discard(path[-1])
    for path in paths:
        if path[0] in origins:
            raise PositionError(f"position, visited cells: two caps were on {board.cells[path[0]]} when the turn began")
        origins.add(path[0])


def _read_path(board: Board, text: str) -> list[int]:
    names = text.split(",")
    for name in names:
        if name not in board.number:
            raise PositionError(f"position, visited cells: {quote(name)} is no cell of the {board.name} board")
    path = [board.number[name] for name in names]
    is_connected = all(after in board.neighbours[before] for before, after in pairwise(path))
    if len(path) < 2 or not is_connected or len(set(path)) < len(path):
        wanted = "two or more cells, each a neighbour of the one before, none twice"
        raise PositionError(f"position, visited cells: {quote(text)} is no cap's way: {wanted}")
    return path


def _settle(board: Board, record: Any) -> None:
    """Sets the field `result` if the game is over: a player has every colour, the turn limit is reached, or no step is
    legal."""
    if ALL_COLOURS[board.index] in record["colours"]:
        record["result"] = DECIDED
    elif record["turn"] > TURN_LIMIT:
        record["result"] = TURNS_UP
    elif not can_move(record):
        record["result"] = NO_MOVE
