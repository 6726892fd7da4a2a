"""psyleague: calls a referee with the players only, and reads JSON."""

from __future__ import annotations

from typing import Any

from lapilli.arena.interop.attributes import attributes
from lapilli.arena.interop.brutaltester import faulty
from lapilli.match.record import Record


def result(record: Record) -> dict[str, Any] | list[dict[str, Any]]:
    """Returns the JSON data about a match. The referee's own values override those that bots write under the same key.

    The tool also accepts a list of matches and sums them up. So the result for an abandoned match is an empty list.
    """
    outcome = record.outcome
    assert outcome is not None
    if outcome.ranks is None or outcome.scores is None:
        return []
    at_fault = faulty(record)
    match_data: dict[str, Any] = {}
    player_data: list[dict[str, Any]] = [{} for _ in outcome.ranks]
    for name, player, turn, value in attributes(record):
        if turn is None:
            (match_data if player is None else player_data[player])[name] = value
    known = {"seed": record.load_setup().seed, "turns": _turns(record), "termination": outcome.termination}
    return {
        "ranks": [rank - 1 for rank in outcome.ranks],
        "errors": [int(player in at_fault) for player in range(len(outcome.ranks))],
        "test_data": match_data | known,
        "player_data": [data | {"score": score} for data, score in zip(player_data, outcome.scores, strict=True)],
    }


def _turns(record: Record) -> int:
    """Returns the last turn on which a player was asked; 0 if there was none."""
    return max((entry.turn for entry in record.turns), default=0)
