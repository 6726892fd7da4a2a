"""Facts for pictures and texts: the zones and the headline of a position, and the effects of the last turn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from lapilli.core.picture.words import listed, quantity
from lapilli.core.protocol.protocol import Step
from lapilli.core.state import State
from lapilli.games.kingdomino.board import DISCARD, SQUARES, TERRAIN_NAMES, TERRAINS
from lapilli.games.kingdomino.picture.look import Place
from lapilli.games.kingdomino.rules import territory
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.state.grid import places, zone_masks
from lapilli.games.kingdomino.state.state import KingdominoState


@dataclass(frozen=True)
class Zone:
    """A zone: connected squares of one terrain, each as (column, row), with the total number of their crowns."""

    terrain: int
    squares: frozenset[Place]
    crowns: int

    @property
    def worth(self) -> int:
        return len(self.squares) * self.crowns

    @property
    def product(self) -> str:
        return f"{len(self.squares)} × {self.crowns}"

    @property
    def words(self) -> str:
        """The value of the zone in words: "lake: 4 squares × 3 crowns = 12"."""
        name, size = TERRAIN_NAMES[self.terrain], quantity(len(self.squares), "square")
        return f"{name}: {size} × {quantity(self.crowns, 'crown')} = {self.worth}"


@dataclass(frozen=True)
class Gain:
    """The points that a tile scored when it was placed.

    Attributes:
        points: number of points.
        sum: calculation of the points, such as "4 × 3 − 1". Here 1 is the value that the zone had before.
        words: the calculation in words.
    """

    points: int
    sum: str
    words: str


@dataclass(frozen=True)
class TurnEffects:
    """The effects of one turn.

    Attributes:
        player: the player whose turn it was.
        tile: number of the tile that the player had to place; 0 if there was no such tile.
        places: (column, row) of the tile's first square, then of its second; empty if the tile was not placed.
        picked: number of the tile that was picked; 0 if no tile was picked.
        gain: points that the PUT scored; None without a PUT.
    """

    player: int
    tile: int = 0
    places: tuple[Place, ...] = ()
    picked: int = 0
    gain: Gain | None = None

    @property
    def discarded(self) -> bool:
        return bool(self.tile and not self.places)


def effects_of(state: State, step: Step | None) -> TurnEffects | None:
    """Returns the effects of a player's turn: the tiles that it placed and picked, and the points.

    `step` is the turn, and `state` the position after it. The result is None if `step` is None, at the beginning of a
    match.
    """
    if step is None:
        return None
    own, before = cast(KingdominoState, state), cast(KingdominoState, step.before)
    player = before.current_player()
    tile = before.tile_in_play() if before.record["phase"] == rules.PUT else 0
    put = tuple(place for _, place in sorted(new_squares(own, step)))
    if len(put) == 2 and own.squares(player)[put[0]] != _square(tile, 0):
        put = put[::-1]
    picked = sum(tile for tile, _ in new_picks(own, step))
    return TurnEffects(player, tile, put, picked, _gain(before, own, player, put) if put else None)


def _square(tile: int, half: int) -> tuple[int, int]:
    kind = SQUARES[tile][half]
    return TERRAINS.index(kind[0]), int(kind[1])


def zones_of(state: KingdominoState, player: int) -> list[Zone]:
    """Returns all zones of a player's territory, sorted by their first squares."""
    land, record = state.record["land"][player], state.record
    zones = [
        Zone(terrain, frozenset(places(record, player, mask)), int(territory.crowns(mask, land)))
        for terrain, mask in zone_masks(record, player)
    ]
    return sorted(zones, key=lambda zone: min(zone.squares))


def _gain(before: KingdominoState, after: KingdominoState, player: int, put: tuple[Place, ...]) -> Gain:
    """Returns the points of a PUT with their calculation.

    The calculation has a term for each zone that contains a square of the tile: the zone's value now, minus the values
    of the zones that have become part of it.

    Args:
        before, after: the positions before and after the PUT.
        player: owner of the territory.
        put: the two places of the tile, each as (column, row).
    """
    was = zones_of(before, player)
    terms, words = [], []
    for zone in zones_of(after, player):
        if zone.squares.isdisjoint(put):
            continue
        lost = sum(part.worth for part in was if part.squares <= zone.squares)
        if zone.worth:
            terms += [zone.product + (f" − {lost}" if lost else "")]
        words.append(zone.words + (f", {lost} before" if lost else ""))
    points = int(after.record["score"][player]) - int(before.record["score"][player])
    return Gain(points, " + ".join(terms), "; ".join(words))


def best_gain(state: KingdominoState) -> int | None:
    """Returns the most points that the tile to place in this turn can score; None if there is no such tile or it fits
    nowhere."""
    if state.record["phase"] != rules.PUT:
        return None
    player = state.current_player()
    score = int(state.record["score"][player])
    gains = []
    for action in state.legal_actions():
        if action < DISCARD:
            after = state.clone()
            after.apply_action(action)
            gains.append(int(after.record["score"][player]) - score)
    return max(gains, default=None)


