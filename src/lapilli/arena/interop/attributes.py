"""Attributes that bots write to stderr about themselves or the match, for the tables of external tools.

[TDATA] key = value          value about the match
[PDATA] key = value          value about the player that writes it
[PDATA][12] key = value      value for turn 12; [TDATA][12] is possible, too
[PDATA+] key = number        number that is summed over the match
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isfinite
from typing import NamedTuple

from lapilli.match.record import Record

MAX_TURN = 65_535
"""Maximum turn of an attribute: the tools store it in 16 bits and refuse an answer with a higher one."""
MAX_LINE = 4096
"""Maximum number of characters kept of an unfinished line, since a bot may never end it."""
_LINE = re.compile(r"\s*\[(?:(T)DATA|PDATA(\+?))\](?:\[(\d{1,5})\])?\s*([^\s=\[\]]+)\s*=\s*(\S.*)", re.IGNORECASE)
_Key = tuple[str, int | None, int | None]


class Attribute(NamedTuple):
    """One value that a bot wrote.

    Attributes:
        name: key of the attribute.
        player: number of the player that it is about; None for the match.
        turn: turn that it is about; None for the whole match.
        value: the value as written; for sums, the formatted number.
    """

    name: str
    player: int | None
    turn: int | None
    value: str


def attributes(record: Record) -> list[Attribute]:
    """Returns the attributes that the bots of a match wrote, in the order in which the keys first appeared.

    If a key was written several times, its last value counts.
    """
    told: dict[_Key, str | float] = {}
    for player, line in _lines(record):
        found = _LINE.match(line)
        if found is None:
            continue
        match_data, plus, turn, name, value = found.groups()
        number = int(turn) if turn else None
        if number is not None and number > MAX_TURN:
            continue
        key = name, None if match_data else player, number
        if plus:
            _add(told, key, value)
        else:
            told[key] = value.rstrip()
    return [Attribute(*key, value if isinstance(value, str) else f"{value:.12g}") for key, value in told.items()]


def _lines(record: Record) -> Iterator[tuple[int, str]]:
    """Yields (player, line) for the lines that players wrote to stderr, in the order in which the lines ended.

    A line may be written in pieces, so that it starts in the stderr of one reply and ends in that of a later one.
    """
    begun: dict[int, str] = {}
    for entry in record.turns:
        *lines, rest = (begun.get(entry.player, "") + entry.stderr).split("\n")
        begun[entry.player] = rest[:MAX_LINE]
        for line in lines:
            yield entry.player, line
    yield from begun.items()


def _add(told: dict[_Key, str | float], key: _Key, text: str) -> None:
    """Adds a number to the value of a key; ignores texts that are not numbers, and sums that are not finite."""
    try:
        total = float(told.get(key, 0.0)) + float(text)
    except ValueError:
        return
    if isfinite(total):
        told[key] = total
