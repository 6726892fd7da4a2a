"""How matches end: by the rules, by an agreed draw, or because all players but one have left."""

from __future__ import annotations

from lapilli.core.api import Fault, Outcome, State, Termination, TurnReport
from lapilli.core.errors import RecordError
from lapilli.match.record import RecordedOutcome


def over(state: State) -> bool:
    """Returns whether the game is over and the referee asks nobody any more.

    After the end of a game, some games' referees still ask a player who has no legal move (see `State.asked`).
    """
    return state.is_terminal() and not state.asked()


def final_outcome(state: State, last: TurnReport | None) -> Outcome:
    """Returns the outcome of a finished game by the rules.

    Args:
        state: the final position.
        last: report of the last turn, or None. If a fault in this turn ended the game, the outcome contains the kind
            and reason of the fault.
    """
    outcome = state.outcome()
    assert outcome is not None, "the game is not over"
    for fault in last.faults if last else ():
        if fault.player == outcome.culprit:
            return Outcome(outcome.scores, outcome.ranks, fault.termination, fault.reason, fault.player)
    return outcome


def agreed_outcome(players: int) -> Outcome:
    """Returns the outcome of a match whose players agreed to a draw: all have rank 1. `players`: their number.

    The outcome contains no scores, because a game's scores are counted only at its end.
    """
    return Outcome((), (1,) * players, Termination.AGREED, "a draw, by agreement")


def walkover(players: int, winner: int, last: Fault) -> Outcome:
    """Returns the outcome of a match that all players but the winner have left: the others share rank 2.

    Like the outcome of an agreed draw, it contains no scores.

    Args:
        players: number of players.
        winner: the player who is left.
        last: the fault of the player who left last.
    """
    ranks = tuple(1 if player == winner else 2 for player in range(players))
    return Outcome((), ranks, last.termination, last.reason, last.player)


def early_outcome(recorded: RecordedOutcome, players: int) -> Outcome:
    """Converts the recorded outcome of a match that its players ended early. `players`: their number.

    Raises:
        RecordError: the outcome is neither an agreed draw nor a walkover.
    """
    if recorded.is_agreed:
        outcome = agreed_outcome(players)
        if recorded.ranks not in (None, list(outcome.ranks)) or recorded.scores or recorded.culprit is not None:
            raise RecordError("an agreed draw must have rank 1 for all, and no points")
        return outcome
    termination, culprit, ranks = recorded.termination, recorded.culprit, recorded.ranks or []
    if (
        termination is None
        or culprit is None
        or 1 not in ranks
        or not (termination.is_fault and termination.has_result)
    ):
        raise RecordError("a match that ended early must have a winner, and a culprit with a fault")
    outcome = walkover(players, ranks.index(1), Fault(culprit, termination, recorded.reason))
    if ranks != list(outcome.ranks) or recorded.scores or not 0 <= culprit < players or ranks[culprit] == 1:
        raise RecordError("a match that ended early must have rank 1 for one player, rank 2 for all others, no points")
    return outcome
