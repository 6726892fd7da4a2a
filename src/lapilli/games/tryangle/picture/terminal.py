"""Formats a position as lines for a terminal: a map of the houses, and lists of triangles and changed paths."""

from __future__ import annotations

from typing import cast

from lapilli.core.picture.scene import Span, TextLine
from lapilli.core.protocol.protocol import Step
from lapilli.core.state import State
from lapilli.games.tryangle.board import HEIGHT, WIDTH
from lapilli.games.tryangle.picture.look import SIDES
from lapilli.games.tryangle.picture.scene import headline
from lapilli.games.tryangle.state.notation import captors_of, owners_of, paths_of, triangles_of
from lapilli.games.tryangle.state.state import TryAngleState

_COLUMNS, _ROWS = 98, 30
_STYLES = ("bold bright_blue", "bold dark_orange")


def text(state: State, step: Step | None) -> list[TextLine]:
    """Returns lines with the map, and below it lists of triangles and changed paths. Implements `Game.text`.

    On the map, `12:3/1` is house 12 with 3 units of Blue and 1 unit of Orange.
    """
    state = cast(TryAngleState, state)
    lines: list[TextLine] = [[(headline(state), "bold")], *_grid(state)]
    lines += _triangles(state)
    if step:
        before, now = set(paths_of(step.before.record)), set(paths_of(state.record))
        lines += _listing("paths built", "", [f"{a}-{b}" for a, b in sorted(now - before)])
        lines += _listing("paths removed", "", [f"{a}-{b}" for a, b in sorted(before - now)])
        for player, line in sorted(step.report.actions.items()):
            lines += _listing(f"{SIDES[player]} said", _STYLES[player], _printable(line).split(" "))
    return lines


def _grid(state: TryAngleState) -> list[TextLine]:
    rows: list[dict[int, list[Span]]] = [{} for _ in range(_ROWS)]
    record = state.record
    for house in range(int(record["houses"])):
        label = _label(house, int(record["units"][0, house]), int(record["units"][1, house]))
        width = sum(len(part) for part, _ in label)
        column = min(int(record["x"][house]) * _COLUMNS // WIDTH, _COLUMNS - width)
        row = int(record["y"][house]) * _ROWS // HEIGHT
        for place in (*range(row, _ROWS), *range(row)):  # the next free line; on a crowded map a house may be left out
            taken = ((start, sum(len(part) for part, _ in spans)) for start, spans in rows[place].items())
            if all(column + width < start or start + size < column for start, size in taken):
                rows[place][column] = label
                break
    lines = []
    for row_of_labels in rows:
        line, at = cast(TextLine, []), 0
        for column, spans in sorted(row_of_labels.items()):
            line += [(" " * (column - at), ""), *spans]
            at = column + sum(len(part) for part, _ in spans)
        lines.append(line)
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _label(house: int, own: int, other: int) -> list[Span]:
    if not own and not other:
        return [(f"{house}·", "dim")]
    return [(f"{house}:", "dim"), (str(own), _STYLES[0]), ("/", "dim"), (str(other), _STYLES[1])]


def _triangles(state: TryAngleState) -> list[TextLine]:
    record = state.record
    owned: dict[int, list[str]] = {0: [], 1: [], -1: []}
    for corners, owner, captors in zip(triangles_of(record), owners_of(record), captors_of(record), strict=True):
        used = "".join(f"!{player}" for player in (0, 1) if owner < 0 and not captors >> player & 1)
        owned[owner].append("-".join(map(str, corners)) + used)
    lines: list[TextLine] = []
    for owner, who, style in ((0, f"{SIDES[0]} owns", _STYLES[0]), (1, f"{SIDES[1]} owns", _STYLES[1])):
        lines += _listing(who, style, owned[owner])
    return lines + _listing(f"free (!0: {SIDES[0]} may not capture it)", "", owned[-1])


def _listing(head: str, style: str, items: list[str]) -> list[TextLine]:
    """Returns the heading `head` and its items in one or more lines, at most 98 columns wide; no lines without items.

    `style` is the style of all lines.
    """
    if not items:
        return []
    rows = [f"{head}:"]
    for item in items:
        while item:
            room = _COLUMNS - len(rows[-1]) - 1
            if len(item) > room and len(rows[-1]) > 2:
                rows.append(" ")
                room = _COLUMNS - 2
            rows[-1] += " " + item[:room]
            item = item[room:]
    return [[(row, style)] for row in rows]


def _printable(line: str) -> str:
    """Returns a bot's reply, `line`, with unprintable characters replaced by dots, shortened to 600 characters."""
    shown = "".join(sign if sign.isprintable() else "·" for sign in line[:600])
    return shown + ("…" if len(line) > 600 else "")
