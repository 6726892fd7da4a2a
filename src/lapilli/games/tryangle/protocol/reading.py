"""Converts a bot's input back to positions of TryAngle."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lapilli.core.game import Game
from lapilli.core.protocol.input_lines import InputLines, Reader, setup_of
from lapilli.core.reading.numbers import INT32_MAX
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.games.tryangle.board import ACTIVE, HOPELESS, LEAGUES, MAX_HOUSES, MAX_TRIANGLES, MAX_TURNS, WIDTH
from lapilli.games.tryangle.rules.ending import put_out
from lapilli.games.tryangle.rules.geometry import PAIRS, Table, is_free, table_of
from lapilli.games.tryangle.rules.position import NONE, bit, find_open, find_triangles, set_triangle
from lapilli.games.tryangle.state.maps import flip, make_record
from lapilli.games.tryangle.state.state import TryAngleState
from lapilli.kernels.kernel import Batch, kernel

_MOST_PATHS = MAX_HOUSES * (MAX_HOUSES - 1) // 2


@kernel
def build(batch: Batch, table: Table, pairs: Any) -> int:
    """Builds paths in a position that has no paths, and lists the triangles that they form.

    Args:
        batch: the position, as an array of one record.
        table: the table of possible paths on the map (see `rules.geometry`).
        pairs: shape (number of paths, 2): the two houses of each path.

    Returns:
        -1 if all paths were built; otherwise the index of the first path that is impossible or repeated.
    """
    p = batch[0]
    for k in range(len(pairs)):
        a, b = int(pairs[k, 0]), int(pairs[k, 1])
        pair = int(table[PAIRS + a * MAX_HOUSES + b])
        if pair < 0 or p.paths[a] & bit(b) != NONE or not is_free(p.paths, table, pair):
            return k
        flip(p, a, b)
    find_open(p, table)
    find_triangles(p)
    return -1


class TryAngleReader(Reader):
    """Converts a bot's input back to positions of TryAngle.

    The opening input contains the houses, and a turn's input contains units, paths and triangles. The input does not
    name the bot's player, the turn or the league. The reader infers them as follows. The bot is assumed to be player 0
    if its units are further left than the other player's in the first turn, as on all maps generated from a seed. Turns
    are counted from 1. The league comes from the setup. If the setup has no league, the last league is assumed; but if
    the input offers no path although one could be built, the first league is assumed.

    Two facts do not appear in the input: a path from a house to itself, and the owners of triangles before the position
    at which a match began.
    """

    def __init__(self, game: Game, setup: Setup) -> None:
        self._setup = setup_of(game, setup)
        self._game, self._given = game, setup
        self._map = np.zeros(1, TryAngleState.DTYPE)
        self._player = -1
        self._turn = 0

    def opening(self, lines: InputLines) -> None:
        houses = []
        for number in range(lines.number_of("houses", 1, MAX_HOUSES)):
            house, x, y = lines.numbers("a house, its x and y", 3, 0, WIDTH)
            if house != number:
                lines.refuse(f"house {number}, not {house}")
            houses.append((x, y))
        self._map[0] = make_record(houses, [], [(0, 0)] * len(houses))

    def turn(self, lines: InputLines) -> tuple[State, int]:
        array = self._map.copy()
        record, houses = array[0], int(array[0]["houses"])
        scores = lines.numbers("two scores", 2, -1, INT32_MAX)
        units = [self._units(lines, house) for house in range(houses)]
        if self._player < 0:
            self._player = _side(record["x"][:houses], np.array(units))
        player = self._player
        for mine, side in enumerate((player, 1 - player)):
            record["units"][side, :houses] = [pair[mine] for pair in units]
            record["score"][side] = max(0, scores[mine])
        record["remaining"] = record["units"]
        self._turn = record["turn"] = min(self._turn + 1, MAX_TURNS)
        self._read_paths(lines, array)
        self._read_triangles(lines, record)
        self._read_possible_paths(lines, array)
        record["league"] = 1 + LEAGUES.index(self._setup.league or LEAGUES[-1])
        self._judge(record, scores[1] < 0)
        return TryAngleState(self._setup, array), player

    def _units(self, lines: InputLines, house: int) -> list[int]:
        """Reads the line of a house; returns the numbers of units on it: the player's own, then the other player's."""
        number, *units = lines.numbers("a house, own and other units", 3, 0, INT32_MAX)
        if number != house:
            lines.refuse(f"house {house}, not {number}")
        return units

    def _read_paths(self, lines: InputLines, array: Batch) -> None:
        most, last = _MOST_PATHS, int(array[0]["houses"]) - 1
        number = lines.number_of("paths", 0, most)
        pairs = [lines.numbers("the two houses of a path", 2, 0, last) for _ in range(number)]
        wrong = build(array, table_of(array[0]), np.array(pairs, np.int64).reshape(-1, 2))
        if wrong >= 0:
            lines.refuse(f"paths that do not touch, are short enough and differ; {pairs[wrong]} is none")

    def _read_triangles(self, lines: InputLines, record: Any) -> None:
        number = lines.number_of("triangles", 0, MAX_TRIANGLES)
        corners = [tuple(three) for three in record["corners"][: int(record["triangles"])].tolist()]
        flags = {}
        for _ in range(number):
            a, b, c, owner, own, other = lines.numbers("a triangle's corners, owner and who may", 6, -1, MAX_HOUSES)
            if owner > 1 or own not in (0, 1) or other not in (0, 1):
                lines.refuse("-1, 0 or 1 for a triangle's owner, and 0 or 1 for who may capture it")
            flags[tuple(sorted((a, b, c)))] = owner, own, other
        if len(corners) != number or set(corners) != set(flags):
            lines.refuse(f"the {len(corners)} triangles that the paths make")
        for place, three in enumerate(corners):
            owner, own, other = flags[three]
            owner = owner if owner < 0 else owner ^ self._player
            set_triangle(record, place, owner, owner, own << self._player | other << 1 - self._player)

    def _read_possible_paths(self, lines: InputLines, array: Batch) -> None:
        """Reads the list of paths that could be built. `array` is the position that has been read so far, an array of
        one record.

        In all leagues but the last one, the input contains an empty list. So where the list tells the league of the
        match, the league is noted (`_setup`); a list that contradicts the league is refused.
        """
        number = lines.number_of("possible paths", 0, _MOST_PATHS)
        for _ in range(number):
            lines.numbers("the two houses of a possible path", 2, 0, MAX_HOUSES - 1)
        room = bool(array[0]["open"].any())
        if self._turn == 1 and self._given.league is None and room and not number:
            self._setup = setup_of(self._game, replace(self._given, league=LEAGUES[0]))
        if (number > 0) != (room and self._setup.league == LEAGUES[-1]):
            lines.refuse(f"{'no' if number else 'some'} possible paths here, the league being {self._setup.league}")

    def _judge(self, record: Any, is_other_out: bool) -> None:
        """Sets, in `record`, which players are out of the game.

        The reader's own player is not out, since it received input. If the reader's player is player 1, the input shows
        whether player 0 is out (`is_other_out`). If the reader's player is player 0, the rules decide whether player 1
        is out.
        """
        put_out(record, record)
        other = 1 - self._player
        record["left"][self._player] = ACTIVE
        if is_other_out:
            record["left"][other] = record["left"][other] or HOPELESS
        elif other == 0:
            record["left"][other] = ACTIVE
        record["done"] = record["left"] != ACTIVE
        record["over"] = 0


def _side(x: Any, units: Any) -> int:
    """Returns the assumed player of a bot: 0 if its units are further left than the other player's, otherwise 1.

    Args:
        x: x coordinate of each house.
        units: shape (houses, 2): numbers of the bot's units and of the other player's.
    """
    mine, theirs = (np.average(x, weights=column) if column.any() else x.mean() for column in units.T)
    return int(mine > theirs)
