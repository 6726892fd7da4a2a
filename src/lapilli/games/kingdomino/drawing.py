"""How a position is drawn: every territory, the tiles in play and to pick. Terrain is letter, pattern and colour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

from lapilli.games.api import State, Step
from lapilli.games.kingdomino import rules, territory
from lapilli.games.kingdomino.board import SQUARES, TERRAIN_NAMES, TERRAINS
from lapilli.games.kingdomino.grid import Squares, places, zone_masks
from lapilli.games.kingdomino.state import KingdominoState
from lapilli.games.scene import Scene, TextLine

Place = tuple[int, int]

CELL = 20.0
MARGIN = 12.0
GAP = 28.0
ROW_HEIGHT = 34.0
HEAD = 24.0
LABEL = 52.0
TILE_STEP = 76.0

STYLE = """
.kingdomino-heading { font: 600 10px system-ui, sans-serif; fill: var(--ink); }
.kingdomino-label { font: 9px system-ui, sans-serif; fill: var(--muted); }
.kingdomino-number { font: 600 8px system-ui, sans-serif; fill: var(--ink); text-anchor: end; }
.kingdomino-ground { fill: none; stroke: var(--line); stroke-width: .5; }
.kingdomino-reach { fill: var(--line); fill-opacity: .35; stroke: var(--muted); stroke-width: .7;
  stroke-dasharray: 2 2; }
