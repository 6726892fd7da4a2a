"""What bots tell about themselves on stderr, for the tables of the tools that ran them.

[TDATA] key = value          about the match
[PDATA] key = value          about the player who writes it
[PDATA][12] key = value      the same, of one turn; [TDATA][12] as well
[PDATA+] key = number        added up over the match
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isfinite
from typing import NamedTuple

from lapilli.match.record import Record

MAX_TURN = 65_535
"""The highest turn that a line may name: who reads these keeps it in 16 bits, and takes no answer with a higher one."""
MAX_LINE = 4096
"""Characters of a line that comes in pieces: a bot may never end one."""
_LINE = re.compile(r"\s*\[(?:(T)DATA|PDATA(\+?))\](?:\[(\d{1,5})\])?\s*([^\s=\[\]]+)\s*=\s*(\S.*)", re.IGNORECASE)
_Key = tuple[str, int | None, int | None]


class Attribute(NamedTuple):
    """One value that a bot told.

    Attributes:
        name: its key. player: whom it is about; None for the match. turn: of which turn; None for the whole match.
        value: as it stood there; of a sum, the number.
    """

    name: str
    player: int | None
    turn: int | None
    value: str


def attributes(record: Record) -> list[Attribute]:
    """All that the bots of a match told, in the order in which the keys first came; the last value of a key stands."""
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
    """What players wrote to stderr, line by line, in the order in which the lines ended. One that was written in pieces
    may have begun with the answer before."""
    begun: dict[int, str] = {}
    for entry in record.turns:
        *lines, rest = (begun.get(entry.player, "") + entry.stderr).split("\n")
        begun[entry.player] = rest[:MAX_LINE]
        for line in lines:
            yield entry.player, line
    yield from begun.items()


def _add(told: dict[_Key, str | float], key: _Key, text: str) -> None:
    """Adds a number to what stands there; what is no number, or leaves their range, changes nothing."""
    try:
        total = float(told.get(key, 0.0)) + float(text)
    except ValueError:
        return
    if isfinite(total):
        told[key] = total
