"""Formats a position as lines for a terminal: the headline, both rows of tiles, and the territories side by side."""

from __future__ import annotations

from typing import cast

from lapilli.core.picture.scene import TextLine
from lapilli.core.protocol.protocol import Step
from lapilli.core.state import State
from lapilli.games.kingdomino.board import SQUARES, TERRAIN_NAMES, TERRAINS
from lapilli.games.kingdomino.picture.look import SIDES, Place
from lapilli.games.kingdomino.picture.story import headline, new_picks, new_squares, reach
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.state.grid import Squares
from lapilli.games.kingdomino.state.state import KingdominoState

_PLAYERS = ("bold bright_blue", "bold dark_orange", "bold green", "bold magenta")
_TERRAIN_STYLES = {
    "c": "black on bright_yellow",
    "f": "bright_white on dark_green",
    "g": "black on bright_green",
    "l": "bright_white on blue",
    "w": "black on white",
    "m": "bright_white on grey23",
}


def text(state: State, step: Step | None) -> list[TextLine]:
    """Returns a position as lines: the headline, both rows of tiles, the territories side by side.

    Implements `Game.text`.

    A square is shown as the letter of its terrain and the number of its crowns.
    """
    own = cast(KingdominoState, state)
    new, picked = new_squares(own, step), new_picks(own, step)
    lines: list[TextLine] = [[(headline(own), "bold")], []]
    lines.append(_text_row("in play", own.row_in_play(), picked))
    lines.append(_text_row("to pick", own.row_to_pick(), picked))
    lines.append([])
    width = 2 * own.kind.side
    heads: TextLine = []
    for player in range(own.num_players):
        out = " out" if own.fault(player) else ""
        head = f"{SIDES[player]}: {own.scores()[player]}{out}"
        heads.append((f"{head[:width]:{width + 3}}", _PLAYERS[player]))
    lines.append(heads)
    territories = [own.squares(player) for player in range(own.num_players)]
    for row in range(own.kind.side):
        line: TextLine = []
        for player, squares in enumerate(territories):
            line.extend(_text_square(own, player, squares, (column, row), new) for column in range(own.kind.side))
            line.append(("   ", ""))
        lines.append(line[:-1])
    lines.append([])
    lines.append([("  ".join(f"{t} {name}" for t, name in zip(TERRAINS, TERRAIN_NAMES, strict=True)), "dim")])
    return lines


def _text_row(name: str, row: list[tuple[int, int]], picked: set[tuple[int, int]]) -> TextLine:
    line: TextLine = [(f"{name}  ", "dim")]
    for tile, owner in row:
        if not tile and owner == rules.NOBODY:
            continue
        line.append((f"{tile or '-':>3} ", "bold" if (tile, owner) in picked else ""))
        line.extend((_mark(square[0], int(square[1])), _TERRAIN_STYLES[square[0]]) for square in SQUARES[tile] if tile)
        line.append((" free " if owner == rules.NOBODY else f" P{owner}   ", "" if owner < 0 else _PLAYERS[owner]))
    return line


def _text_square(
    state: KingdominoState, player: int, squares: Squares, place: Place, new: set[tuple[int, Place]]
) -> tuple[str, str]:
    centre = state.kind.side // 2
    if place == (centre, centre):
        return "**", "bold reverse"
    if place in squares:
        terrain, crowns = squares[place]
        letter = TERRAINS[terrain]
        style = _TERRAIN_STYLES[letter]
        return _mark(letter, crowns), f"bold underline {style}" if (player, place) in new else style
    left, top, columns, rows = reach(state, player)
    within = left <= place[0] < left + columns and top <= place[1] < top + rows
    return (" ·", "dim") if within else ("  ", "")


def _mark(terrain: str, crowns: int) -> str:
    return f"{terrain}{crowns or ' '}"
