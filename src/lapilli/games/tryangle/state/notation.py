"""Writes and reads the position notation of TryAngle: one line of words "key=value".

    turn=12 score=30,41 out=0,0 nodes=960,298_959,661… edges=0,11_0,13_5,5… units=0,0_1,0… triangles=0.11.13:-1:-1:3_…

Nodes are the positions x,y of the houses. Edges are the paths, as pairs of house numbers; an edge a,a is a path from a
house to itself. Units are the numbers of units of player 0 and of player 1 on each house. A triangle consists of its
corners, its owner now, its owner at the start of the turn (-1 is nobody), and the players that may capture it (1:
player 0, 2: player 1, 3: both, 0: none). A score is the number of points gained, even for a player who was put out.
`out` has a number for each player: the reason why the player was put out, or 0.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from lapilli.core.errors import PositionError
from lapilli.core.reading.numbers import bounded
from lapilli.core.reading.text import quoted
from lapilli.core.rules.fault_codes import CODES
from lapilli.games.tryangle.board import ACTIVE, FAULT, MAX_TURNS
from lapilli.games.tryangle.rules.geometry import table_of
from lapilli.games.tryangle.rules.position import find_open, find_triangles, set_triangle
from lapilli.games.tryangle.state.maps import make_record, read_pairs

_KEYS = ("turn", "score", "out", "nodes", "edges", "units", "triangles")
_MOST_POINTS = 99_999
_MOST_OUT = FAULT + CODES - 1


def paths_of(record: Any) -> list[tuple[int, int]]:
    """Returns all paths of a position as pairs of houses, sorted. In each pair, the lower number comes first.

    Paths from a house to itself are included.
    """
    return list(_paths_in(tuple(record["paths"][: int(record["houses"])].tolist())))


@lru_cache(maxsize=1024)
def _paths_in(neighbours: tuple[int, ...]) -> list[tuple[int, int]]:
    """Returns all paths as sorted pairs of houses, with the lower number first; the results are cached.

    `neighbours` has a bit set of neighbours for each house.
    """
    houses = len(neighbours)
    return [(a, b) for a, mask in enumerate(neighbours) for b in range(a, houses) if mask >> b & 1]


def triangles_of(record: Any) -> list[tuple[int, int, int]]:
    """Returns the corners (house numbers) of all triangles of a position, in the order of the position's list."""
    return [(a, b, c) for a, b, c in record["corners"][: int(record["triangles"])].tolist()]


def owners_of(record: Any, field: str = "own") -> list[int]:
    """Returns each triangle's owner, -1 for nobody, in the order of the position's list.

    With the field "held", the owner when the turn began.
    """
    first, second = (_bits(words) for words in record[field].tolist())
    return [0 if first >> n & 1 else 1 if second >> n & 1 else -1 for n in range(int(record["triangles"]))]


def captors_of(record: Any) -> list[int]:
    """Returns which players may capture each triangle, as a sum: 1 for player 0, 2 for player 1."""
    first, second = (_bits(words) for words in record["may"].tolist())
    return [(first >> n & 1) + 2 * (second >> n & 1) for n in range(int(record["triangles"]))]


def _bits(words: list[int]) -> int:
    """Joins the two words of a set of triangles to one number."""
    return words[0] | words[1] << 64


def write_position(record: Any) -> str:
    """Returns the notation of a position. It does not contain the commands that players have chosen for this turn."""
    houses = int(record["houses"])
    nodes = _pairs(zip(record["x"][:houses].tolist(), record["y"][:houses].tolist(), strict=True))
    units = _pairs(zip(*record["units"][:, :houses].tolist(), strict=True))
    words = (
        f"turn={record['turn']}",
        "score=" + _pairs([record["score"].tolist()]),
        "out=" + _pairs([record["left"].tolist()]),
        f"nodes={nodes}",
        f"edges={_pairs(paths_of(record))}",
        f"units={units}",
        "triangles=" + "_".join(_triangles(record)),
    )
    # The word "over" is needed: the other words do not always show that a game is over.
    return " ".join(words) + (" over" if record["over"] else "")


def _pairs(pairs: Any) -> str:
    return "_".join(f"{a},{b}" for a, b in pairs)


def _triangles(record: Any) -> list[str]:
    columns = owners_of(record), owners_of(record, "held"), captors_of(record)
    return [
        f"{a}.{b}.{c}:{owner}:{start}:{may}"
        for (a, b, c), owner, start, may in zip(triangles_of(record), *columns, strict=True)
    ]


def read_position(text: str) -> Any:
    """Returns the record of the position that a notation describes. The field `league` is not set.

    Raises:
        PositionError: the text describes no valid position.
    """
    words = text.split()
    over = words[-1:] == ["over"]
    if over:
        words.pop()
    parts = [word.split("=", 1) for word in words]
    if [part[0] for part in parts] != list(_KEYS) or any(len(part) != 2 for part in parts):
        raise PositionError(f"position: expected {' '.join(f'{key}=…' for key in _KEYS)} in one line")
    values = {part[0]: part[1] for part in parts}
    houses, paths, units = (read_pairs(key, values[key], PositionError) for key in ("nodes", "edges", "units"))
    record = make_record(houses, paths, units, PositionError)
    record["remaining"] = record["units"]
    record["turn"] = _number("turn", values["turn"], 1, MAX_TURNS)
    record["score"] = _two("score", values["score"], _MOST_POINTS)
    record["left"] = _two("out", values["out"], _MOST_OUT)
    record["done"] = record["left"] != ACTIVE
    if over and record["turn"] < MAX_TURNS and not record["left"].any():
        raise PositionError(f"position: it can be over only on turn {MAX_TURNS} or where out= says who is out")
    record["over"] = over or all(record["left"] != ACTIVE)
    find_open(record, table_of(record))
    find_triangles(record)
    _read_triangles(record, values["triangles"])
    return record


def _number(what: str, text: str, least: int, most: int) -> int:
    number = bounded(text, least, most)
    if number is None:
        raise PositionError(f"position: {what} must be {least} to {most}, not {quoted(text, 30)}")
    return number


def _two(what: str, text: str, most: int) -> tuple[int, int]:
    words = text.split(",")
    if len(words) != 2:
        raise PositionError(f"position: {what} must be two numbers such as 1,2 and not {quoted(text, 30)}")
    return _number(what, words[0], 0, most), _number(what, words[1], 0, most)


_TRIANGLE = re.compile(r"(\d+)\.(\d+)\.(\d+):(-1|0|1):(-1|0|1):([0-3])", re.ASCII)


def _read_triangles(record: Any, text: str) -> None:
    items = text.split("_") if text else []
    corners = triangles_of(record)
    if len(items) != len(corners):
        raise PositionError(f"position: the paths make {len(corners)} triangles, but {len(items)} are given")
    for index, (item, expected) in enumerate(zip(items, corners, strict=True)):
        match = _TRIANGLE.fullmatch(item)
        if not match or match[0].split(":")[0] != ".".join(map(str, expected)):
            shown = ".".join(map(str, expected))
            raise PositionError(
                f"position: expected triangle {shown}:owner:owner at start:flags, not {quoted(item, 30)}"
            )
        owner, start, may = int(match[4]), int(match[5]), int(match[6])
        if owner >= 0 and may != 2 >> owner:
            raise PositionError(
                f"position: triangle {item}: only its owner's opponent may capture it, flags {2 >> owner}"
            )
        set_triangle(record, index, owner, start, may)
