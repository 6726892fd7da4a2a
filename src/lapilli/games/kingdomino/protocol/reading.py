"""Converts a bot's input back to positions of Kingdomino.

In the input, the player who receives it is always player 0. The reader infers that player's number in the match from
the order of turns in the first round.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from lapilli.core.game import Game
from lapilli.core.protocol.input_lines import InputLines, Reader, read_position, setup_of
from lapilli.core.reading.text import quoted
from lapilli.core.rules.outcome import Termination
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.games.kingdomino.board import MAX_CROWNS, MAX_PLAYERS, SQUARES, TERRAINS, TILES, VARIANTS, Variant

_MARKS = {f"{terrain}{crowns}": terrain + crowns * "+" for terrain in TERRAINS for crowns in range(MAX_CROWNS + 1)}
_OTHERS = {"*": "*", "_": ""}
_IN, _OUT = "-", Termination.TIMEOUT.value
"""Words for a player's fault in the position notation: `_IN` for no fault, `_OUT` for a fault that the reader does not
know."""


class _Tile(NamedTuple):
    """A tile as a line of the input describes it.

    Attributes:
        number: number of the tile; 0 for no tile.
        owner: owner of the tile, numbered as in the input, where the reader's player is 0; -1 for nobody.
        current: whether the tile is the one to place in this turn.
    """

    number: int
    owner: int
    current: bool = False


class _Place(NamedTuple):
    """The time of a turn within the match.

    Attributes:
        round: number of the round, from 1.
        slot: index of the turn within the round, from 0.
        row: numbers of the tiles in the row in play.
    """

    round: int
    slot: int
    row: tuple[int, ...]


class KingdominoReader(Reader):
    """Converts a bot's input back to positions. It infers the round, the pile, and the players who have left the game.

    The opening input contains the number of players; without an opening input the game is a duel. The league and the
    house options (optional rules) come from the setup. The input does not determine future draws; in the positions
    read, they follow from the setup's seed.

    The inference has limits. If a player leaves in the first round before the reader's first turn, the reader notices
    this only in the next round, and may infer too low a number for its own player. If a player leaves in the last
    round, the reader does not notice. If a match began from a given position, the reader computes the round from the
    territories as if no tile had been discarded. It then assumes that the pile contains all tiles that it has not seen.
    """

    def __init__(self, game: Game, setup: Setup) -> None:
        self._game, self._given = game, setup
        self._setup = setup_of(game, setup)
        self._kind = VARIANTS["duel", 2]
        self._players = 2
        self._player = 0
        self._last: _Place | None = None
        self._seen: set[int] = set()

    def opening(self, lines: InputLines) -> None:
        if len(lines.peek().strip()) == 2 * self._kind.side:
            self._setup = setup_of(self._game, self._given, 2, "duel")
            return
        (self._players,) = lines.numbers("the number of players, or a row of a duel's grid", 1, 2, MAX_PLAYERS)
        self._setup = setup_of(self._game, self._given, self._players, "standard")
        self._kind = VARIANTS["standard", self._players]
        lines.number_of("tiles a round", self._kind.lot, self._kind.lot)

    def turn(self, lines: InputLines) -> tuple[State, int]:
        kind, players = self._kind, self._players
        grids = ["/".join(_row(lines, kind) for _ in range(kind.side)) for _ in range(players)]
        in_play = [self._tile(lines, "1 or 0") for _ in range(kind.lot)]
        to_pick = [self._tile(lines) for _ in range(kind.lot)]
        place = self._place(lines, grids, in_play, to_pick)
        if self._last is None:
            self._player = place.slot % players if place.round == 1 else 0
        self._last = place
        self._seen.update(tile.number for tile in (*in_play, *to_pick))
        if place.round == 1:
            in_play = [_Tile(0, (slot - self._player) % players) for slot in range(kind.lot)]
        notation = self._notation(place, grids, in_play, to_pick)
        return read_position(self._game, self._setup, notation), self._player

    def _tile(self, lines: InputLines, flag: str = "") -> _Tile:
        """Parses the next of the input lines `lines`, which describes a tile.

        If `flag` is not "", the line has a last word, 1 or 0, which tells whether the tile is current. Error messages
        contain `flag` as the description of this word.
        """
        what = f"a tile's number, two squares, its player{' and ' if flag else ''}{flag}"
        words = lines.words(what, 5 if flag else 4)
        number, owner, current = (_small(word) for word in (words[0], words[3], words[4] if flag else "0"))
        if number < 0:
            return _Tile(0, -1)
        if not 1 <= number <= TILES or owner >= self._players or current not in (0, 1):
            lines.refuse(f"{what}, not {quoted(' '.join(words), 40)}")
        if tuple(words[1:3]) != SQUARES[number]:
            lines.refuse(f"tile {number} to have the squares {' '.join(SQUARES[number])}, not {quoted(words[1:3])}")
        return _Tile(number, owner, current == 1)

    def _place(
        self, lines: InputLines, grids: Sequence[str], in_play: Sequence[_Tile], to_pick: Sequence[_Tile]
    ) -> _Place:
        """Returns the time of this turn within the match.

        The time is inferred from the last turn that was read, and from this turn's input: the territories (`grids`, in
        position notation), the tiles in play, and the tiles to pick. `lines` is only used to report an error.
        """
        kind, last, row = self._kind, self._last, tuple(tile.number for tile in in_play)
        if not any(row):
            return _Place(1, last.slot + self._players if last else self._first_slot(to_pick), row)
        slots = [slot for slot, tile in enumerate(in_play) if tile.current]
        if len(slots) != 1 or in_play[slots[0]].owner != 0:
            lines.refuse("one tile in play to be current, and the reader's")
        if not any(tile.number for tile in to_pick):
            return _Place(kind.rounds, slots[0], row)
        number = last.round + (row != last.row) if last else self._inferred_round(grids, in_play[: slots[0]])
        return _Place(min(number, kind.rounds - 1), slots[0], row)

    def _first_slot(self, to_pick: Sequence[_Tile]) -> int:
        """Returns the slot (index of the turn within round 1) of the first turn that the reader sees.

        The slot is inferred from `to_pick`, the tiles to pick with the players who have picked them. A player who has
        already picked more tiles than the reader's player comes earlier in the order of the first round.
        """
        picks = [[tile.owner for tile in to_pick].count(player) for player in range(self._players)]
        seats = [self._players - player for player, number in enumerate(picks) if number > picks[0]]
        return max(seats, default=0) + self._players * picks[0]

    def _inferred_round(self, grids: Sequence[str], before: Sequence[_Tile]) -> int:
        """Returns the number of the round, inferred from the territories as if nobody had discarded a tile.

        Args:
            grids: the territories in position notation, the first one that of the reader's player.
            before: the tiles in play that have already been placed in this round.
        """
        share = self._kind.lot // self._players
        puts = [sum(map(grid.count, TERRAINS)) // 2 for grid in grids]
        earlier = [number - sum(tile.owner == player for tile in before) for player, number in enumerate(puts)]
        return 2 + max(0, max(-(-number // share) for number in earlier))

    def _is_out(self, player: int, place: _Place, in_play: Sequence[_Tile], to_pick: Sequence[_Tile]) -> bool:
        """Returns whether a player has left the game, as far as the tiles show it.

        Either of two facts shows that the player has left. It has picked fewer tiles in this round than it had turns.
        Or it has fewer tiles in the row in play than a player who is still in the game.

        Args:
            player: the player, numbered as in the input, where the reader's player is 0.
            place: the time of this turn.
            in_play: the tiles in play.
            to_pick: the tiles to pick.
        """
        turns = [tile.owner for tile in in_play]
        picks = [tile.owner for tile in to_pick].count(player)
        missed = place.round < self._kind.rounds and picks < turns[: place.slot].count(player)
        return missed or turns.count(player) < self._kind.lot // self._players

    def _notation(self, place: _Place, grids: Sequence[str], in_play: Sequence[_Tile], to_pick: Sequence[_Tile]) -> str:
        """Returns the position notation of a turn. In it, players have their numbers in the match, not those of the
        input.

        Args:
            place: the time of the turn.
            grids: the territories in position notation.
            in_play, to_pick: the tiles in play and the tiles to pick.
        """
        players = self._players
        seats = [(player - self._player) % players for player in range(players)]
        out = [_OUT if seat and self._is_out(seat, place, in_play, to_pick) else _IN for seat in seats]
        last = place.round == self._kind.rounds
        fields = [
            "|".join(grids[seat] for seat in seats),
            self._tiles(in_play),
            "-" if last else self._tiles(to_pick),
            ",".join(str(tile) for tile in range(1, TILES + 1) if tile not in self._seen) or "-",
            place.round,
            place.slot + 1,
            "pick" if place.round == 1 else "put",
            (place.round - 1) * self._kind.lot + place.slot + 1,
            ",".join(out),
            "open",
        ]
        return " ".join(map(str, fields))

    def _tiles(self, row: Sequence[_Tile]) -> str:
        """Returns a row of tiles in position notation."""
        owners = ["-" if tile.owner < 0 else (tile.owner + self._player) % self._players for tile in row]
        return ",".join(f"{tile.number or '-'}:{owner}" for tile, owner in zip(row, owners, strict=True))


def _row(lines: InputLines, kind: Variant) -> str:
    """Parses the next of the input lines `lines`, a line of a grid, and returns it in position notation.

    `kind` has the sizes of this form of the game, and so the width of the grid.
    """
    text = lines.line().strip()
    squares = [text[x : x + 2] for x in range(0, len(text), 2)]
    marks = [_MARKS.get(square, _OTHERS.get(square[:1])) for square in squares]
    if len(text) != 2 * kind.side or None in marks:
        lines.refuse(f"a row of {kind.side} squares such as c0, _0 or *0, not {quoted(text, 40)}")
    runs = ((mark or "", len(list(same))) for mark, same in groupby(marks))
    return "".join(mark * count or str(count) for mark, count in runs)


def _small(word: str) -> int:
    """Converts a word to an integer. Returns 1000 for a word that is no integer of at most three digits."""
    digits = word.removeprefix("-")
    return int(word) if digits.isdecimal() and digits.isascii() and len(digits) <= 3 else 1000
