"""The summary of a match as one JSON object, which scripts can read."""

from __future__ import annotations

from typing import Any

from lapilli.match.match import Match


def summary(played: Match) -> dict[str, Any]:
    """Returns the object that `lapilli match --json` prints: players, outcome, faults and times.

    Scores and ranks are null if the match was interrupted or abandoned. `faults` lists the recorded faults of all
    players. If the match was interrupted, each player whose answer was still missing has a fault, too. The `fault` of a
    player is the kind of the player's last fault. (With three or four players, the game continues after one player has
    left it.) `played` is the match, after its end.
    """
    outcome = played.record.outcome
    assert outcome is not None, "the match is still going on"
    return {
        "game": played.game.name,
        "variant": played.setup.variant,
        "league": played.setup.league,
        "seed": played.setup.seed,
        "players": [_player(played, number) for number in range(len(played.record.players))],
        "termination": outcome.termination,
        "reason": outcome.reason,
        "culprit": outcome.culprit,
        "faults": [
            {
                "turn": entry.turn,
                "player": entry.player,
                "termination": entry.fault.termination,
                "reason": entry.fault.reason,
                "stderr": played.record.last_words(entry.player),
                "milliseconds": entry.milliseconds,
                "cpu_ms": entry.cpu_ms,
                "waited_ms": entry.waited_ms,
            }
            for entry in played.record.turns
            if entry.fault and entry.fault.termination.is_fault
        ],
        "turns": played.turns_played,
    }


def _player(played: Match, number: int) -> dict[str, Any]:
    outcome = played.record.outcome
    assert outcome is not None
    entries = [entry for entry in played.record.turns if entry.player == number]
    faults = [entry.fault.termination for entry in entries if entry.fault and entry.fault.termination.is_fault]
    times = [entry.milliseconds or 0.0 for entry in entries]
    processor = [entry.cpu_ms for entry in entries if entry.cpu_ms is not None]
    waited = [entry.waited_ms for entry in entries if entry.waited_ms is not None]
    return {
        "name": played.record.players[number].name,
        "side": played.game.sides[number],
        "score": outcome.scores[number] if outcome.scores else None,
        "rank": outcome.ranks[number] if outcome.ranks else None,
        "fault": faults[-1] if faults else None,
        "timing": {
            "turns": len(times),
            "mean_ms": round(sum(times) / len(times), 3) if times else 0.0,
            "worst_ms": max(times, default=0.0),
            "mean_cpu_ms": round(sum(processor) / len(processor), 3) if processor else None,
            "worst_waited_ms": max(waited, default=None),
        },
    }
