"""The moments of a turn, one picture each: every quiet step, then the eruption piece by piece, then the captures."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from lapilli.core.picture.scene import Moment
from lapilli.core.protocol.protocol import Step
from lapilli.core.state import State
from lapilli.games.pyramids.picture.scene import draw, scene
from lapilli.games.pyramids.picture.story import LastTurn, last_turn
from lapilli.games.pyramids.picture.words import headline, long_name
from lapilli.games.pyramids.state.layout import push
from lapilli.games.pyramids.state.state import SIDES, PyramidsState

_STEP, _ERUPTION, _LANDING, _CAPTURE, _NONE = 0.6, 1.2, 0.7, 1.3, 0.8


def moments(state: State, step: Step) -> list[Moment]:
    """Returns the pictures of the turn `step`, which led to `state`. The last picture shows `state`."""
    state = cast(PyramidsState, state)
    last, drawn = last_turn(step), scene(state, step)
    if not last.landed:
        return [Moment(drawn, headline(state))]
    before = cast(PyramidsState, step.before.clone())
    side = SIDES[before.current_player()]
    moves = [move for text in step.report.actions.values() for move in text.split()]
    found = _quiet(before, moves[:-1], side)
    found += _eruption(before, last, moves[-1], side)
    number = len(last.captured)
    what = f"{side} captures {number} piece{'s' * (number > 1)}" if number else "Nothing is captured"
    ending = headline(state) if state.is_terminal() else what
    return [*found, Moment(drawn, ending, "capture" if number else "", _CAPTURE if number else _NONE)]


def _quiet(state: PyramidsState, moves: list[str], side: str) -> list[Moment]:
    """Plays the quiet steps of a turn (steps of caps without an eruption) on `state`, and returns one picture of each.

    `moves` are the steps as text, such as "B2-A3". `side` is the name of the player, for the captions.
    """
    found = []
    for move in moves:
        state.apply_action(state.string_to_action(move))
        source, to = move.split("-")
        caption = f"{side}: cap from {source} to {to}"
        paths = LastTurn(tuple(tuple(state.board.number[name] for name in path) for path in state.paths()))
        found.append(Moment(draw(state, paths, caption), caption, weight=_STEP, gauge=_points(state)))
    return found


def _eruption(state: PyramidsState, last: LastTurn, move: str, side: str) -> list[Moment]:
    """Plays the last step of a turn on `state`, and returns a picture for each piece that lands in the eruption.

    The step causes the eruption. The captures are not played.

    Args:
        state: the position before the step; it is changed.
        last: the effects of the turn.
        move: the step as text, such as "B2-A3".
        side: the name of the player, for the captions.
    """
    record, board = state.record, state.board
    source, target = (board.number[name] for name in move.split("-"))
    record["cap_on"][target], record["cap_on"][source] = record["cap_on"][source], -1
    found = []
    for place, cell in enumerate(last.landed):
        piece = int(record["top"][source])
        record["top"][source] = record["below"][piece]
        push(record, cell, piece)
        shown = replace(last, landed=last.landed[: place + 1], captured=frozenset())
        caption = f"{side} erupts {board.cells[source]}: {long_name(board, piece)} lands on {board.cells[cell]}"
        picture, weight = draw(state, shown, caption, piece), _LANDING if place else _ERUPTION
        found.append(Moment(picture, caption, "" if place else "eruption", weight, _points(state)))
    return found


def _points(state: PyramidsState) -> tuple[float, ...]:
    first, second = state.scores()
    return float(first), float(second)
