"""Explains why a turn of Volcano with pyramids is worse than a better one. Implements `Game.reason`.

In this module, `after` is the position after the turn that was played, and `instead` the position after the better
turn.
"""

from __future__ import annotations

from typing import cast

from lapilli.core.picture.words import quantity
from lapilli.core.rules.outcome import Outcome, Termination
from lapilli.core.search.mistake import Mistake
from lapilli.games.pyramids.picture.story import last_turn
from lapilli.games.pyramids.rules.turns import TurnOutcomes
from lapilli.games.pyramids.state.state import SIDES, PyramidsState

_ARRANGEMENTS = 80
"""Number of arrangements of the caps from which the opponent's eruptions are tried, the nearest first."""


def reason(mistake: Mistake) -> str:
    """Returns a sentence that says why a turn is worse than a better one; "" if the function finds no reason.

    `mistake` contains both turns and the positions after them.

    Reasons about the end of the game come before reasons about captures.
    """
    after, instead = cast(PyramidsState, mistake.after), cast(PyramidsState, mistake.instead)
    return _end(mistake, after, instead) or _captures(mistake, after, instead)


def _end(mistake: Mistake, after: PyramidsState, instead: PyramidsState) -> str:
    """Returns a sentence if the better turn wins the game at once, or if the turn that was played lost it at once.

    Otherwise the result is "". `mistake` contains both turns. `after` is the position after the turn that was played,
    `instead` the position after the better turn.
    """
    player, other = mistake.player, 1 - mistake.player
    lost, won = after.outcome(), instead.outcome()
    if _wins(won, player) and not _wins(lost, player):
        cell, captured = _eruption(mistake)
        return f"{SIDES[player]} could end the game and win: the eruption of {cell} captures {captured}."
    if lost is None or not _wins(lost, other):
        return ""
    if lost.termination == Termination.NO_MOVE:
        return f"This leaves {SIDES[player]} without a legal step, which loses at once."
    return f"This ends the game, and {SIDES[other]} wins by {lost.scores[other]} to {lost.scores[player]}."


def _wins(outcome: Outcome | None, player: int) -> bool:
    return outcome is not None and outcome.ranks[player] < outcome.ranks[1 - player]


def _eruption(mistake: Mistake) -> tuple[str, str]:
    """Returns the name of the cell that erupts in the better turn, and the captured pieces in words, such as "2
    pieces"."""
    last = last_turn(mistake.better)
    cells = cast(PyramidsState, mistake.instead).board.cells
    return cells[last.source or 0], quantity(len(last.captured), "piece") if last.captured else "no piece"


def _captures(mistake: Mistake, after: PyramidsState, instead: PyramidsState) -> str:
    """Returns a sentence about captures that the turn missed, or about captures that it allows the opponent to make.

    The sentence is about that which costs the player more points; "" if neither costs any. `mistake` contains both
    turns. A turn that lets the opponent end the game and win comes first. `after` is the position after the turn that
    was played, `instead` the position after the better turn.
    """
    player, other = mistake.player, 1 - mistake.player
    before = cast(PyramidsState, mistake.played.before).scores()[player]
    gains = after.scores()[player] - before, instead.scores()[player] - before
    allowed, cell, wins = best_reply(after)
    allowed_instead, _, wins_instead = best_reply(instead)
    if wins and not wins_instead:
        return f"This lets {SIDES[other]} end the game and win by the eruption of {cell}."
    missed = gains[1] - gains[0]
    if max(missed, allowed - allowed_instead) <= 0:
        return ""
    if missed >= allowed - allowed_instead:
        source, captured = _eruption(mistake)
        better, now = quantity(gains[1], "point"), quantity(gains[0], "point") if gains[0] else "no points"
        return f"The eruption of {source} would capture {captured} for {better}; this turn brings {now}."
    return f"This lets {SIDES[other]} gain {quantity(allowed, 'point')} by the eruption of {cell}."


def best_reply(state: PyramidsState) -> tuple[int, str, bool]:
    """Returns the most points that the player to move can gain in one turn.

    Not every turn is tried: one for each different eruption that is found within a limit of arrangements of the caps.

    Returns:
        The points, the cell whose stack erupts ("" if no eruption brings points), and whether the turn ends the game by
        a win. A turn that wins comes before all others.
    """
    best = 0, "", False
    if state.is_terminal():
        return best
    player = state.current_player()
    score = state.scores()[player]
    outcomes = TurnOutcomes(state.record, _ARRANGEMENTS)
    for index in outcomes.eruptions():
        turn, after = outcomes[index], state.clone()
        for action in turn.actions:
            after.apply_action(action)
        wins = _wins(after.outcome(), player)
        gain = after.scores()[player] - score
        if (wins, gain) > (best[2], best[0]):
            best = gain, turn.source, wins
    return best
