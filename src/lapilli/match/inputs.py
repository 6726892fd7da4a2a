"""Recomputes, from a record, the text that was sent to a player during the match. This helps to debug a bot."""

from __future__ import annotations

from lapilli.core.errors import RecordError
from lapilli.match.record import Record
from lapilli.match.replay import replay


def inputs(record: Record, player: int) -> list[str]:
    """Returns the texts that were sent to `player`, one for each turn in which the player was asked.

    The first text begins with the game's opening input. If the match was stopped while the player was asked, the list
    ends with the text that the player has not answered.

    Raises:
        RecordError: the record does not fit the rules, or has no such player.
    """
    game = record.load_game()
    number = record.load_setup().players or game.players[0]
    if not 0 <= player < number:
        raise RecordError(f"no player {player}: the record has players 0 to {number - 1}")
    frames = list(replay(record))
    asked = [step.before for _, step in frames if step is not None and player in step.before.asked()]
    final = frames[-1][0]
    if player in final.asked() and any(entry.pending and entry.player == player for entry in record.turns):
        asked.append(final)
    return [game.protocol.input_for(state, player, first=number == 0) for number, state in enumerate(asked)]
