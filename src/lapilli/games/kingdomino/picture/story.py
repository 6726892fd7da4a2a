"""What a position tells at a glance, and what the step that led there has changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from lapilli.games.kingdomino.board import SQUARES, TERRAINS
from lapilli.games.kingdomino.picture.look import Place
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.state.state import KingdominoState
from lapilli.games.protocol import Step
from lapilli.games.state import State


@dataclass(frozen=True)
class News:
    """What one turn did.

    Attributes:
        player: whose turn it was.
        tile: the number of the tile that was put down or discarded; 0 for none.
        places: (column, row) of both its squares, the first first; empty for a discarded tile.
        picked: the number of the tile that was picked; 0 for none.
    """

    player: int
    tile: int = 0
    places: tuple[Place, ...] = ()
    picked: int = 0

    @property
    def discarded(self) -> bool:
        return bool(self.tile and not self.places)


def news(state: State, step: Step | None) -> News | None:
    """What the step did; None where there is none."""
    if step is None:
        return None
    own, before = cast(KingdominoState, state), cast(KingdominoState, step.before)
    player = before.current_player()
    put = before.record["phase"] == rules.PUT
    tile = before.tile_in_play() if put else 0
    places = tuple(place for _, place in sorted(new_squares(own, step)))
    if len(places) == 2 and own.squares(player)[places[0]] != _square(tile, 0):
        places = places[::-1]
    picked = sum(tile for tile, _ in new_picks(own, step))
    return News(player, tile, places, picked)


def _square(tile: int, half: int) -> tuple[int, int]:
    kind = SQUARES[tile][half]
    return TERRAINS.index(kind[0]), int(kind[1])


def headline(state: KingdominoState) -> str:
    """Where the game stands, in one line: `when: what`."""
    record, sides = state.record, state.game.sides
    outcome = state.outcome()
    if outcome is not None:
        best = [side for side, rank in zip(sides, outcome.ranks, strict=False) if rank == 1]
        equal = "all" if len(best) == state.num_players else f"{', '.join(best[:-1])} and {best[-1]}"
        won = f"{best[0]} wins" if len(best) == 1 else f"{equal} are equal"
        return f"The end: {won}, {' : '.join(map(str, outcome.scores))}"
    where = f"Round {record['this_round']} of {record['rounds']}"
    if record["phase"] == rules.DRAW:
        return f"{where}: tiles are drawn"
    mover = sides[state.current_player()]
    if record["phase"] == rules.PICK:
        return f"{where}: {mover} picks a tile"
    return f"{where}: {mover} puts tile {state.tile_in_play()}"


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
