"""Record -> film: what a page needs to play a match, as plain data.

A film holds the first picture whole and each later one as its difference to the one before. Shapes are told apart by
their keys. No rules here: positions, pictures and texts come from the game.
"""

from __future__ import annotations

from typing import Any

from lapilli.games.api import Game, State, Step
from lapilli.games.scene import Moment, Scene, Shape
from lapilli.match.record import Entry, Record
from lapilli.match.replay import final_outcome, over, replay

MAX_TEXT = 20_000
"""Characters of one message or stderr text that a page shows; the record keeps all of it."""

Drawn = list[Any]
"""A shape as data: [key, tag, attributes, classes, text, title]."""


def film(record: Record) -> dict[str, Any]:
    """The record as a film.

    Raises:
        RecordError: the rules refute the record.
    """
    game = record.load_game()
    entries: dict[int, list[Entry]] = {}
    for entry in record.turns:
        entries.setdefault(entry.turn, []).append(entry)
    asked_before: set[int] = set()
    frames = _Frames()
    turns: list[dict[str, Any]] = []
    for state, step in replay(record):
        first = len(frames.drawn)
        for moment in game.pictures(state, step):
            frames.add(len(turns), moment)
        recorded = entries.get(step.report.turn, []) if step else []
        turns.append(_turn(game, state, step, recorded, asked_before, (first, len(frames.drawn) - 1)))
    scene = frames.scene
    assert scene is not None
    return {
        "title": f"{game.title}: {' – '.join(record.player_name(p) for p in range(state.num_players))}",
        "players": [
            {"name": record.player_name(player), "side": game.sides[player]} for player in range(state.num_players)
        ],
        "outcome": _outcome(record, state, step),
        "cut": _cut_short(record),
        "width": scene.width,
        "height": scene.height,
        "style": scene.style,
        "defs": scene.defs,
        "links": {key: list(keys) for key, keys in scene.links.items()},
        "globe": {key: [[round(x, 4) for x in point] for point in points] for key, points in scene.globe.items()},
        "gauge": game.gauge_title,
        "frames": frames.drawn,
        "turns": turns,
    }


class _Frames:
    """Collects pictures as differences."""

    def __init__(self) -> None:
        self.drawn: list[dict[str, Any]] = []
        self.scene: Scene | None = None
        self._shapes: dict[str, Shape] = {}

    def add(self, turn: int, moment: Moment) -> None:
        """Appends a picture that belongs to the turn of that number in the film."""
        shapes = {shape.key: shape for shape in moment.scene.shapes}
        frame: dict[str, Any] = {"turn": turn, "caption": moment.caption, "label": moment.scene.label}
        if moment.mark:
            frame["mark"] = moment.mark
        gone = [key for key in self._shapes if key not in shapes]
        kept = [key for key in self._shapes if key in shapes]
        in_place = set(kept) if kept == [key for key in shapes if key in self._shapes] else set()
        if gone:
            frame["gone"] = gone
        changed = [_drawn(shape) for key, shape in shapes.items() if key in in_place and shape != self._shapes[key]]
        if changed:
            frame["changed"] = changed
        placed = _placed(shapes, in_place)
        if placed:
            frame["placed"] = placed
        self.drawn.append(frame)
        self._shapes, self.scene = shapes, moment.scene


def _placed(shapes: dict[str, Shape], in_place: set[str]) -> list[list[Any]]:
    """The shapes that are new or not where they were, last first: [the key each goes before ("" for none), shape]."""
    placed, before = [], ""
    for key, shape in reversed(shapes.items()):
        if key not in in_place:
            placed.append([before, _drawn(shape)])
        before = key
    return placed


def _drawn(shape: Shape) -> Drawn:
    classes = " ".join(shape.classes.split())
    return [shape.key, shape.tag, dict(shape.attributes), classes, shape.text, shape.title]


def _turn(
    game: Game, state: State, step: Step | None, recorded: list[Entry], asked_before: set[int], frames: tuple[int, int]
) -> dict[str, Any]:
    """One referee turn: who was sent what, who answered what, and what came of it. The start is turn 0.

    Args:
        recorded: the record's entries for it.
        asked_before: who was asked on an earlier turn; those asked now are added.
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
    """A player's part in a turn; what a lean record leaves out, the referee tells again."""
    report, player = step.report, entry.player
    notes = entry.notes or [text for whose, text in report.notes if whose == player]
    fault = next((fault for fault in report.faults if fault.player == player), None)
    details = {
        "ms": entry.milliseconds,
        "usage": entry.usage if entry.late else "",
        "message": _cut(entry.message or report.messages.get(player, "")),
        "stderr": _cut(entry.stderr),
        "notes": [_cut(note) for note in notes],
        "fault": fault.reason if fault else "",
    }
    action = None if entry.action is None else _cut(entry.action)
    return {"player": player, "action": action} | {
        key: value for key, value in details.items() if value not in ("", [], None)
    }


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}\n… ({len(text):,} characters; the record has all)"


def _cut_short(record: Record) -> str:
    """Why a match has no result, and what a late answer took of the machine; empty where it has one."""
    outcome = record.outcome
    if outcome is None or outcome.counts:
        return ""
    late = [f"{entry.milliseconds:.1f} ms, {entry.usage}" for entry in record.turns if entry.pending and entry.usage]
    why = "; ".join([*filter(None, [outcome.reason]), *late])
    return f"The record stops before the end: {outcome.termination}{f' ({why})' if why else ''}."


def _outcome(record: Record, state: State, step: Step | None) -> dict[str, Any] | None:
    if not over(state):
        return None
    outcome = final_outcome(state, step.report if step else None)
    return {
        "scores": list(outcome.scores),
        "ranks": list(outcome.ranks),
        "termination": outcome.termination,
        "reason": outcome.reason,
        "culprit": outcome.culprit,
    }