.kingdomino-castle { fill: var(--ink); stroke: var(--paper); stroke-width: 1; stroke-linejoin: round; }
.kingdomino-square { stroke: #0003; stroke-width: .5; }
.kingdomino-letter { font: 600 6px system-ui, sans-serif; fill: #1b1b1b; }
.kingdomino-letter.kingdomino-on-dark { fill: #fff; }
.kingdomino-crown { fill: #ffc83d; stroke: #3a2a00; stroke-width: .45; stroke-linejoin: round; }
.kingdomino-worth { fill: transparent; }
.kingdomino-zone { fill: none; pointer-events: none; stroke: #000; stroke-width: 1.3; stroke-linejoin: round; }
.kingdomino-zone.kingdomino-rich { stroke-width: 2; }
.kingdomino-new, .kingdomino-turn { fill: none; stroke: var(--highlight); stroke-width: 2.5; }
.kingdomino-turn { stroke-dasharray: 4 2; }
.kingdomino-king { stroke: var(--ink); stroke-width: .6; }
.kingdomino-king-0 { fill: var(--player-0); } .kingdomino-king-1 { fill: var(--player-1); }
.kingdomino-king-2 { fill: var(--player-2); } .kingdomino-king-3 { fill: var(--player-3); }
.kingdomino-name { font: 600 9px system-ui, sans-serif; text-anchor: middle; }
.kingdomino-name-0 { fill: var(--on-player-0); } .kingdomino-name-1 { fill: var(--on-player-1); }
.kingdomino-name-2 { fill: var(--on-player-2); } .kingdomino-name-3 { fill: var(--on-player-3); }
""" + "".join(f".kingdomino-{terrain} {{ fill: url(#kingdomino-ground-{terrain}); }}\n" for terrain in TERRAINS)

_GROUNDS = {
    "c": ("#f4d35e", "M5 17.5v-7M10 18v-9M15 17.5v-7M3.5 12.5l1.5-2 1.5 2M8.5 11l1.5-2 1.5 2M13.5 12.5l1.5-2 1.5 2"),
    "f": ("#1f6b45", "M3.5 14.5l3.5-7 3.5 7zM7 14.5v2.5M10.5 16l3.5-7 3.5 7zM14 16v2"),
    "g": ("#b4dd7f", "M3.5 13q1.5-1 2-4q.5 3 2 4M12 11q1.5-1 2-4q.5 3 2 4M8.5 17.5q1.5-1 2-4q.5 3 2 4"),
    "l": ("#4596d6", "M2.5 10.5q2.5-3 5 0t5 0t5 0M2.5 15.5q2.5-3 5 0t5 0t5 0"),
    "w": ("#cbb9a8", "M3 10h3M9 10h3M15 10h2.5M6 13.2h3M12 13.2h3M3 16.5h3M9 16.5h3M15 16.5h2.5"),
    "m": ("#4b4453", "M6 9l3 4-3 4-3-4zM14 9l3 4-3 4-3-4z"),
}
"""Colour, and lines in a cell of 20 units."""
_DARK = "fm"
_LINES = {True: 'stroke="#fff" stroke-opacity=".6"', False: 'stroke="#2a2413" stroke-opacity=".55"'}
_DEFS = "".join(
    f'<pattern id="kingdomino-ground-{terrain}" width="1" height="1"><rect width="{CELL:g}" height="{CELL:g}" '
    f'fill="{colour}"/><path d="{lines}" fill="none" stroke-width=".9" {_LINES[terrain in _DARK]}/></pattern>'
    for terrain, (colour, lines) in _GROUNDS.items()
)
"""What the squares are filled with; a pattern of width 1 starts anew at each square's corner."""
_CROWN = ((0.0, 3.8), (0.0, 0.8), (1.1, 2.0), (2.2, 0.0), (3.3, 2.0), (4.4, 0.8), (4.4, 3.8))
_CROWN_STEP = 4.8
_CASTLE = ((3, 17), (3, 6), (6, 6), (6, 8), (8, 8), (8, 4), (12, 4), (12, 8), (14, 8), (14, 6), (17, 6), (17, 17))


# --------------------------------------------------------------------------------------------- scene


def scene(state: State, step: Step | None) -> Scene:
    """All territories, and above them the tiles in play and the tiles to pick with their kings."""
    own = cast(KingdominoState, state)
    side, number = own.kind.side * CELL, own.num_players
    across = 2 if number in (2, 4) else 3
    down = 2 if number == 4 else 1
    width = max(2 * MARGIN + across * side + (across - 1) * GAP, 2 * MARGIN + LABEL + own.kind.lot * TILE_STEP)
    top = MARGIN + HEAD + 2 * ROW_HEIGHT
    height = top + down * (side + HEAD) + MARGIN
    picture = Scene(width, height, headline(own), STYLE, defs=_DEFS)
    picture.text("headline", MARGIN, MARGIN + 8, headline(own), "kingdomino-heading")
    _rows(picture, own, step)
    new = new_squares(own, step)
    for player in range(number):
        x = MARGIN + player % across * (side + GAP)
        y = top + player // across * (side + HEAD) + HEAD
        _panel(picture, own, player, x, y, new)
    return picture


def headline(state: KingdominoState) -> str:
    """Where the game stands, in one line."""
    record, sides = state.record, state.game.sides
    outcome = state.outcome()
    if outcome is not None:
        best = [side for side, rank in zip(sides, outcome.ranks, strict=False) if rank == 1]
        equal = "all" if len(best) == state.num_players else f"{', '.join(best[:-1])} and {best[-1]}"
        won = f"{best[0]} wins" if len(best) == 1 else f"{equal} are equal"
        return f"The end: {won}, {' : '.join(map(str, outcome.scores))}"
    where = f"Round {record['round']} of {record['rounds']}"
    if record["phase"] == rules.DRAW:
        return f"{where}: tiles are drawn"
    mover = sides[rules.mover(record)]
    if record["phase"] == rules.PICK:
        return f"{where}: {mover} picks a tile"
    return f"{where}: {mover} puts tile {record['play_tile'][record['slot']]}"


def _rows(picture: Scene, state: KingdominoState, step: Step | None) -> None:
    """Both rows of tiles; a tile keeps its key when it moves from the one to the other."""
    new = new_picks(state, step)
    slot = int(state.record["slot"]) if state.record["phase"] == rules.PUT else None
    for line, (name, row) in enumerate((("in play", state.row_in_play()), ("to pick", state.row_to_pick()))):
        y = MARGIN + HEAD + line * ROW_HEIGHT
        picture.text(f"row-{line}", MARGIN, y + 13, name, "kingdomino-label")
        for index, (tile, owner) in enumerate(row):
            x = MARGIN + LABEL + index * TILE_STEP
            if tile:
                _tile(picture, tile, x, y)
                if line == 0 and index == slot:
                    picture.rect("turn", x, y, 2 * CELL, CELL, "kingdomino-turn")
                if (tile, owner) in new:
                    picture.rect(f"new-tile-{tile}", x, y, 2 * CELL, CELL, "kingdomino-new lapilli-last")
            if owner != rules.NOBODY:
                _king(picture, f"king-{line}-{index}", owner, x + 2 * CELL + 9, y + CELL / 2)


def _tile(picture: Scene, tile: int, x: float, y: float) -> None:
    for half, square in enumerate(SQUARES[tile]):
        _square(picture, f"tile-{tile}-{half}", square[0], int(square[1]), x + half * CELL, y)
    picture.text(f"tile-{tile}-number", x - 3, y + 13, str(tile), "kingdomino-number")


def _king(picture: Scene, key: str, player: int, x: float, y: float) -> None:
    picture.circle(key, x, y, 6.5, f"kingdomino-king kingdomino-king-{player}", f"Player {player}")
    picture.text(f"{key}-name", x, y + 3.2, str(player), f"kingdomino-name kingdomino-name-{player}")


def _panel(
    picture: Scene, state: KingdominoState, player: int, x: float, y: float, new: set[tuple[int, Place]]
) -> None:
    """One territory: the grid, what is still within reach, squares, zones, castle, score."""
    side, name = state.kind.side, f"player-{player}"
    _king(picture, f"{name}-king", player, x + 7, y - 10)
    fault = state.fault(player)
    out = f" (out: {fault.value})" if fault else ""
    points = f"{state.scores()[player]} points{out}"
    picture.text(f"{name}-points", x + 18, y - 6.5, points, "kingdomino-heading")
    picture.rect(f"{name}-ground", x, y, side * CELL, side * CELL, "kingdomino-ground")
    left, top, columns, rows = reach(state, player)
    area = (x + left * CELL, y + top * CELL, columns * CELL, rows * CELL)
    picture.rect(f"{name}-reach", *area, "kingdomino-reach", "squares within reach")
    for (column, row), (terrain, crowns) in sorted(state.squares(player).items()):
        key = f"{name}-{column}-{row}"
        _square(picture, key, TERRAINS[terrain], crowns, x + column * CELL, y + row * CELL)
    centre = side // 2 * CELL
    castle = [(x + centre + dx, y + centre + dy) for dx, dy in _CASTLE]
    picture.polygon(f"{name}-castle", castle, "kingdomino-castle", "castle")
    _zones(picture, state, player, x, y)
    for owner, (column, row) in sorted(new):
        if owner == player:
            spot = (x + column * CELL, y + row * CELL, CELL, CELL)
            picture.rect(f"{name}-new-{column}-{row}", *spot, "kingdomino-new lapilli-last")


def _square(picture: Scene, key: str, terrain: str, crowns: int, x: float, y: float) -> None:
    picture.rect(key, x, y, CELL, CELL, f"kingdomino-square kingdomino-{terrain}")
    dark = " kingdomino-on-dark" if terrain in _DARK else ""
    picture.text(f"{key}-letter", x + 1, y + 7.6, terrain, f"kingdomino-letter lapilli-label{dark}")
    for crown in range(crowns):
        left = x + CELL - 0.6 - _CROWN_STEP * (crowns - crown)
        points = [(left + dx, y + 1.2 + dy) for dx, dy in _CROWN]
        picture.polygon(f"{key}-crown-{crown}", points, "kingdomino-crown")


def _zones(picture: Scene, state: KingdominoState, player: int, x: float, y: float) -> None:
    """The outline of each zone; what it is worth is told to a pointer. Its key is its first square's."""
    land = state.record["land"][player]
    for terrain, mask in zone_masks(state.record, player):
        squares = set(places(state.record, player, mask))
        crowns = territory.crowns(mask, land)
        size = len(squares)
        title = f"{TERRAIN_NAMES[terrain]}: {_count(size, 'square')} × {_count(crowns, 'crown')} = {size * crowns}"
        column, row = min(squares)
        outline = "".join(
            f"M{x + x1 * CELL:g} {y + y1 * CELL:g}L{x + x2 * CELL:g} {y + y2 * CELL:g}"
            for (x1, y1), (x2, y2) in sorted(_edges(squares))
        )
        rich = " kingdomino-rich" if crowns else ""
        cells = "".join(f"M{x + c * CELL:g} {y + r * CELL:g}h{CELL:g}v{CELL:g}h-{CELL:g}z" for c, r in sorted(squares))
        picture.path(f"player-{player}-worth-{column}-{row}", cells, "kingdomino-worth", title)
        picture.path(f"player-{player}-zone-{column}-{row}", outline, f"kingdomino-zone{rich}")


def _edges(squares: set[Place]) -> Iterator[tuple[Place, Place]]:
    """The sides of squares that no two of them share."""
    for x, y in squares:
        if (x, y - 1) not in squares:
            yield (x, y), (x + 1, y)
        if (x, y + 1) not in squares:
            yield (x, y + 1), (x + 1, y + 1)
        if (x - 1, y) not in squares:
            yield (x, y), (x, y + 1)
        if (x + 1, y) not in squares:
            yield (x + 1, y), (x + 1, y + 1)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


# ---------------------------------------------------------------------------------------- what is new


def reach(state: KingdominoState, player: int) -> tuple[int, int, int, int]:
    """The squares that the territory may still grow into: left column, top row, columns, rows."""
    left, right, top, bottom = state.record["box"][player].tolist()
    extent = state.kind.extent
    centre = extent - 1
    columns, rows = 2 * extent - 1 - (right - left), 2 * extent - 1 - (bottom - top)
    return right - extent + 1 + centre, bottom - extent + 1 + centre, columns, rows


def new_squares(state: KingdominoState, step: Step | None) -> set[tuple[int, Place]]:
    """(player, place) of the squares that the step put down."""
    if step is None:
        return set()
    before = cast(KingdominoState, step.before)
    return {
        (player, place)
        for player in range(state.num_players)
        for place in set(state.squares(player)) - set(before.squares(player))
    }


def new_picks(state: KingdominoState, step: Step | None) -> set[tuple[int, int]]:
    """(tile, taker) of the tiles that the step picked."""
    if step is None:
        return set()
    before = cast(KingdominoState, step.before)
    return _kings(state) - _kings(before)


def _kings(state: KingdominoState) -> set[tuple[int, int]]:
    rows: Iterable[tuple[int, int]] = state.row_in_play() + state.row_to_pick()
    return {(tile, owner) for tile, owner in rows if tile and owner != rules.NOBODY}


# ------------------------------------------------------------------------------------------ terminal

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
    """Headline, both rows of tiles, and the territories side by side. A square is its letter and its crowns."""
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
        head = f"Player {player}: {own.scores()[player]}{out}"
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
