"""Draws a position: the territories on the board, and the tiles in play and to pick on strips beside the board.

A square of a territory has the same shape key whether it is empty or filled. A tile on a strip is a piece. The tile
that was placed last is drawn over its squares with the same key as on the strip, so that viewers show it moving from
the strip to the board.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import cast

from lapilli.core.picture.scene import Scene, Shape
from lapilli.core.picture.signs import draw_sign
from lapilli.core.protocol.protocol import Step
from lapilli.core.state import State
from lapilli.games.kingdomino.board import ROTATIONS, TERRAINS
from lapilli.games.kingdomino.picture.layout import Reach, corner, layout, middle, places
from lapilli.games.kingdomino.picture.look import CASTLE, CELL, DEFS, SIDES, STYLE, TURNS, Place, outline
from lapilli.games.kingdomino.picture.plates import panels
from lapilli.games.kingdomino.picture.rows import draw_rows, draw_tile
from lapilli.games.kingdomino.picture.story import TurnEffects, effects_of, headline, reach, surroundings, zones_of
from lapilli.games.kingdomino.state.state import KingdominoState

NAMES = (
    (r"\b(\d+), (\d+)\b", "place-{player}-{1}-{2}"),
    (r"(?<=[›–])(\d+),(\d+)\b", "place-{player}-{1}-{2}"),
    (r"\b(\d+)(?=›)", "tile-{1}"),
    (r"\b(?:[Tt]ile|picks?|number) (\d+)\b", "tile-{1}"),
)
"""Value of `Scene.names`: the patterns by which viewers find names of squares and tiles in texts."""


def scene(state: State, step: Step | None) -> Scene:
    """Draws all territories, the tiles in play, and the tiles to pick, with kings. Implements `Game.scene`."""
    own = cast(KingdominoState, state)
    return picture(own, effects_of(own, step), headline(own), shown_of(own))


def shown_of(state: KingdominoState) -> tuple[Reach, ...]:
    """Returns, for each player, the part of the grid to show: the territory and all squares for the next tile.

    A part is given as left column, top row, number of columns and number of rows.
    """
    return tuple(surroundings(state, player) for player in range(state.num_players))


def picture(state: KingdominoState, last: TurnEffects | None, head: str, shown: tuple[Reach, ...]) -> Scene:
    """Draws a position with marks of the last turn.

    Args:
        state: the position.
        last: the effects of the last turn; None at the beginning of a match.
        head: the headline beside the board.
        shown: by player, the part of the grid to show: at least the territory.
    """
    size, realms = layout(shown)
    score = " : ".join(map(str, state.scores()))
    drawn = Scene(*size, f"Kingdomino. {head}. Points {score}", STYLE, defs=DEFS, names=NAMES)
    drawn.links = links(state.num_players, state.kind.side)
    drawn.panels = panels(state, last, head)
    for player, (grid, realm) in enumerate(zip(shown, realms, strict=True)):
        with drawn.realm(f"realm-{player}", realm):
            _territory(drawn, state, player, grid)
            if last is not None and last.places and last.player == player:
                _last_tile(drawn, last)
            _values(drawn, state, player)
            if last is not None and last.places and last.player == player:
                border = outline(set(last.places))
                drawn.path(f"new-{last.tile}-halo", border, "kingdomino-halo lapilli-last")
                drawn.path(f"new-{last.tile}", border, "kingdomino-new lapilli-last")
            if state.fault(player):
                left, top, columns, rows = grid
                area = (*corner((left, top)), columns * CELL, rows * CELL)
                drawn.rect(f"lost-{player}", *area, "kingdomino-lost")
    draw_rows(drawn, state, last)
    return drawn


@cache
def links(players: int, side: int) -> dict[str, list[str]]:
    """Returns `Scene.links`: when somebody points at a zone, the number of the zone's points is highlighted.

    There is a key for every zone that can occur with so many players and a grid of `side` × `side` squares.
    """
    keys = [_zone_key(player, (x, y)) for player in range(players) for x in range(side) for y in range(side)]
    return {key: [f"{key}-value"] for key in keys}


def _zone_key(player: int, first: Place) -> str:
    return f"zone-{player}-{first[0]}-{first[1]}"


def _territory(drawn: Scene, state: KingdominoState, player: int, grid: Reach) -> None:
    """Draws a territory: the squares, the numbers of columns and rows, the player's sign, and the castle.

    `grid`: the part of the player's grid to show.
    """
    left, top, columns, rows = grid
    (x, y), width, height = corner((left, top)), columns * CELL, rows * CELL
    squares = state.squares(player)
    for place in places(grid):
        drawn.anchors[_place_key(player, place)] = middle(place)
        drawn.shapes.append(_square(drawn.layer, squares.get(place), player, place))
    drawn.shapes += _axes(drawn.layer, player, grid)
    marking = f" kingdomino-mover kingdomino-mover-{player}" if player == state.current_player() else ""
    drawn.rect(f"frame-{player}", x, y, width, height, f"kingdomino-frame{marking}")
    if limit := _limit(grid, reach(state, player)):
        drawn.path(f"limit-{player}", limit, "kingdomino-limit")
    if marking:
        drawn.rect(f"edge-{player}", x - 3, y - 3, width + 6, height + 6, "kingdomino-edge")
    with drawn.piece(f"sign-{player}", x - 11, y - 11, title=SIDES[player]):
        draw_sign(drawn, "sign", player, 0, 0, 8, f"kingdomino-sign lapilli-sign kingdomino-of-{player}")
    centre = state.kind.side // 2, state.kind.side // 2
    with drawn.piece(f"castle-{player}", *middle(centre), title=f"{SIDES[player]}'s castle"):
        drawn.polygon("castle", CASTLE, f"kingdomino-castle kingdomino-of-{player}")


def _limit(shown: Reach, within: Reach) -> str:
    """Returns the sides of the shown part of a grid beyond which the territory cannot grow, as path data; "" for none.

    `within`: the part of the grid into which the territory can grow.
    """
    left, top, columns, rows = (CELL * number for number in shown)
    right, bottom = left + columns, top + rows
    first, upper, across, down = (CELL * number for number in within)
    off = 3.5  # the line lies outside the squares
    lines = (
        (left == first, f"M{left - off:g} {top:g}V{bottom:g}"),
        (right == first + across, f"M{right + off:g} {top:g}V{bottom:g}"),
        (top == upper, f"M{left:g} {top - off:g}H{right:g}"),
        (bottom == upper + down, f"M{left:g} {bottom + off:g}H{right:g}"),
    )
    return "".join(line for is_limit, line in lines if is_limit)


@lru_cache(maxsize=1 << 14)
def _square(realm: str, square: tuple[int, int] | None, player: int, place: Place) -> Shape:
    """Returns the square at `place` (column, row) of a territory. Terrains differ in pattern and colour.

    Args:
        realm: name of the player's realm, the part of the board that shows the player's territory.
        square: terrain and number of crowns; None for an empty square.
        player: the player.
        place: column and row.
    """
    (x, y), drawn = corner(place), Scene(0, 0, "", STYLE, layer=realm)
    if square is None:
        drawn.rect(_place_key(player, place), x, y, CELL, CELL, "kingdomino-place", f"{place[0]}, {place[1]}")
    else:
        classes = f"kingdomino-square kingdomino-{TERRAINS[square[0]]}{square[1]}"
        drawn.rect(_place_key(player, place), x, y, CELL, CELL, classes)
    return drawn.shapes[0]


@cache
def _place_key(player: int, place: Place) -> str:
    return f"place-{player}-{place[0]}-{place[1]}"


@lru_cache(maxsize=1 << 10)
def _axes(realm: str, player: int, grid: Reach) -> list[Shape]:
    """Returns the shapes with the numbers of the columns and rows beside a player's grid.

    `realm` is the name of the player's part of the board. `grid` is the part of the player's grid that is shown: left
    column, top row, number of columns, number of rows.
    """
    left, top, columns, rows = grid
    (x, y), drawn = corner((left, top)), Scene(0, 0, "", STYLE, layer=realm)
    for column in range(left, left + columns):
        at = middle((column, top))[0], y - 8
        drawn.text(f"column-{player}-{column}", *at, str(column), "kingdomino-axis lapilli-label")
    for row in range(top, top + rows):
        at = x - 11, middle((left, row))[1] + 4
        drawn.text(f"row-{player}-{row}", *at, str(row), "kingdomino-axis lapilli-label")
    return drawn.shapes


def _last_tile(drawn: Scene, last: TurnEffects) -> None:
    """Draws the tile that was placed last, over its squares of the territory."""
    (column, row), (end, below) = last.places
    turn = TURNS[ROTATIONS.index((end - column, below - row))]
    title = f"tile {last.tile}, put by {SIDES[last.player]}"
    with drawn.piece(f"tile-{last.tile}", *middle(last.places[0]), "", title, turn=turn):
        draw_tile(drawn, last.tile, turn)


def _values(drawn: Scene, state: KingdominoState, player: int) -> None:
    """Draws the letters of the squares, and the outline of each zone with its points, if there are any.

    Viewers show letters only if they are asked to. The outline's title explains the points. The key of a zone contains
    the zone's first square.
    """
    for place, (terrain, _) in sorted(state.squares(player).items(), key=lambda item: item[0][::-1]):
        drawn.shapes.append(_letter(drawn.layer, player, place, TERRAINS[terrain]))
    for zone in zones_of(state, player):
        key, rich = _zone_key(player, min(zone.squares)), " kingdomino-rich" if zone.crowns else ""
        drawn.path(key, outline(zone.squares), f"kingdomino-zone{rich}", f"{SIDES[player]}'s {zone.words}")
        if zone.crowns:
            row, column = max((row, column) for column, row in zone.squares)
            x, y = corner((column, row))
            drawn.text(f"{key}-value", x + CELL - 4, y + CELL - 5, str(zone.worth), "kingdomino-value")


@lru_cache(maxsize=1 << 13)
def _letter(realm: str, player: int, place: Place, letter: str) -> Shape:
    """Returns a shape that shows the letter of a square's terrain. `place` is the square's column and row.

    `realm` is the name of the player's part of the board.
    """
    (x, y), drawn = corner(place), Scene(0, 0, "", STYLE, layer=realm)
    key = f"letter-{player}-{place[0]}-{place[1]}"
    drawn.text(key, x + 9, y + CELL - 5, letter, "kingdomino-letter lapilli-letter")
    return drawn.shapes[0]
