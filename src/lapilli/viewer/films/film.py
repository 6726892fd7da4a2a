"""Converts a record to a film, which contains all data that a page needs to replay a match.

A film contains the first picture completely, and each later picture as its difference from the picture before. This
module contains no rules of games: the game supplies positions, pictures and texts.
"""

from __future__ import annotations

from typing import Any

from lapilli.core.api import Game, State, Step
from lapilli.match.analysis import Analysis
from lapilli.match.record import Entry, Record
from lapilli.match.results.endings import early_outcome, final_outcome, over
from lapilli.match.results.result_words import result_in_words, told_apart, with_names
from lapilli.players.processes.interpreters import short_names
from lapilli.viewer.films.early_end import pictures, replay_to_end
from lapilli.viewer.films.film_analysis import FilmAnalysis
from lapilli.viewer.films.frames import Frames, common_parts

MAX_TEXT = 20_000
"""Greatest length of a bot's message or stderr output on a page, in characters. The record contains the whole text."""


def film(record: Record, analysis: Analysis | None = None, first_turn: int = 0) -> dict[str, Any]:
    """Converts a record to a film.

    Args:
        record: the record.
        analysis: an analysis of the record, to include in the film; None for none.
        first_turn: number of the turn with which the film begins; 0 for the start of the match. If the match is over
            before this turn, the film shows its last turn.

    Raises:
        RecordError: the record breaks the rules, or the analysis belongs to another match.
    """
    film_analysis = None if analysis is None else FilmAnalysis(record, analysis)
    game = record.load_game()
    entries: dict[int, list[Entry]] = {}
    for entry in record.turns:
        entries.setdefault(entry.turn, []).append(entry)
    asked_before: set[int] = set()
    frames = Frames()
    turns: list[dict[str, Any]] = []
    last = max((entry.turn for entry in record.turns), default=0)
    for state, step, end in replay_to_end(record):
        if (step.report.turn if step else 0) < min(first_turn, last):
            continue
        first = len(frames.drawn)
        for moment in pictures(game, state, step, end):
            frames.add(len(turns), moment)
        recorded = entries.get(step.report.turn, []) if step else []
        turns.append(_turn(game, state, step, recorded, asked_before, (first, len(frames.drawn) - 1)))
        if film_analysis is not None and frames.scene is not None:
            turns[-1]["judged"] = film_analysis.turn(state, step, frames.scene) if step else []
    scene = frames.scene
    assert scene is not None
    names = told_apart(short_names(record.player_names), game.sides)
    for frame in frames.drawn:
        frame["caption"] = with_names(frame["caption"], game.sides, names)
    data = {
        "title": f"{game.title}: {' – '.join(record.player_names)}",
        "players": [
            {"name": name, "side": side}
            for name, side in zip(short_names(record.player_names), game.sides, strict=False)
        ],
        "rules": game.rules_page,
        "outcome": _outcome(record, state, step),
        "cut": _cut_short(record),
        "waiting": _waiting(record, state, asked_before),
        **common_parts(scene),
        "gauge": game.gauge_title,
        "frames": frames.drawn,
        "turns": turns,
    }
    if film_analysis is not None:
        data["analysis"] = film_analysis.summary() | {"values": film_analysis.values(turns)}
    return data


def _turn(
    game: Game, state: State, step: Step | None, recorded: list[Entry], asked_before: set[int], frames: tuple[int, int]
) -> dict[str, Any]:
    """Returns the film's data about one referee turn: inputs and answers of the players, scores, and numbers of frames.

    The start of the match is included in a film as turn 0.

    Args:
        game: the game.
        state: the position after the turn.
        step: the step of the match that led to `state`; None for the start of the match.
        recorded: the record's entries for this turn.
        asked_before: players that were asked on earlier turns. The function adds the players that were asked on this
            turn.
        frames: the turn's part of the film, as the numbers of its first and its last picture.
    """
    inputs: dict[str, str] = {}
    entries = []
    for player in step.before.asked() if step else ():
        assert step is not None
        inputs[str(player)] = game.protocol.input_for(step.before, player, first=player not in asked_before)
        asked_before.add(player)
        entry = next(
            (entry for entry in recorded if entry.player == player), Entry(turn=step.report.turn, player=player)
        )
        entries.append(_entry(entry, step))
    return {
        "turn": step.report.turn if step else 0,
        "event": step.report.event if step else "start",
        "entries": entries,
        "inputs": inputs,
        "scores": list(state.scores()),
        "gauge": list(game.gauge(state) if game.gauge else state.scores()),
        "frames": frames,
    }


