"""Kernels that write the turn input of bots."""

from __future__ import annotations

from typing import Any

from lapilli.games.tryangle.board import ACTIVE, MAX_HOUSES, MAX_TRIANGLES, PATH_LEAGUE
from lapilli.games.tryangle.rules.position import NONE, ONE, bit, captors_of, owner_in
from lapilli.kernels.ascii import BLANK, NEWLINE, put
from lapilli.kernels.kernel import Batch, Position, kernel, lowest

_ROOM = 5  # space for four digits and the character after them
_NUMBER = 12  # space for a 32-bit number, its sign and the character after it
_PAIRS = 3 * MAX_HOUSES + MAX_HOUSES * MAX_HOUSES // 2
TURN_BYTES = _NUMBER * (2 + 3 * MAX_HOUSES + 3 + 6 * MAX_TRIANGLES) + 6 * _PAIRS


@kernel
def put_triangles(p: Position, player: int, out: Any, place: int) -> int:
    """Writes the number of triangles and a line for each triangle, from the point of view of `player`.

    The text begins at the index `place` of `out`. Returns the index after the text.
    """
    place = put(out, place, int(p.triangles), NEWLINE)
    for t in range(int(p.triangles)):
        for k in range(3):
            place = put(out, place, int(p.corners[t, k]), BLANK)
        owner, captors = owner_in(p.own, t), captors_of(p, t)
        place = put(out, place, owner if owner < 0 else owner ^ player, BLANK)
        place = put(out, place, (captors >> player) & 1, BLANK)
        place = put(out, place, (captors >> (1 - player)) & 1, NEWLINE)
    return place


@kernel
def put_pairs(p: Position, joined: Any, out: Any, place: int) -> int:
    """Writes the number of pairs of different houses that are joined, and a line for each pair.

    `joined` has, by house, the set of houses that it is joined with. The text begins at the index `place` of `out`.
    Returns the index after the text.
    """
    number = 0
    start = place
    place += _ROOM  # space for the number, which is known only afterwards
    for a in range(int(p.houses)):
        above = joined[a] & ~((bit(a) << ONE) - ONE)
        while above != NONE:
            place = put(out, put(out, place, a, BLANK), lowest(above), NEWLINE)
            above &= above - ONE
            number += 1
    return close_gap(out, start, _ROOM, number, place)


@kernel
def close_gap(out: Any, start: int, room: int, number: int, end: int) -> int:
    """Writes a number before a text that is already in `out`, and moves the text so that no gap is left between them.

    The number is written at the index `start`, where `room` bytes were reserved. The text begins after them and ends at
    `end`. Returns the new end.
    """
    place = put(out, start, number, NEWLINE)
    for k in range(start + room, end):
        out[place] = out[k]
        place += 1
    return place


@kernel
def write_turn_input(batch: Batch, player: int, out: Any) -> int:
    """Writes the turn input of `player` at the position `batch[0]` into `out`; returns its length in bytes.

    As in the original, player 1 sees a score of -1 if player 0 is out, but player 0 never sees -1 for player 1. Below
    PATH_LEAGUE, no path can be built.
    """
    p = batch[0]
    other = 1 - player
    theirs = -1 if player == 1 and p.left[0] != ACTIVE else int(p.score[other])
    place = put(out, put(out, 0, int(p.score[player]), BLANK), theirs, NEWLINE)
    for h in range(int(p.houses)):
        place = put(out, place, h, BLANK)
        place = put(out, place, int(p.units[player, h]), BLANK)
        place = put(out, place, int(p.units[other, h]), NEWLINE)
    place = put_pairs(p, p.paths, out, place)
    place = put_triangles(p, player, out, place)
    return put_pairs(p, p.open, out, place) if p.league >= PATH_LEAGUE else put(out, place, 0, NEWLINE)
