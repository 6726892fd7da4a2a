"""Formats a position as lines for a terminal: the net of tiles with their levels."""

from __future__ import annotations

from typing import cast

from lapilli.core.picture.scene import Span, TextLine
from lapilli.core.protocol.protocol import Step
from lapilli.core.state import State
from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import NAMES, SIDES, TILES
from lapilli.games.volcanoes.geometry import CENTRES, ROW
from lapilli.games.volcanoes.picture.words import played
from lapilli.games.volcanoes.state import VolcanoesState


def headline(state: VolcanoesState) -> str:
    """Returns a line that says whose turn it is, or how the game ended."""
    outcome = state.outcome()
    if outcome is not None:
        return outcome.reason
    now = rules.side(state.record)
    return f"Turn {state.turn}: {f'{SIDES[now]} to move' if now >= 0 else 'growth'}"


def _winning_tiles(state: VolcanoesState) -> list[int]:
    return sorted({*state.path(0), *state.path(1)}) if state.is_terminal() else []


def text(state: State, step: Step | None) -> list[TextLine]:
    """Returns a position as lines of 80 columns: the net of tiles with their levels. Implements `Game.text`.

    `B3` is a blue volcano on level 3, `O4` an orange volcano on level 4 (asleep). `<>` around a tile marks the last
    move, `**` the tiles of a winning chain.
    """
    state = cast(VolcanoesState, state)
    tile = played(step)
    marks = dict.fromkeys(_winning_tiles(state), "**") | ({} if tile is None else {tile: "<>"})
    lines: list[TextLine] = [[(headline(state), "bold")], []]
    for row in range(6):
        # The right edge of the net adjoins the left edge, so tiles beyond column 80 are written at the left.
        columns = {tile: _column(tile) for tile in range(TILES) if int(CENTRES[tile][1] / ROW) == row}
        names: TextLine = []
        levels: TextLine = []
        column = 0
        for tile in sorted(columns, key=columns.__getitem__):
            gap = " " * (columns[tile] - column)
            column += len(gap) + 4
            names.append((f"{gap}{NAMES[tile]} ", "dim"))
            levels += [(gap, ""), _level_span(state.level(tile), marks.get(tile, "  "))]
        lines += [names, levels]
    return lines


def _column(tile: int) -> int:
    return (round(CENTRES[tile][0] * 8) - 4) % 80


def _level_span(level: int, marks: str) -> Span:
    shown = f"B{level}" if level > 0 else f"O{-level}" if level < 0 else "··"
    style = "bold bright_blue" if level > 0 else "bold dark_orange" if level < 0 else "dim"
    return f"{marks[0]}{shown}{marks[1]}", style if marks == "  " else f"{style} reverse"