def _entry(entry: Entry, step: Step) -> dict[str, Any]:
    """Returns the film's data about one player's answer on a turn.

    Args:
        entry: the record's entry about the player on this turn.
        step: the turn, replayed. It contains texts that the record does not contain.
    """
    report, player = step.report, entry.player
    notes = entry.notes or [text for author, text in report.notes if author == player]
    fault = next((fault for fault in report.faults if fault.player == player), None)
    details = {
        "ms": entry.milliseconds,
        "usage": entry.usage if entry.late else "",
        "message": _beginning(entry.message or report.messages.get(player, "")),
        "stderr": _end(entry.stderr),
        "notes": [_beginning(note) for note in notes],
        "fault": fault.reason if fault else "",
    }
    action = None if entry.action is None else _beginning(entry.action)
    description = "" if action is None else _beginning(step.before.game.tell(step, player))
    return {"player": player, "action": action, "told": description} | {
        key: value for key, value in details.items() if value not in ("", [], None)
    }


def _beginning(text: str) -> str:
    """Shortens a text for a film: of a text longer than MAX_TEXT, returns the beginning and a remark about the rest."""
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}\n… ({len(text):,} characters; the record has all)"


def _end(text: str) -> str:
    """Shortens a text for a film: of a text longer than MAX_TEXT, returns a remark and the end of the text.

    The end is the useful part of stderr output, because the cause of an error is written there.
    """
    return text if len(text) <= MAX_TEXT else f"({len(text):,} characters; the record has all) …\n{text[-MAX_TEXT:]}"


def _cut_short(record: Record) -> str:
    """Returns a sentence that says why a match has no result; empty if the match has a result.

    If a player had not yet answered when the match stopped, the sentence contains the player's time so far.
    """
    outcome = record.outcome
    if outcome is None or outcome.by_rules or outcome.is_early:
        return ""
    late = [f"{entry.milliseconds:.1f} ms, {entry.usage}" for entry in record.turns if entry.pending and entry.usage]
    reasons = "; ".join([*filter(None, [outcome.reason]), *late])
    return f"The record stops before the end: {outcome.termination}{f' ({reasons})' if reasons else ''}."


def _waiting(record: Record, state: State, asked_before: set[int]) -> dict[str, Any] | None:
    """Returns the film's data about the players who had not answered when the match was cut short; None if all had.

    The data are the inputs of these players, and the text that they had written to stderr. `asked_before` are the
    players who were asked on an earlier turn. A player's first input also contains the opening input.
    """
    if over(state) or not state.asked() or (record.outcome is not None and record.outcome.is_early):
        return None
    pending = {entry.player: entry for entry in record.turns if entry.pending}
    protocol = state.game.protocol
    return {
        "turn": state.turn,
        "inputs": {
            str(player): protocol.input_for(state, player, first=player not in asked_before) for player in state.asked()
        },
        "entries": [
            {"player": player, "action": None}
            | {"ms": entry.milliseconds, "usage": entry.usage, "stderr": _end(entry.stderr)}
            for player, entry in sorted(pending.items())
        ],
    }


def _outcome(record: Record, state: State, step: Step | None) -> dict[str, Any] | None:
    """Returns the outcome of a match as a dict of JSON values; None if the match is not over.

    Args:
        record: the record of the match.
        state: the last position.
        step: the last step; None if no turn was played.
    """
    if record.outcome is not None and record.outcome.is_early:
        outcome = early_outcome(record.outcome, state.num_players)
    elif over(state):
        outcome = final_outcome(state, step.report if step else None)
    else:
        return None
    return {
        "scores": list(outcome.scores) if state.game.counts_points else [],
        "ranks": list(outcome.ranks),
        "termination": outcome.termination,
        "words": result_in_words(state.game, outcome, told_apart(short_names(record.player_names), state.game.sides)),
        "culprit": outcome.culprit,
    }
