"""Draws a position: the territories on the board, and the tiles in play and to pick on strips beside the board.

A square of a territory has the same shape key whether it is empty or filled. A tile on a strip is a piece. The tile
that was placed last is drawn over its squares with the same key as on the strip, so that viewers show it moving from
the strip to the board.
"""

from __future__ import annotations

from functools import cache
from typing import cast

from lapilli.core.picture.scene import Scene
from lapilli.core.picture.signs import draw_sign
from lapilli.core.protocol import Step
from lapilli.core.state import State
from lapilli.games.kingdomino.board import ROTATIONS, TERRAINS
from lapilli.games.kingdomino.picture.layout import Layout, Reach, layout
from lapilli.games.kingdomino.picture.look import CASTLE, CELL, DEFS, SIDES, STYLE, TURNS, Place, outline
from lapilli.games.kingdomino.picture.plates import panels
from lapilli.games.kingdomino.picture.rows import draw_rows, draw_tile
from lapilli.games.kingdomino.picture.story import TurnEffects, effects_of, headline, reach, zones_of
from lapilli.games.kingdomino.state.grid import Squares
from lapilli.games.kingdomino.state.state import KingdominoState


def scene(state: State, step: Step | None) -> Scene:
    """Draws all territories, the tiles in play, and the tiles to pick, with kings. Implements `Game.scene`."""
    own = cast(KingdominoState, state)
    return picture(own, effects_of(own, step), headline(own), reaches(own))


def reaches(state: KingdominoState) -> tuple[Reach, ...]:
    """Returns, for each player, the part of the grid into which the player's territory can still grow."""
    return tuple(reach(state, player) for player in range(state.num_players))


def picture(state: KingdominoState, last: TurnEffects | None, head: str, shown: tuple[Reach, ...]) -> Scene:
    """Draws a position with marks of the last turn.

    Args:
        state: the position.
        last: the effects of the last turn; None at the beginning of a match.
        head: the headline beside the board.
        shown: by player, the part of the grid to show: at least all squares into which the territory can still grow.
    """
    plan = layout(shown)
    score = " : ".join(map(str, state.scores()))
    drawn = Scene(plan.width, plan.height, f"Kingdomino. {head}. Points {score}", STYLE, defs=DEFS)
    drawn.links = links(state.num_players, state.kind.side)
    drawn.panels = panels(state, last, head)
    for player in range(state.num_players):
        _territory(drawn, state, player, plan)
    if last is not None and last.places:
        _last_tile(drawn, last, plan)
    with drawn.on("overlay"):
        for player in range(state.num_players):
            _zones(drawn, state, player, plan)
        if last is not None and last.places:
            border = outline(set(last.places), *plan.origin(last.player), plan.cell)
            drawn.path(f"new-{last.tile}-halo", border, "kingdomino-halo lapilli-last")
            drawn.path(f"new-{last.tile}", border, "kingdomino-new lapilli-last")
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


def _territory(drawn: Scene, state: KingdominoState, player: int, plan: Layout) -> None:
    """Draws a territory: the player's sign, the numbers of columns and rows, the squares, and the castle."""
    x, y, width, height = plan.area(player)
    left, top, columns, rows = plan.shown[player]
    with drawn.on("ground"):
        _squares(drawn, state.squares(player), player, plan)
    with drawn.on("marks"):
        for column in range(left, left + columns):
            at = plan.middle(player, (column, top))[0], y - 9
            drawn.text(f"column-{player}-{column}", *at, str(column), "kingdomino-axis lapilli-label")
        for row in range(top, top + rows):
            at = x - 14, plan.middle(player, (left, row))[1] + 5
            drawn.text(f"row-{player}-{row}", *at, str(row), "kingdomino-axis lapilli-label")
        marking = f" kingdomino-mover kingdomino-mover-{player}" if player == state.current_player() else ""
        drawn.rect(f"frame-{player}", x, y, width, height, f"kingdomino-frame{marking}")
        if marking:
            drawn.rect(f"edge-{player}", x - 3, y - 3, width + 6, height + 6, "kingdomino-edge")
    with drawn.piece(f"sign-{player}", x - 15, y - 15, title=SIDES[player]):
        draw_sign(drawn, "sign", player, 0, 0, 11, f"kingdomino-sign kingdomino-of-{player}")
    centre = state.kind.side // 2, state.kind.side // 2
    at, scale = plan.middle(player, centre), plan.cell / CELL
    with drawn.piece(f"castle-{player}", *at, title=f"{SIDES[player]}'s castle", scale=scale):
        drawn.polygon("castle", CASTLE, f"kingdomino-castle kingdomino-of-{player}")
    if state.fault(player):
        with drawn.on("overlay"):
            drawn.rect(f"lost-{player}", x, y, width, height, "kingdomino-lost")


def _squares(drawn: Scene, squares: Squares, player: int, plan: Layout) -> None:
    """Draws every shown square of a territory, empty or filled.

    Terrains differ in pattern and colour. Viewers can show the letters of the terrains in addition.
    """
    cell = plan.cell
    for place in plan.places(player):
        (x, y), key = plan.corner(player, place), f"place-{player}-{place[0]}-{place[1]}"
        drawn.anchors[key] = plan.middle(player, place)
        if place not in squares:
            drawn.rect(key, x, y, cell, cell, "kingdomino-place", f"{place[0]}, {place[1]}")
            continue
        terrain, crowns = squares[place]
        drawn.rect(key, x, y, cell, cell, f"kingdomino-square kingdomino-{TERRAINS[terrain]}{crowns}")
        with drawn.on("overlay"):
            letter = f"letter-{player}-{place[0]}-{place[1]}"
            drawn.text(letter, x + 11, y + cell - 6, TERRAINS[terrain], "kingdomino-letter lapilli-letter")


def _last_tile(drawn: Scene, last: TurnEffects, plan: Layout) -> None:
    """Draws the tile that was placed last, over its squares of the territory."""
    (column, row), (end, below) = last.places
    turn = TURNS[ROTATIONS.index((end - column, below - row))]
    x, y = plan.middle(last.player, last.places[0])
    title = f"tile {last.tile}, put by {SIDES[last.player]}"
    with drawn.piece(f"tile-{last.tile}", x, y, "", title, plan.cell / CELL, turn):
        draw_tile(drawn, last.tile, turn)


def _zones(drawn: Scene, state: KingdominoState, player: int, plan: Layout) -> None:
    """Draws the outline of each zone and, if there are any, the points of the zone.

    The outline's title explains the points. The key of a zone contains the zone's first square.
    """
    for zone in zones_of(state, player):
        key, rich = _zone_key(player, min(zone.squares)), " kingdomino-rich" if zone.crowns else ""
        border = outline(zone.squares, *plan.origin(player), plan.cell)
        drawn.path(key, border, f"kingdomino-zone{rich}", f"{SIDES[player]}'s {zone.words}")
        if zone.crowns:
            row, column = max((row, column) for column, row in zone.squares)
            x, y = plan.corner(player, (column, row))
            drawn.text(f"{key}-value", x + plan.cell - 5, y + plan.cell - 6, str(zone.worth), "kingdomino-value")
