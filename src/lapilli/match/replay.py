"""Replays recorded matches by the rules of the game, and checks whether records are correct."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import groupby

from lapilli.core.api import Fault, Outcome, State, Step, Termination, TurnReport
from lapilli.core.errors import LapilliError, RecordError
from lapilli.core.reading.text import quoted, shortened
from lapilli.match.record import Entry, Record, RecordedOutcome
from lapilli.match.results.endings import early_outcome, final_outcome, over


def replay(record: Record) -> Iterator[tuple[State, Step | None]]:
    """Yields the positions of a recorded match, each with the Step that led to it (None for the first position).

    If a player was asked and has no entry in the record, the player did not answer in time. A record without an outcome
    may stop anywhere. Then the automatic turns after its last entry are still played.

    Raises:
        RecordError: no game can start with the record's setup, or an entry contradicts the rules. The message contains
            the number of the entry's turn.
    """
    try:
        state = record.load_game().new_initial_state(record.load_setup())
    except LapilliError as error:
        raise RecordError(str(error)) from None
    yield state.clone(), None
    ended = record.outcome is not None and record.outcome.by_rules
    step: Step | None = None
    played = [entry for entry in record.turns if not entry.pending]
    for turn, entries in groupby(played, key=lambda entry: entry.turn):
        while state.turn != turn or not state.asked():
            _check_reachable(state, turn, step)
            step = _advance(state, [])
            yield state.clone(), step
        step = _advance(state, list(entries))
        yield state.clone(), step
    while not over(state) and (ended or not state.asked()):
        step = _advance(state, [])
        yield state.clone(), step


def _check_reachable(state: State, turn: int, last_step: Step | None) -> None:
    """Raises RecordError if the next recorded turn cannot be reached from the current position by automatic turns.

    Args:
        state: the current position.
        turn: number of the next recorded turn.
        last_step: the step that led to `state`; None for the first position.
    """
    if over(state):
        faults = [f"player {fault.player}: {fault.reason}" for fault in last_step.report.faults] if last_step else []
        outcome = state.outcome()
        reason = "; ".join(faults) or (outcome.reason if outcome else "")
        raise RecordError(f"turn {turn}: the game was already over ({shortened(reason, 200)})")
    if state.turn > turn:
        raise RecordError(f"turn {turn}: out of order, turn {state.turn} comes next")
    if state.turn == turn:
        raise RecordError(f"turn {turn}: nobody is asked on this turn")


def _advance(state: State, entries: list[Entry]) -> Step:
    """Plays the current turn on `state` with the recorded replies in `entries`, and returns the Step.

    A player without an entry has timed out. Raises RecordError if the entries contradict the rules.
    """
    before = state.clone()
    asked = state.asked()
    replies: dict[int, str | Fault] = {
        player: Fault(player, Termination.TIMEOUT, f"no entry for turn {state.turn}, so no reply in time")
        for player in asked
    }
    answered: set[int] = set()
    for entry in entries:
        if entry.player not in asked:
            names = " and ".join(map(str, asked))
            raise RecordError(f"turn {entry.turn}: player {entry.player} was not asked, player {names} was")
        if entry.player in answered:
            raise RecordError(f"turn {entry.turn}: player {entry.player} has two entries")
        answered.add(entry.player)
        replies[entry.player] = entry.reply()
    report = state.game.protocol.play_turn(state, replies)
    for entry in entries:
        _check_fault(entry, report)
    return Step(before, report)


def _check_fault(entry: Entry, report: TurnReport) -> None:
    """Raises RecordError if the record says that a player had a fault, and the rules say something else.

    `entry` is the record's entry about the player's turn, and `report` the report from replaying this turn.
    """
    if entry.fault is None:
        return
    recorded, where = entry.fault.termination, f"turn {entry.turn}: player {entry.player}"
    if not recorded.is_fault:
        raise RecordError(f"{where}: {recorded.value!r} is no fault of a player's")
    if entry.action is not None and all(fault.player != entry.player for fault in report.faults):
        raise RecordError(f"{where}: {recorded.value} in the record, but the rules accept {quoted(entry.action, 60)}")


def verify(record: Record) -> Outcome | None:
    """Checks a record: replays its turns by the rules, and compares the recorded outcome with the result.

    Returns:
        The outcome of the match; None if the record stops before the end of the game.

    Raises:
        RecordError: the record contradicts the rules. The message contains the turn number and the reason.
    """
    [(state, step)] = deque(replay(record), maxlen=1)
    if record.outcome is not None and record.outcome.is_early:
        return _early(record.outcome, state)
    if not over(state):
        return None
    outcome = final_outcome(state, step.report if step else None)
    _compare(record, outcome, state.turn)
    return outcome


def _early(claimed: RecordedOutcome, state: State) -> Outcome:
    """Checks `claimed`, the recorded outcome of a match that its players ended early, and returns it as an Outcome.

    Raises RecordError if the outcome is not valid (see `early_outcome`), or if the game was already over by the rules.
    `state` is the last position.
    """
    if over(state):
        how = "a draw is agreed to" if claimed.is_agreed else "the match ended early"
        raise RecordError(f"turn {state.turn}: {how} in the record, but the game was over by the rules")
    try:
        return early_outcome(claimed, state.num_players)
    except RecordError as error:
        raise RecordError(f"turn {state.turn}: {error}") from None


def _compare(record: Record, outcome: Outcome, turn: int) -> None:
    claimed = record.outcome
    if claimed is None or not claimed.by_rules:
        return
    for name, recorded, by_rules in (
        ("scores", claimed.scores, list(outcome.scores)),
        ("ranks", claimed.ranks, list(outcome.ranks)),
        ("termination", claimed.termination, outcome.termination),
        ("culprit", claimed.culprit, outcome.culprit),
    ):
        if recorded is not None and recorded != by_rules:
            found, expected = _as_text(recorded), _as_text(by_rules)
            raise RecordError(f"turn {turn}: {name}: {found} in the record, {expected} by the rules")


def _as_text(value: object) -> str:
    """Formats a value for a message. Long text is cut, because a record may contain a list of any length."""
    return shortened(str(value), 80)
