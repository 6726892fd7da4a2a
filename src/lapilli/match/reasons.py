"""Explains why a turn was worse than a better one: plays the better turn instead, and compares both by the rules."""

from __future__ import annotations

from lapilli.core.api import Fault, Mistake, State, Step


def reason_of(step: Step, after: State, player: int, better: str) -> str:
    """Returns a sentence that says why a player's turn was worse than a better one; "" if the game knows no reason.

    The result is also empty if one of the two turns is a fault, or if both lead to the same position.

    Args:
        step: the step in which the turn was played.
        after: the position after this step.
        player: the player whose turn it was.
        better: the player's reply with the better turn.
    """
    if player not in step.report.actions or is_at_fault(step, player):
        return ""
    better_step, instead = played_instead(step, player, better)
    if instead == after or is_at_fault(better_step, player):
        return ""
    return after.game.reason(Mistake(player, step, after, better_step, instead))


def played_instead(step: Step, player: int, reply: str) -> tuple[Step, State]:
    """Returns the step in which a player gives another reply, and the position after it.

    The other players' replies stay the same.
    """
    replies: dict[int, str | Fault] = {fault.player: fault for fault in step.report.faults}
    after = step.before.clone()
    report = after.game.protocol.play_turn(after, replies | step.report.actions | {player: reply})
    return Step(step.before, report), after


def is_at_fault(step: Step, player: int) -> bool:
    """Returns whether a player committed a fault in a step."""
    return any(fault.player == player for fault in step.report.faults)
