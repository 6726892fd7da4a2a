"""Notes for people who play Kingdomino for the first time. Implements `Game.notes`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from lapilli.core.picture.notes import Note
from lapilli.core.picture.words import plural, quantity
from lapilli.core.state import State
from lapilli.games.kingdomino.board import SQUARES, TERRAIN_NAMES, TERRAINS
from lapilli.games.kingdomino.picture.look import Place
from lapilli.games.kingdomino.picture.story import Zone, zones_of
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.state.state import KingdominoState

_LARGE = 2
"""Smallest number of squares of a zone that is worth a remark."""


def notes(state: State, player: int) -> list[Note]:
    """Returns remarks about the tile to place, the tiles to pick and zones without points, the most urgent first."""
    own = cast(KingdominoState, state)
    zones = sorted(zones_of(own, player), key=lambda zone: -len(zone.squares))
    if own.record["phase"] == rules.PUT:
        return [*_putting(own, player), *_worthless(zones, player), *_full(own, player), *_worth(zones, player)]
    return [*_wanted(own, zones, player), *_picking(own), *_worthless(zones, player)]


def _putting(state: KingdominoState, player: int) -> Iterable[Note]:
    tile = state.tile_in_play()
    if not rules.has_placement(state.record, player):
        text = f"Tile {tile} fits nowhere in your realm, so you have to discard it."
        yield Note("discard", text, (f"tile-{tile}",))
    elif not state.squares(player):
        text = (
            f"Tile {tile} must touch your castle. Later tiles may touch a square of their own terrain instead, so that "
            "zones grow."
        )
        yield Note("castle", text, (f"tile-{tile}",))


def _worthless(zones: list[Zone], player: int) -> Iterable[Note]:
    """Yields a note about the player's largest zone without a crown. `zones` are the zones of the player's
    territory.
    """
    for zone in zones:
        if len(zone.squares) >= _LARGE and not zone.crowns:
            name, size = TERRAIN_NAMES[zone.terrain], quantity(len(zone.squares), "square")
            text = f"Your {name} of {size} scores 0: it has no crown yet. A zone is worth its squares times its crowns."
            yield Note("no-crown", text, _keys(player, zone.squares))
            return


def _full(state: KingdominoState, player: int) -> Iterable[Note]:
    extent = state.kind.extent
    left, right, top, bottom = state.record["box"][player].tolist()
    across, down = right - left + 1, bottom - top + 1
    if extent in (across, down):
        which = "wide" if across == extent else "high"
        text = (
            f"Your realm is {extent} squares {which}, the most that is allowed. Leave no gaps of one square, "
            "because nothing fits there."
        )
        yield Note("full", text)


def _worth(zones: list[Zone], player: int) -> Iterable[Note]:
    best = max(zones, key=lambda zone: zone.worth, default=None)
    if best is not None and best.worth:
        worth = f"{best.words} {plural(best.worth, 'point')}"
        text = f"Your best zone is a {worth}. Each further square of it brings {best.crowns} more."
        yield Note("best", text, _keys(player, best.squares))


def _wanted(state: KingdominoState, zones: list[Zone], player: int) -> Iterable[Note]:
    """Yields a note about a free tile with a crown that suits the player's largest zones.

    `zones` are the zones of the player's territory.
    """
    free = _free(state)
    for zone in zones:
        name = TERRAIN_NAMES[zone.terrain]
        for tile in free:
            crowns = max((int(half[1]) for half in SQUARES[tile] if half[0] == TERRAINS[zone.terrain]), default=0)
            if crowns and len(zone.squares) >= _LARGE:
                size = len(zone.squares)
                points = (size + 1) * (zone.crowns + crowns) - zone.worth
                text = (
                    f"Tile {tile} has a {name} with {quantity(crowns, 'crown')}. Beside your {name} of "
                    f"{quantity(size, 'square')} it brings {quantity(points, 'point')}."
                )
                yield Note("crown", text, (f"tile-{tile}", *_keys(player, zone.squares)))
                return


def _picking(state: KingdominoState) -> Iterable[Note]:
    free = _free(state)
    if len(free) > 1:
        text = (
            f"Whoever takes the lowest tile moves first in the next round. Higher numbers, such as {free[-1]}, have "
            "rarer terrains and more crowns."
        )
        yield Note("order", text, (f"tile-{free[0]}", f"tile-{free[-1]}"))


def _free(state: KingdominoState) -> list[int]:
    """Returns the tiles that nobody has picked, ascending."""
    return [tile for tile, owner in state.row_to_pick() if tile and owner < 0]


def _keys(player: int, squares: Iterable[Place]) -> tuple[str, ...]:
    return tuple(f"place-{player}-{x}-{y}" for x, y in sorted(squares))
