"""The format of psyleague, which calls a referee with the players, and reads JSON."""

from __future__ import annotations

from typing import Any

from lapilli.arena.interop.attributes import attributes
from lapilli.arena.interop.brutaltester import faulty
from lapilli.match.record import Record


def result(record: Record) -> dict[str, Any] | list[dict[str, Any]]:
    """Returns the JSON data that psyleague reads after a match; an empty list for an abandoned match.

    Psyleague accepts one match or a list of matches. If a bot writes an attribute with the same name as one of the
    referee's own values, the referee's value counts.
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
    own_values = {"seed": record.load_setup().seed, "turns": _turns(record), "termination": outcome.termination}
    return {
        "ranks": [rank - 1 for rank in outcome.ranks],
        "errors": [int(player in at_fault) for player in range(len(outcome.ranks))],
        "test_data": match_data | own_values,
        "player_data": [data | {"score": score} for data, score in zip(player_data, outcome.scores, strict=True)],
    }


def _turns(record: Record) -> int:
    """Returns the number of the last turn in which a player was asked for a reply; 0 if no player was asked."""
    return max((entry.turn for entry in record.turns), default=0)
