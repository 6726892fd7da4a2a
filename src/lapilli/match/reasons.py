"""Finds out why a turn was worse than a better one, by the rules of the game."""

from __future__ import annotations

from lapilli.core.api import Fault, Mistake, State, Step


def reason_of(step: Step, after: State, player: int, better: str) -> str:
    """Returns a sentence that says why a player's turn was worse than a better one; "" if the game knows no reason.

    The result is also empty if one of the two turns is a fault, or if both lead to the same position.

    Args:
        step: the step in which the turn was played.
        after: the position after this step.
        player: the player whose turn it was.
        better: the player's reply with the better turn. The other players' replies stay the same.
    """
    game, report = after.game, step.report
    if player not in report.actions or any(fault.player == player for fault in report.faults):
        return ""
    replies: dict[int, str | Fault] = {fault.player: fault for fault in report.faults}
    instead = step.before.clone()
    better_report = game.protocol.play_turn(instead, replies | report.actions | {player: better})
    if instead == after or any(fault.player == player for fault in better_report.faults):
        return ""
    return game.reason(Mistake(player, step, after, Step(step.before, better_report), instead))
