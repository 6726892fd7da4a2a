"""How a position is drawn: every territory, the tiles in play and to pick. Terrain is letter, pattern and colour.

A square's key is its place in its player's territory. A tile's two halves are keyed by its number as long as it lies in
a row; the tile put down last lies over its squares under these keys too, so that a viewer can let it glide there.
"""

from __future__ import annotations

from functools import cache
from typing import cast

from lapilli.games.kingdomino.board import SQUARES, TERRAIN_NAMES, TERRAINS, TILES
from lapilli.games.kingdomino.picture.layout import Layout, Point, layout
from lapilli.games.kingdomino.picture.look import CASTLE, CELL, DARK, DEFS, STYLE, Place, outline
from lapilli.games.kingdomino.picture.story import News, headline, news, reach
from lapilli.games.kingdomino.rules import territory
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.state.grid import places, zone_masks
from lapilli.games.kingdomino.state.state import KingdominoState
from lapilli.games.protocol import Step
from lapilli.games.scene import Scene
from lapilli.games.state import State

_SMALL = 0.62 * CELL
"""The side of a discarded tile's squares."""
_RANKS = ("", "wins", "2nd", "3rd", "4th")


def scene(state: State, step: Step | None) -> Scene:
    """All territories, the tiles in play, and the tiles to pick with their kings."""
    own = cast(KingdominoState, state)
    return picture(own, news(own, step), headline(own))


def picture(state: KingdominoState, last: News | None, head: str) -> Scene:
    """A position under a headline `when: what`; what the last turn did is marked."""
    plan = layout(state.num_players, state.kind.side)
    drawn = Scene(plan.width, plan.height, head, STYLE, defs=DEFS, links=links(state.num_players, state.kind.side))
    when, _, what = head.partition(": ")
    drawn.text("headline", *plan.heads[0], when, "kingdomino-heading")
    drawn.text("headline-what", *plan.heads[1], what.split(",")[0], "kingdomino-what")
    _legend(drawn, plan)
    for player, corner in enumerate(plan.panels):
        _panel(drawn, state, player, corner)
    _rows(drawn, state, last, plan)
    for player, corner in enumerate(plan.panels):
        _zones(drawn, state, player, corner)
    _kings(drawn, state, plan)
    _marks(drawn, state, last, plan)
    return drawn


@cache
def links(players: int, side: int) -> dict[str, list[str]]:
    """What lights up together: a zone; both halves of a tile."""
    zones: dict[str, list[str]] = {
        _zone_key(player, (x, y)): [] for player in range(players) for x in range(side) for y in range(side)
    }
    halves = {f"tile-{tile}-{half}": [f"tile-{tile}-{1 - half}"] for tile in range(1, TILES + 1) for half in (0, 1)}
    return zones | halves


def _zone_key(player: int, first: Place) -> str:
    return f"player-{player}-zone-{first[0]}-{first[1]}"


def _legend(drawn: Scene, plan: Layout) -> None:
    for letter, name, (x, y) in zip(TERRAINS, TERRAIN_NAMES, plan.legend, strict=True):
        _square(drawn, f"legend-{letter}", f"{letter}0", x, y, _SMALL, name)
        drawn.text(f"legend-{letter}-name", x + _SMALL + 7, y + 19, name, "kingdomino-label")


# ---------------------------------------------------------------------------------------- territories


def _panel(drawn: Scene, state: KingdominoState, player: int, corner: Point) -> None:
    """One territory: heading, axes, what is still within reach, squares, castle."""
    (x, y), side, name = corner, state.kind.side, f"player-{player}"
    _heading(drawn, state, player, corner)
    for n in range(side):
        middle = (n + 0.5) * CELL
        drawn.text(f"{name}-column-{n}", x + middle, y - 5, str(n), "kingdomino-axis lapilli-label")
        drawn.text(f"{name}-row-{n}", x - 9, y + middle + 5, str(n), "kingdomino-axis lapilli-label")
    left, top, columns, rows = reach(state, player)
    area = (x + left * CELL, y + top * CELL, columns * CELL, rows * CELL)
    drawn.rect(f"{name}-reach", *area, "kingdomino-reach", "squares within reach")
    lines = "".join(
        f"M{x:g} {y + n * CELL:g}h{side * CELL:g}M{x + n * CELL:g} {y:g}v{side * CELL:g}" for n in range(1, side)
    )
    drawn.path(f"{name}-grid", lines, "kingdomino-grid")
    mover = f" kingdomino-mover-{player}" if player == state.current_player() else ""
    drawn.rect(f"{name}-card", x, y, side * CELL, side * CELL, f"kingdomino-card{mover}")
    for (column, row), (terrain, crowns) in sorted(state.squares(player).items()):
        key, kind = f"{name}-{column}-{row}", f"{TERRAINS[terrain]}{crowns}"
        _square(drawn, key, kind, x + column * CELL, y + row * CELL)
    centre = side // 2 * CELL
    castle = [(x + centre + dx, y + centre + dy) for dx, dy in CASTLE]
    drawn.polygon(f"{name}-castle", castle, f"kingdomino-castle kingdomino-castle-{player}", "castle")