def headline(state: KingdominoState) -> str:
    """Returns a line about the position, such as "Round 3 of 13: Blue picks a tile"; at the end, the result."""
    record, sides = state.record, state.game.sides
    outcome = state.outcome()
    if outcome is not None:
        best = [side for side, rank in zip(sides, outcome.ranks, strict=False) if rank == 1]
        equal = "all" if len(best) == state.num_players else listed(best)
        won = f"{best[0]} wins" if len(best) == 1 else f"{equal} are equal"
        return f"The end: {won}, {' : '.join(map(str, outcome.scores))}"
    where = f"Round {record['this_round']} of {record['rounds']}"
    if record["phase"] == rules.DRAW:
        return f"{where}: tiles are drawn"
    current_player = sides[state.current_player()]
    if record["phase"] == rules.PICK:
        return f"{where}: {current_player} picks a tile"
    return f"{where}: {current_player} puts tile {state.tile_in_play()}"


def reach(state: KingdominoState, player: int) -> tuple[int, int, int, int]:
    """Returns the part of the grid into which a territory can still grow: left column, top row, columns, rows."""
    left, right, top, bottom = state.record["box"][player].tolist()
    extent = state.kind.extent
    centre = extent - 1
    columns, rows = 2 * extent - 1 - (right - left), 2 * extent - 1 - (bottom - top)
    return right - extent + 1 + centre, bottom - extent + 1 + centre, columns, rows


def surroundings(state: KingdominoState, player: int) -> tuple[int, int, int, int]:
    """Returns the part of the grid with the territory and all squares that the next tile can cover: left column, top
    row, columns, rows.

    A tile is two squares long, so the part ends two squares beside the territory, or where the territory cannot grow.
    """
    left, top, columns, rows = reach(state, player)
    box, centre = state.record["box"][player].tolist(), state.kind.extent - 1
    first, last = max(left, box[0] + centre - 2), min(left + columns - 1, box[1] + centre + 2)
    upper, lower = max(top, box[2] + centre - 2), min(top + rows - 1, box[3] + centre + 2)
    return first, upper, last - first + 1, lower - upper + 1


def tell(step: Step, player: int) -> str:
    """Describes a player's turn: "puts tile 42 at 3, 8: +4; picks 17".

    If the reply had no such effects, returns the reply as the bot wrote it. Implements `Game.tell`.
    """
    reply = step.report.actions.get(player, "")
    after, last = _played(step, player)
    deeds = []
    if last.gain is not None:
        deeds.append("puts tile {} at {}, {}: +{}".format(last.tile, *last.places[0], last.gain.points))
    elif last.tile and not cast(KingdominoState, after).fault(player):
        deeds.append(f"discards tile {last.tile}")
    deeds += [f"picks {last.picked}"] * bool(last.picked)
    return "; ".join(deeds) or reply


def brief(step: Step, player: int) -> str:
    """Describes a player's turn in a few signs: "42›3,8–4,8 +4, picks 17", the tile with the columns and rows of its
    two squares, the points, and the tile that was picked.

    Implements `Game.brief`.
    """
    _, last = _played(step, player)
    if last.gain is None:
        return tell(step, player)
    first, second = (f"{column},{row}" for column, row in last.places)
    put = f"{last.tile}›{first}–{second}" + (f" +{last.gain.points}" if last.gain.points else "")
    return put + (f", picks {last.picked}" if last.picked else "")


def _played(step: Step, player: int) -> tuple[State, TurnEffects]:
    """Returns the position after a player's turn, and the turn's effects."""
    after = step.before.clone()
    after.game.protocol.play_turn(after, {player: step.report.actions.get(player, "")})
    last = effects_of(after, step)
    assert last is not None
    return after, last


def new_squares(state: KingdominoState, step: Step | None) -> set[tuple[int, Place]]:
    """Returns the squares that were filled since `step.before`, each as (player, (column, row)); empty without a
    step."""
    if step is None:
        return set()
    before = cast(KingdominoState, step.before)
    return {
        (player, place)
        for player in range(state.num_players)
        for place in set(state.squares(player)) - set(before.squares(player))
    }


def new_picks(state: KingdominoState, step: Step | None) -> set[tuple[int, int]]:
    """Returns the tiles that were picked since `step.before`, each as (tile, player); empty without a step."""
    if step is None:
        return set()
    before = cast(KingdominoState, step.before)
    return _kings(state) - _kings(before)


def _kings(state: KingdominoState) -> set[tuple[int, int]]:
    rows: Iterable[tuple[int, int]] = state.row_in_play() + state.row_to_pick()
    return {(tile, owner) for tile, owner in rows if tile and owner != rules.NOBODY}
