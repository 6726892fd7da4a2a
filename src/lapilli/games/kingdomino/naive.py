"""The naive twin of Kingdomino: a second implementation of the rules, which follows their text literally and is slow.

It shares only the list of tiles with the fast implementation in `rules`. Tests check that both implementations give the
same results, and `lapilli bench` compares their speeds. A territory is a dictionary (x, y) -> (terrain letter, crowns),
with the castle as ("*", 0) in the centre of the grid. Moves are tuples: ("draw", tile), ("put", x, y, rotation),
("discard",), ("pick", tile).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lapilli.games.kingdomino.board import SQUARES

Square = tuple[str, int]
Territory = dict[tuple[int, int], Square]
Move = tuple[Any, ...]

TILES: dict[int, tuple[Square, Square]] = {
    number: ((first[0], int(first[1])), (second[0], int(second[1])))
    for number, (first, second) in enumerate(SQUARES)
    if number
}
STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))


def neighbours(x: int, y: int) -> list[tuple[int, int]]:
    """Returns the coordinates (x, y) of the four squares beside the square at (x, y)."""
    return [(x + dx, y + dy) for dx, dy in STEPS]


def can_put(territory: Territory, tile: tuple[Square, Square], x: int, y: int, rotation: int, extent: int) -> bool:
    """Returns whether a tile may be placed in a territory with this rotation and with its first square at (x, y).

    Both squares must be free, the territory must stay within its extent, and at least one square must touch the castle
    or a square of its own terrain.
    """
    ends = [(x, y), (x + STEPS[rotation][0], y + STEPS[rotation][1])]
    if any(end in territory for end in ends):
        return False
    xs = [place[0] for place in [*territory, *ends]]
    ys = [place[1] for place in [*territory, *ends]]
    if max(xs) - min(xs) + 1 > extent or max(ys) - min(ys) + 1 > extent:
        return False
    for end, (terrain, _) in zip(ends, tile, strict=True):
        for place in neighbours(*end):
            if place in territory and territory[place][0] in ("*", terrain):
                return True
    return False


def placements(territory: Territory, tile: tuple[Square, Square], extent: int, side: int) -> list[tuple[int, int, int]]:
    """Returns every legal (x, y, rotation) of a tile on a grid of `side` by `side` squares.

    `extent` is the greatest width and height of a territory.
    """
    return [
        (x, y, rotation)
        for x in range(side)
        for y in range(side)
        for rotation in range(4)
        if can_put(territory, tile, x, y, rotation, extent)
    ]


def zones(territory: Territory) -> list[tuple[str, int, int]]:
    """Returns (terrain letter, number of squares, number of crowns) of every zone of a territory, sorted."""
    regions = []
    unseen = {place for place, (terrain, _) in territory.items() if terrain != "*"}
    while unseen:
        stack = [unseen.pop()]
        terrain = territory[stack[0]][0]
        size = crowns = 0
        while stack:
            place = stack.pop()
            size += 1
            crowns += territory[place][1]
            for other in neighbours(*place):
                if other in unseen and territory[other][0] == terrain:
                    unseen.remove(other)
                    stack.append(other)
        regions.append((terrain, size, crowns))
    return sorted(regions)


def score(territory: Territory) -> int:
    """Returns the score of a territory: the sum of size times crowns over all zones."""
    return sum(size * crowns for _, size, crowns in zones(territory))


def territory_of(rows: list[str]) -> Territory:
    """Converts a grid in the format of the bot input, as a list of its rows, to a territory."""
    return {
        (x, y): (row[2 * x], int(row[2 * x + 1]))
        for y, row in enumerate(rows)
        for x in range(len(row) // 2)
        if row[2 * x] != "_"
    }


class Draws:
    """The part of java.util.Random that is needed for drawing tiles. It was written from the Java API documentation."""

    def __init__(self, seed: int) -> None:
        self.state = (seed ^ 0x5DEECE66D) % 2**48

    def next31(self) -> int:
        self.state = (self.state * 0x5DEECE66D + 0xB) % 2**48
        return self.state // 2**17

    def below(self, bound: int) -> int:
        if bound & -bound == bound:
            return bound * self.next31() // 2**31
        while True:
            bits = self.next31()
            if bits - bits % bound + bound - 1 < 2**31:
                return bits % bound


@dataclass
class NaiveMatch:
    """A game with its complete state, from the first draw of tiles to the end.

    Attributes:
        players: number of players.
        duel: whether the variant is the duel.
        wood: whether the league is "wood", in which players may always discard a tile.
        seed: seed of the draws; None if the caller draws the tiles.
        middle_kingdom, harmony: whether the house options (optional rules) of these names apply.
        territories: by player.
        dead: the players who have left the game.
        pile: the tiles that are not drawn yet.
        in_play: (tile, owner) for each turn of this round; None for no tile or no owner.
        to_pick: for each new tile, the player who has picked it; None if nobody has.
        round: number of the round, from 1.
        slot: index of the turn within the round, from 0.
        put_done: whether the tile of this turn is placed or discarded, or there is none.
        asks: number of turns that players have ended so far.
    """

    players: int
    duel: bool = False
    wood: bool = False
    seed: int | None = None
    middle_kingdom: bool = False
    harmony: bool = False
    territories: list[Territory] = field(default_factory=list)
    dead: set[int] = field(default_factory=set)
    pile: set[int] = field(default_factory=lambda: set(TILES))
    in_play: list[tuple[int | None, int | None]] = field(default_factory=list)
    to_pick: dict[int, int | None] = field(default_factory=dict)
    round: int = 1
    slot: int = 0
    put_done: bool = True
    asks: int = 0

    def __post_init__(self) -> None:
        self.extent = 7 if self.duel else 5
        self.side = 13 if self.duel else 9
        self.lot = 3 if self.players == 3 else 4
        self.rounds = 7 if self.players == 2 and not self.duel else 13
        centre = self.side // 2
        self.territories = [{(centre, centre): ("*", 0)} for _ in range(self.players)]
        self.in_play = [(None, slot % self.players) for slot in range(self.lot)]
        self.draws = None if self.seed is None else Draws(self.seed)
        self.draw_if_settled()

    # -- legal moves -----------------------------------------------------------------------------------
    def over(self) -> bool:
        return self.round > self.rounds or len(self.dead) == self.players

    def drawing(self) -> bool:
        return not self.over() and self.round < self.rounds and len(self.to_pick) < self.lot

    def current_player(self) -> int:
        owner = self.in_play[self.slot][1]
        assert owner is not None
        return owner

    def tile(self) -> tuple[Square, Square]:
        number = self.in_play[self.slot][0]
        assert number is not None
        return TILES[number]

    def moves(self) -> list[Move]:
        if self.over():
            return []
        if self.drawing():
            return [("draw", tile) for tile in sorted(self.pile)]
        if not self.put_done:
            places = placements(self.territories[self.current_player()], self.tile(), self.extent, self.side)
            puts: list[Move] = [("put", *place) for place in places]
            return [*puts, ("discard",)] if self.wood or not puts else puts
        return [("pick", tile) for tile, taker in sorted(self.to_pick.items()) if taker is None]

    # -- playing moves ---------------------------------------------------------------------------------
    def make(self, move: Move) -> None:
        if move[0] == "draw":
            self.make_draw(move[1])
        elif move[0] == "pick":
            self.to_pick[move[1]] = self.current_player()
            self.end_turn()
        else:
            if move[0] == "put":
                _, x, y, rotation = move
                first, second = self.tile()
                territory = self.territories[self.current_player()]
                territory[x, y] = first
                territory[x + STEPS[rotation][0], y + STEPS[rotation][1]] = second
            self.put_done = True
            if self.round == self.rounds:
                self.end_turn()
        self.draw_if_settled()

    def kill(self) -> None:
        """Removes the player whose turn it is from the game."""
        self.dead.add(self.current_player())
        if self.over():
            self.asks += 1
        else:
            self.end_turn()
            self.draw_if_settled()

    def end_turn(self) -> None:
        self.asks += 1
        self.slot += 1
        self.find_slot()

    def find_slot(self) -> None:
        while self.slot < self.lot and (self.in_play[self.slot][1] is None or self.in_play[self.slot][1] in self.dead):
            self.slot += 1
        if self.slot < self.lot:
            self.put_done = self.round == 1
            return
        self.in_play = sorted(self.to_pick.items())
        self.to_pick = {}
        self.round += 1
        self.slot = 0
        if self.round == self.rounds:
            self.find_slot()

    def draw_if_settled(self) -> None:
        while self.draws is not None and self.drawing():
            self.make_draw(sorted(self.pile)[self.draws.below(len(self.pile))])

    def make_draw(self, tile: int) -> None:
        self.pile.remove(tile)
        self.to_pick[tile] = None
        if len(self.to_pick) == self.lot:
            self.find_slot()

    # -- results ---------------------------------------------------------------------------------------
    def base(self, player: int) -> int:
        """Returns a player's points without tie-break points.

        Points of house options are included only at the end of the game.
        """
        territory = self.territories[player]
        points = score(territory)
        if not self.over():
            return points
        centre = self.side // 2
        xs, ys = [x for x, _ in territory], [y for _, y in territory]
        central = min(xs) + max(xs) == min(ys) + max(ys) == 2 * centre
        if self.middle_kingdom and central and len(territory) > 1:
            points += 10
        if self.harmony and len(territory) == self.extent**2:
            points += 5
        return points

    def size(self, player: int) -> int:
        return len(self.territories[player])

    def crowns(self, player: int) -> int:
        return sum(crowns for _, crowns in self.territories[player].values())

    def scores(self) -> list[int]:
        everybody = range(self.players)
        points = [self.base(player) for player in everybody]
        if not self.over():
            return points
        extra = [0] * self.players
        for player in everybody:
            tied = [other for other in everybody if points[other] == points[player]]
            if len(tied) > 1 and self.size(player) == max(map(self.size, tied)):
                extra[player] += 1
            still = [other for other in tied if self.size(other) == self.size(player)]
            if len(still) > 1 and self.crowns(player) == max(map(self.crowns, still)):
                extra[player] += 1
        return [own + more for own, more in zip(points, extra, strict=True)]

    def ranks(self) -> list[int]:
        keys = [(self.base(player), self.size(player), self.crowns(player)) for player in range(self.players)]
        return [1 + sum(other > own for other in keys) for own in keys]

    # -- bot input -------------------------------------------------------------------------------------
    def turn_input(self, reader: int) -> str:
        order = [(reader + index) % self.players for index in range(self.players)]
        lines = []
        for player in order:
            for y in range(self.side):
                squares = [self.territories[player].get((x, y), ("_", 0)) for x in range(self.side)]
                lines.append("".join(f"{terrain}{crowns}" for terrain, crowns in squares))
        for slot, (tile, owner) in enumerate(self.in_play):
            if tile is None:
                lines.append("-1 _0 _0 -1 0")
            else:
                lines.append(f"{self.tile_text(tile, owner, order)} {1 if slot == self.slot else 0}")
        lines += [self.tile_text(tile, taker, order) for tile, taker in sorted(self.to_pick.items())]
        if self.round == self.rounds:
            lines += ["-1 _0 _0 -1"] * self.lot
        return "\n".join(lines) + "\n"

    def tile_text(self, tile: int, owner: int | None, order: list[int]) -> str:
        (terrain, crowns), (terrain2, crowns2) = TILES[tile]
        return f"{tile} {terrain}{crowns} {terrain2}{crowns2} {-1 if owner is None else order.index(owner)}"
