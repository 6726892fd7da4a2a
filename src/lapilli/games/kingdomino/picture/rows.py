"""Draws the strips beside the board: the tiles of this round and the tiles to pick, with the kings of their owners."""

from __future__ import annotations

from lapilli.core.picture.scene import Point, Scene
from lapilli.core.picture.signs import draw_sign
from lapilli.core.picture.words import quantity
from lapilli.games.kingdomino.board import SQUARES, TERRAIN_NAMES, TERRAINS
from lapilli.games.kingdomino.picture.look import CELL, CROWN, SIDES
from lapilli.games.kingdomino.picture.story import TurnEffects
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.state.state import KingdominoState

_ROWS = (("in-play", "Tiles of this round"), ("to-pick", "Tiles to pick"))
"""Names and titles of the two strips beside the board."""
_STEP, _HEIGHT = 104.0, 90.0
_LEFT, _TOP = 12.0, 30.0
_KING = 15.0


def draw_rows(drawn: Scene, state: KingdominoState, last: TurnEffects | None) -> None:
    """Draws both strips of tiles beside the board.

    Args:
        drawn: the picture.
        state: the position.
        last: the effects of the last turn; None at the beginning of a match.
    """
    width, kings = state.kind.lot * _STEP, _kings(state)
    for line, (name, title) in enumerate(_ROWS[: len(rows_of(state))]):
        with drawn.supply(name, width, _HEIGHT, title):
            for index in range(state.kind.lot):
                x, y = _corner(index)
                drawn.rect(f"slot-{line}-{index}", x + 1, y + 1, 2 * CELL - 2, CELL - 2, "kingdomino-slot")
            (_in_play, _to_pick)[line](drawn, state, last)
            for key, player, at in sorted(kings[line]):
                _king(drawn, key, player, at, "kingdomino-void" if state.fault(player) else "")


def rows_of(state: KingdominoState) -> tuple[str, ...]:
    """Returns the names of the strips that a position has. In the last round there is no strip of tiles to pick."""
    last = state.record["this_round"] == state.record["rounds"]
    return tuple(name for name, _ in _ROWS[: 1 if last else 2])


def draw_tile(drawn: Scene, tile: int, turn: int = 0, more: str = "") -> None:
    """Draws a tile, with the middle of its first square at the origin.

    Args:
        drawn: the picture.
        tile: number of the tile.
        turn: angle, in degrees, by which the caller turns the tile. The drawings on the squares are turned back, so
            that they stay upright.
        more: further CSS classes.
    """
    turned = f" kingdomino-turned-{turn}" if turn else ""
    for half, kind in enumerate(SQUARES[tile]):
        square = f"kingdomino-square kingdomino-{kind}{turned} {more}"
        drawn.rect(str(half), CELL * (half - 0.5), -CELL / 2, CELL, CELL, square)
        if not turn:
            at = CELL * (half - 0.5) + 9, CELL / 2 - 4
            drawn.text(f"{half}-letter", *at, kind[0], "kingdomino-letter lapilli-letter")
    drawn.rect("edge", -CELL / 2, -CELL / 2, 2 * CELL, CELL, f"kingdomino-tile {more}")


def _corner(index: int) -> Point:
    """Returns the upper left corner, in scene units, of the tile with this index in a strip."""
    return _LEFT + index * _STEP, _TOP


def _in_play(drawn: Scene, state: KingdominoState, last: TurnEffects | None) -> None:
    """Draws the strip of the tiles that are still to be placed in this round, with the tile that was discarded last.

    The discarded tile and the tiles of players who have left the game are crossed out.
    """
    done = slots_done(state)
    for index, (tile, owner) in enumerate(state.row_in_play()):
        discarded = last is not None and last.discarded and tile == last.tile
        if tile and (index >= done or discarded) and (discarded or last is None or tile != last.tile):
            whose = "nobody's" if owner == rules.NOBODY else f"{SIDES[owner]}'s"
            lost = discarded or (owner != rules.NOBODY and state.fault(owner) is not None)
            void = "kingdomino-void" if lost or owner == rules.NOBODY else ""
            now = index == int(state.record["slot"]) and state.current_player() >= 0
            _tile(drawn, tile, index, f"{whose}{', discarded' if discarded else ''}", void, now)
            if lost:
                drawn.path(f"cross-{tile}", _cross(index), f"kingdomino-cross{' lapilli-last' * discarded}")
    if state.current_player() >= 0:
        _frame(drawn, "turn", int(state.record["slot"]), "kingdomino-turn", "whose turn it is")


