"""The texts beside the board (headline, scores, facts), and turns described in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from lapilli.core.picture.panels import Fact, Panels, Plate, standing
from lapilli.core.picture.words import plural, quantity
from lapilli.core.protocol.protocol import Step
from lapilli.core.rules.outcome import Outcome, Termination
from lapilli.games.pyramids.board import CELLS, COLOUR, SIZE, SIZE_NAMES, TURN_LIMIT, Board
from lapilli.games.pyramids.picture.look import LEGEND
from lapilli.games.pyramids.picture.story import LastTurn, last_turn
from lapilli.games.pyramids.state.layout import pile
from lapilli.games.pyramids.state.state import SIDES, PyramidsState

_LATE = TURN_LIMIT - 100
"""Number of the first turn at which the headline mentions the turn limit."""
_END = "The game ends when a player has captured every colour; the higher score wins, whoever ended it"


def headline(state: PyramidsState) -> str:
    """Returns a sentence that names the player to move and the leader; if the game is over, the result."""
    outcome = state.outcome()
    if outcome is not None:
        return outcome.reason + _result(outcome)
    side = SIDES[state.current_player()]
    sentence = f"{side} goes on, until a stack erupts" if state.paths() else f"{side} to move"
    first, second = state.scores()
    if first == second:
        sentence += f"; both have {quantity(first, 'point')}"
    else:
        sentence += f"; {SIDES[second > first]} leads by {max(first, second)} to {min(first, second)}"
    return sentence + (f"; the game ends after turn {TURN_LIMIT}" if state.turn >= _LATE else "")


def _result(outcome: Outcome) -> str:
    """Returns the end of a headline that says who won by points.

    Returns "" if a fault decided the game, or the lack of a legal action.
    """
    if outcome.termination not in (Termination.DECIDED, Termination.TURN_LIMIT):
        return ""
    first, second = outcome.scores
    if first == second:
        return f": a draw, {quantity(first, 'point')} each"
    return f": {SIDES[second > first]} wins by {max(first, second)} to {min(first, second)}"


def panels(state: PyramidsState, heading: str, strips: Sequence[tuple[str, ...]]) -> Panels:
    """Returns the panels beside the board.

    Args:
        state: the position.
        heading: the headline to show.
        strips: for each player, the ids of the strips, small pictures that show the player's captures.
    """
    plates = []
    for player, score in enumerate(state.scores()):
        facts = (*standing(state, player), _colours(state, player))
        plates.append(Plate(score, plural(score, "point"), facts, strips[player]))
    return Panels(heading, tuple(plates), (), LEGEND)


def colours_of(state: PyramidsState, player: int) -> set[int]:
    """Returns the colours of all pieces that a player has captured, as a set of their numbers."""
    return {int(COLOUR[piece]) for piece in pile(state.record, CELLS + player)}


def _colours(state: PyramidsState, player: int) -> Fact:
    """Returns a text for the panel: the colours of which a player has not captured any piece yet."""
    has = colours_of(state, player)
    lacks = [name.lower() for number, name in enumerate(state.board.colour_names) if number not in has]
    if not lacks:
        return Fact("has every colour", _END)
    if not has:
        return Fact(f"lacks all {len(lacks)} colours", _END)
    if len(lacks) == 1:
        return Fact(f"lacks only {lacks[0]} to end the game", _END)
    return Fact(f"lacks {', '.join(lacks)}", _END)


def long_name(board: Board, piece: int) -> str:
    """Returns a piece's name for people, such as "large red"."""
    return f"{SIZE_NAMES[SIZE[piece]]} {board.colour_names[COLOUR[piece]].lower()}"


def tell(step: Step, player: int) -> str:
    """Describes a player's turn: "moves a cap from B2 to B3, erupts B3 towards B5: 1 piece lands, 1 captured".

    If the reply was illegal or made no stack erupt, returns the reply as the bot wrote it. Implements `Game.tell`.
    """
    last = last_turn(step)
    if player not in step.report.actions or not last.landed:
        return step.report.actions.get(player, "")
    names = cast(PyramidsState, step.before).board.cells
    moved = [f"{names[start]} to {names[end]}" for start, end in _prepared(last)]
    sentence = f"moves {'caps' if len(moved) > 1 else 'a cap'} from {' and '.join(moved)}, " if moved else ""
    sentence += f"erupts {names[last.source or 0]} towards {names[last.landed[-1]]}: "
    return sentence + landing_words(len(last.landed), len(last.captured))


def brief(step: Step, player: int) -> str:
    """Describes a player's turn in a few signs: "B2›B3 B3»B5 ×1", a cap's move and an eruption with one capture.

    Implements `Game.brief`.
    """
    last = last_turn(step)
    if player not in step.report.actions or not last.landed:
        return tell(step, player)
    names = cast(PyramidsState, step.before).board.cells
    moved = [f"{names[start]}›{names[end]}" for start, end in _prepared(last)]
    captured = [f"×{len(last.captured)}"] if last.captured else []
    return " ".join([*moved, f"{names[last.source or 0]}»{names[last.landed[-1]]}", *captured])


def _prepared(last: LastTurn) -> list[tuple[int, int]]:
    """Returns the first and the last cell of each cap that moved before the eruption, in the order of the moves."""
    quiet = [path[:-1] if path[-2] == last.source else path for path in last.paths]
    return [(path[0], path[-1]) for path in quiet if path[0] != path[-1]]


def landing_words(landed: int, captured: int) -> str:
    """Describes an eruption from the numbers of its landed and captured pieces: "3 pieces land, 1 captured"."""
    land = "1 piece lands" if landed == 1 else f"{landed} pieces land"
    return f"{land}, {captured or 'none'} captured"