def _heading(drawn: Scene, state: KingdominoState, player: int, corner: Point) -> None:
    """Who it is, the points, and how it stands."""
    (x, y), name = corner, f"player-{player}"
    _king(drawn, f"{name}-token", player, (x + 15, y - 38))
    points = state.scores()[player]
    drawn.text(f"{name}-points", x + 42, y - 29, f"{points} point{'' if points == 1 else 's'}", "kingdomino-points")
    fault, outcome = state.fault(player), state.outcome()
    status, kind = "", ""
    if fault:
        status, kind = f"out: {fault.value}", " kingdomino-out"
    elif outcome is not None:
        rank = outcome.ranks[player]
        status = "equal" if rank == 1 and outcome.ranks.count(1) > 1 else _RANKS[rank]
        kind = " kingdomino-first" if rank == 1 else ""
    elif player == state.current_player():
        status = "to pick" if state.record["phase"] == rules.PICK else "to put"
    drawn.text(f"{name}-status", x + state.kind.side * CELL, y - 30, status, f"kingdomino-status{kind}")


def _square(
    drawn: Scene, key: str, kind: str, x: float, y: float, size: float = CELL, title: str = "", more: str = ""
) -> None:
    """A square with its letter, without which colours would tell the terrains apart; the rest is its filling."""
    drawn.rect(key, x, y, size, size, f"kingdomino-square kingdomino-{kind} {more}", title)
    dark = "kingdomino-on-dark" if kind[0] in DARK else ""
    drawn.text(f"{key}-letter", x + 2.5, y + size - 4, kind[0], f"kingdomino-letter {dark} {more}")


def _zones(drawn: Scene, state: KingdominoState, player: int, corner: Point) -> None:
    """The outline of each zone, which tells a pointer what it is worth, and its points. Keyed by its first square."""
    (x, y), land = corner, state.record["land"][player]
    regions = [
        (set(places(state.record, player, mask)), mask, terrain) for terrain, mask in zone_masks(state.record, player)
    ]
    for squares, mask, terrain in sorted(regions, key=lambda zone: min(zone[0])):
        size, crowns = len(squares), territory.crowns(mask, land)
        title = f"{TERRAIN_NAMES[terrain]}: {_count(size, 'square')} × {_count(crowns, 'crown')} = {size * crowns}"
        key = _zone_key(player, min(squares))
        rich = " kingdomino-rich" if crowns else ""
        drawn.path(key, outline(squares, x, y), f"kingdomino-zone{rich}", title)
        if crowns:
            row, column = max((row, column) for column, row in squares)
            spot = x + (column + 1) * CELL - 3, y + (row + 1) * CELL - 4
            drawn.text(f"{key}-value", *spot, str(size * crowns), "kingdomino-value")
    if state.fault(player):
        side = state.kind.side * CELL
        drawn.rect(f"player-{player}-lost", x, y, side, side, "kingdomino-lost")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


# ---------------------------------------------------------------------------------------------- rows


def _rows(drawn: Scene, state: KingdominoState, last: News | None, plan: Layout) -> None:
    """Both rows, and then the tile that was put or discarded last.

    Tiles come in an order that lasts as they move on from the one row to the other and out of it: new ones plan lowest,
    the one that flies is on top.
    """
    for line, name in enumerate(("in play", "to pick")):
        drawn.text(f"row-{line}", *plan.labels[line], name, "kingdomino-label")
        for index in range(state.kind.lot):
            x, y = plan.tile(line, index)
            drawn.rect(f"slot-{line}-{index}", x + 2, y + 2, 2 * CELL - 4, CELL - 4, "kingdomino-slot")
    done = _slots_done(state)
    for line, row in ((1, state.row_to_pick()), (0, state.row_in_play())):
        for index, (tile, owner) in reversed(list(enumerate(row))):
            gone = line == 0 and (index < done or (last is not None and tile == last.tile))
            if tile and not gone:
                _tile(drawn, state, tile, owner, plan.tile(line, index), line)
    if last is not None and last.tile:
        _last_tile(drawn, last, plan)


