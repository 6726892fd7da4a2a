"""Rebuilds the inputs that a bot received in a match, from the match's record, so that it can be asked again."""

from __future__ import annotations

from collections.abc import Iterator

from lapilli.match import Clock, Record
from lapilli.match.replay import replay
from lapilli.players.bots.process import BotProcess, Prompt


def prompts(record: Record, player: BotProcess, seat: int, last: int) -> Iterator[tuple[int, Prompt, str]]:
    """Yields the questions that a player was asked in a match, as tuples (turn, question, recorded reply).

    The recorded reply is "" if the player did not reply.

    Args:
        record: the record of the match.
        player: the bot process to which the caller will send the questions.
        seat: number of the player in the match.
        last: number of the last turn whose question is yielded.
    """
    game, clock = record.load_game(), Clock()
    recorded = {entry.turn: entry.reply() for entry in record.turns if entry.player == seat}
    is_first = True
    for _, step in replay(record):
        if step is None or seat not in step.before.asked():
            continue
        turn = step.report.turn
        if turn > last:
            return
        text = game.protocol.input_for(step.before, seat, first=is_first)
        limits = clock.limits(game, is_first)
        lines = game.protocol.reply_lines(step.before, seat)
        is_first = False
        replied = recorded.get(turn)
        yield turn, Prompt(player, text, lines, limits.limit_ms), replied if isinstance(replied, str) else ""
