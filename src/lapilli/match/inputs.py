"""What a player was sent, for its author's debugger."""

from __future__ import annotations

from lapilli.games.errors import RecordError
from lapilli.match.record import Record
from lapilli.match.replay import replay


def inputs(record: Record, player: int) -> list[str]:
    """The texts that `player` was sent, one for each time it was asked; the first begins with the opening input.

    Raises:
        RecordError: the record does not fit the rules, or has no such player.
    """
    game = record.load_game()
    number = record.load_setup().players or game.players[0]
    if not 0 <= player < number:
        raise RecordError(f"no player {player}: the record has players 0 to {number - 1}")
    texts: list[str] = []
    for _, step in replay(record):
        if step is not None and player in step.before.asked():
            opening = "" if texts else game.protocol.opening_input(step.before, player)
            texts.append(opening + game.protocol.turn_input(step.before, player))
    return texts