def _slots_done(state: KingdominoState) -> int:
    """How many tiles of the row in play lie there no more."""
    slot = int(state.record["slot"])
    return slot + int(state.record["phase"] == rules.PICK)


def _tile(drawn: Scene, state: KingdominoState, tile: int, owner: int, spot: Point, line: int) -> None:
    (x, y), free = spot, owner == rules.NOBODY
    lost = not free and state.fault(owner) is not None
    whose = ("nobody's" if line == 0 else "free") if free else f"Player {owner}'s{', who is out' if lost else ''}"
    faint = "kingdomino-void" if lost or (free and line == 0) else ""
    for half, kind in enumerate(SQUARES[tile]):
        title = f"tile {tile}: {whose}"
        _square(drawn, f"tile-{tile}-{half}", kind, x + half * CELL, y, title=title, more=faint)
    drawn.text(f"tile-{tile}-number", x - 9, y + 27, str(tile), f"kingdomino-number {faint}")
    if lost:
        drawn.path(f"tile-{tile}-cross", _cross(x, y, CELL), "kingdomino-cross")


def _last_tile(drawn: Scene, last: News, plan: Layout) -> None:
    """Over its squares, or discarded beside its player's heading."""
    x, y = plan.panels[last.player]
    for half, kind in enumerate(SQUARES[last.tile]):
        key = f"tile-{last.tile}-{half}"
        if last.places:
            column, row = last.places[half]
            _square(drawn, key, kind, x + column * CELL, y + row * CELL, more="kingdomino-put")
        else:
            left, top = _bin((x, y))
            _square(drawn, key, kind, left + half * _SMALL, top, _SMALL, f"tile {last.tile}: discarded")
    if last.discarded:
        drawn.path(f"tile-{last.tile}-cross", _cross(*_bin((x, y)), _SMALL), "kingdomino-cross lapilli-last")


def _bin(corner: Point) -> Point:
    """Where a player's discarded tile is shown."""
    return corner[0] + 4.5 * CELL, corner[1] - 50


def _cross(x: float, y: float, size: float) -> str:
    return f"M{x:g} {y:g}l{2 * size:g} {size:g}M{x:g} {y + size:g}l{2 * size:g} {-size:g}"


def _kings(drawn: Scene, state: KingdominoState, plan: Layout) -> None:
    """A king beside each tile that is somebody's. A player's are numbered: first those on tiles to pick."""
    slot = int(state.record["slot"])
    taken = [(owner, plan.king(1, index)) for index, (_, owner) in enumerate(state.row_to_pick())]
    waiting = [(owner, plan.king(0, index)) for index, (_, owner) in enumerate(state.row_in_play()) if index >= slot]
    for player in range(state.num_players):
        spots = [spot for owner, spot in taken + waiting if owner == player]
        for number, spot in enumerate(spots):
            _king(drawn, f"king-{player}-{number}", player, spot, "kingdomino-void" if state.fault(player) else "")


def _king(drawn: Scene, key: str, player: int, spot: Point, more: str = "") -> None:
    (x, y), title = spot, f"Player {player}"
    drawn.circle(key, x, y, 15, f"kingdomino-king kingdomino-king-{player} {more}", title)
    drawn.text(f"{key}-name", x, y + 7, str(player), f"kingdomino-name kingdomino-name-{player} {more}")


def _marks(drawn: Scene, state: KingdominoState, last: News | None, plan: Layout) -> None:
    """Frames: whose tile it is now, and what the last turn put and picked."""
    if state.current_player() >= 0:
        x, y = plan.tile(0, int(state.record["slot"]))
        drawn.rect("turn", x - 4, y - 4, 3 * CELL + 4, CELL + 8, "kingdomino-turn", "whose turn it is")
    if last is None:
        return
    if last.places:
        x, y = plan.panels[last.player]
        drawn.path(f"new-{last.tile}", outline(set(last.places), x, y), "kingdomino-new lapilli-last")
    for line, row in enumerate((state.row_in_play(), state.row_to_pick())):
        for index, (tile, _) in enumerate(row):
            if tile and tile == last.picked:
                x, y = plan.tile(line, index)
                drawn.rect(f"new-tile-{tile}", x, y, 2 * CELL, CELL, "kingdomino-new lapilli-last")
