"""Says why a turn of Volcano is worse than a better one. Implements `Game.reason`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from lapilli.core.mistake import Mistake
from lapilli.core.outcome import Outcome, Termination
from lapilli.games.pyramids.picture.story import last_turn
from lapilli.games.pyramids.state.state import SIDES, PyramidsState

_ARRANGEMENTS = 80
"""Number of arrangements of the caps from which the opponent's eruptions are tried, the nearest first."""


def reason(mistake: Mistake) -> str:
    """Returns why a turn is worse than a better one: the end of the game first, then captures."""
    after, instead = cast(PyramidsState, mistake.after), cast(PyramidsState, mistake.instead)
    return _end(mistake, after, instead) or _captures(mistake, after, instead)


def _end(mistake: Mistake, after: PyramidsState, instead: PyramidsState) -> str:
    """Returns a sentence if the better turn ends the game by a win, or if the turn that was played lost at once."""
    player, other = mistake.player, 1 - mistake.player
    lost, won = after.outcome(), instead.outcome()
    if _wins(won, player) and not _wins(lost, player):
        return f"{SIDES[player]} could end the game and win: {_eruption(mistake, instead)}."
    if lost is None or not _wins(lost, other):
        return ""
    if lost.termination == Termination.NO_MOVE:
        return f"This leaves {SIDES[player]} without a legal step, which loses at once."
    return f"This ends the game, and {SIDES[other]} wins by {lost.scores[other]} to {lost.scores[player]}."


def _wins(outcome: Outcome | None, player: int) -> bool:
    return outcome is not None and outcome.ranks[player] < outcome.ranks[1 - player]


def _eruption(mistake: Mistake, instead: PyramidsState) -> str:
    """Returns what the better turn's eruption does: "the eruption of B3 captures 2 pieces"."""
    last = last_turn(mistake.better)
    captured = pieces(len(last.captured))
    return f"the eruption of {instead.board.cells[last.source or 0]} captures {captured}"


def _captures(mistake: Mistake, after: PyramidsState, instead: PyramidsState) -> str:
    """Returns a sentence about the captures that the turn missed, or lets the opponent make; whichever counts more."""
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
        eruption = _eruption(mistake, instead).replace(" captures ", " would capture ")
        sentence = eruption[0].upper() + eruption[1:]
        return f"{sentence} for {points(gains[1])}; this turn brings {points(gains[0])}."
    return f"This lets {SIDES[other]} gain {points(allowed)} by the eruption of {cell}."


def best_reply(state: PyramidsState) -> tuple[int, str, bool]:
    """Returns the most that the player to move can gain in one turn, among the eruptions that were tried.

    Returns:
        The points, the cell whose stack erupts ("" if no eruption brings points), and whether the turn ends the game by
        a win. A turn that does comes before all others.
    """
    best = 0, "", False
    if state.is_terminal():
        return best
    player = state.current_player()
    score = state.scores()[player]
    for before, action in _eruptions(state):
        after = before.clone()
        after.apply_action(action)
        wins = _wins(after.outcome(), player)
        gain = after.scores()[player] - score
        if (wins, gain) > (best[2], best[0]):
            best = gain, state.action_to_string(action).split("-")[0], wins
    return best


def _eruptions(state: PyramidsState) -> Iterator[tuple[PyramidsState, int]]:
    """Yields the different eruptions of a turn that capture something: the position just before, and the last step.

    A breadth-first search over quiet steps finds them. It stops after `_ARRANGEMENTS` arrangements of the caps.
    """
    reached = [state]
    seen, found = {int(state.record["caps"])}, set[tuple[int, int]]()
    for before in reached:
        for action in before.legal_actions():
            landed, captured = before.preview(action)
            if landed:
                if captured and (action, landed) not in found:
                    found.add((action, landed))
                    yield before, action
            elif len(reached) < _ARRANGEMENTS:
                after = before.clone()
                after.apply_action(action)
                if int(after.record["caps"]) not in seen and not after.is_terminal():
                    seen.add(int(after.record["caps"]))
                    reached.append(after)


def pieces(number: int) -> str:
    """Returns a number of pieces in words: "no piece", "1 piece", "2 pieces"."""
    return f"{number or 'no'} piece{'' if number < 2 else 's'}"


def points(number: int) -> str:
    """Returns a number of points in words: "no points", "1 point", "2 points"."""
    return f"{number or 'no'} point{'' if number == 1 else 's'}"
