"""A turn as a sequence of pictures: every quiet step, then the eruption piece by piece, then what is captured."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from lapilli.games.protocol import Step
from lapilli.games.pyramids.board import COLOUR, SIZE, SIZE_NAMES
from lapilli.games.pyramids.picture.scene import draw, headline, scene
from lapilli.games.pyramids.picture.story import LastTurn, last_turn
from lapilli.games.pyramids.state.layout import push
from lapilli.games.pyramids.state.state import SIDES, PyramidsState
from lapilli.games.scene import Moment
from lapilli.games.state import State


def moments(state: State, step: Step) -> list[Moment]:
    """The pictures that lead from a turn's first position to `state`."""
    state = cast(PyramidsState, state)
    last = last_turn(step)
    if not last.landed:
        return [Moment(scene(state, step), headline(state))]
    before = cast(PyramidsState, step.before.clone())
    side = SIDES[before.current_player()]
    moves = [move for text in step.report.actions.values() for move in text.split()]
    pictures = []
    for move in moves[:-1]:
        before.apply_action(before.string_to_action(move))
        pictures.append(Moment(scene(before, None), f"{side}: {move}"))
    pictures += _eruption(before, last, moves[-1], side)
    number = len(last.captured)
    what = f"{side} captures {number} piece{'s' * (number > 1)}" if number else "nothing is captured"
    ending = headline(state) if state.is_terminal() else what
    return [*pictures, Moment(scene(state, step), ending, "capture" if number else "")]


def _eruption(state: PyramidsState, last: LastTurn, move: str, side: str) -> list[Moment]:
    """The cap leaves, and piece after piece lands; `state` is used up."""
    record, board = state.record, state.board
    source, target = (board.number[name] for name in move.split("-"))
    record["cap_on"][target], record["cap_on"][source] = record["cap_on"][source], -1
    pictures = []
    for place, cell in enumerate(last.landed):
        piece = int(record["top"][source])
        record["top"][source] = record["below"][piece]
        push(record, cell, piece)
        shown = replace(last, landed=last.landed[: place + 1], captured=frozenset())
        what = f"{SIZE_NAMES[SIZE[piece]]} {board.colour_names[COLOUR[piece]].lower()} lands on {board.cells[cell]}"
        pictures.append(Moment(draw(state, shown), f"{side}: {move}, {what}", "" if place else "eruption"))
    return pictures