def _to_pick(drawn: Scene, state: KingdominoState, last: TurnEffects | None) -> None:
    """Draws the strip of the tiles to pick, with a frame around the tile that was picked last.

    The tiles of players who have left the game are crossed out.
    """
    for index, (tile, owner) in enumerate(state.row_to_pick()):
        if not tile:
            continue
        lost = owner != rules.NOBODY and state.fault(owner) is not None
        whose = "free" if owner == rules.NOBODY else f"{SIDES[owner]}'s{', who is out' if lost else ''}"
        _tile(drawn, tile, index, whose, "kingdomino-void" if lost else "", False)
        if lost:
            drawn.path(f"cross-{tile}", _cross(index), "kingdomino-cross")
        if last is not None and tile == last.picked:
            _frame(drawn, f"picked-{tile}", index, "kingdomino-new lapilli-last")


def slots_done(state: KingdominoState) -> int:
    """Returns the number of turns of this round whose tile has been placed or discarded."""
    slot = int(state.record["slot"])
    return slot + int(state.record["phase"] == rules.PICK)


def _tile(drawn: Scene, tile: int, index: int, whose: str, void: str, now: bool) -> None:
    x, y = _corner(index)
    title = f"tile {tile}: {' and '.join(map(square_name, SQUARES[tile]))}; {whose}"
    with drawn.piece(f"tile-{tile}", x + CELL / 2, y + CELL / 2, void, title):
        draw_tile(drawn, tile)
    drawn.text(f"number-{tile}", x + CELL, y - 9, str(tile), f"kingdomino-number{' kingdomino-now' * now}")


def square_name(kind: str) -> str:
    """Describes the square `kind`, which is written as in the bot input: "l2" is "lake with 2 crowns"."""
    name, crowns = TERRAIN_NAMES[TERRAINS.index(kind[0])], int(kind[1])
    return f"{name} with {quantity(crowns, 'crown')}" if crowns else name


def _frame(drawn: Scene, key: str, index: int, classes: str, title: str = "") -> None:
    """Draws a frame around the tile with this index in a strip. `key` is the frame's key, `classes` its CSS classes.

    `title` is a text that is shown when somebody points at the frame.
    """
    x, y = _corner(index)
    drawn.rect(key, x - 5, y - 5, 2 * CELL + 10, CELL + 10, classes, title)


def _cross(index: int) -> str:
    x, y = _corner(index)
    return f"M{x:g} {y:g}l{2 * CELL:g} {CELL:g}M{x:g} {y + CELL:g}l{2 * CELL:g} {-CELL:g}"


def _kings(state: KingdominoState) -> tuple[list[tuple[str, int, Point]], list[tuple[str, int, Point]]]:
    """Returns the kings, the pieces that show who has picked a tile, each as (key, player, point).

    The first list is that of the tiles in play, the second that of the tiles to pick. The key contains the player and
    the number of the king among this player's kings. Kings on tiles to pick have the lower numbers.
    """
    slot, numbers = int(state.record["slot"]), [0] * state.num_players
    waiting = [(1, owner, index) for index, (_, owner) in enumerate(state.row_to_pick())]
    waiting += [(0, owner, index) for index, (_, owner) in enumerate(state.row_in_play()) if index >= slot]
    kings: tuple[list[tuple[str, int, Point]], list[tuple[str, int, Point]]] = ([], [])
    for line, player, index in waiting:
        if player != rules.NOBODY:
            x, y = _corner(index)
            kings[line].append((f"king-{player}-{numbers[player]}", player, (x + CELL, y + CELL)))
            numbers[player] += 1
    return kings


def _king(drawn: Scene, key: str, player: int, at: Point, more: str) -> None:
    with drawn.piece(key, *at, more, f"{SIDES[player]}'s king"):
        draw_sign(drawn, "sign", player, 0, 0, _KING, f"kingdomino-king kingdomino-of-{player}")
        drawn.path("crown", CROWN, f"kingdomino-on-{player}")
