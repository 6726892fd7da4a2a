"""Attributes: values that a bot writes to stderr about itself or the match, for the tables of external tools.

[TDATA] key = value          value about the match
[PDATA] key = value          value about the player that writes it
[PDATA][12] key = value      value about turn 12; also [TDATA][12]
[PDATA+] key = number        number; all numbers with this key are summed
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isfinite
from typing import NamedTuple

from lapilli.core.reading.text import shortened
from lapilli.match.record import Record

MAX_TURN = 65_535
"""Largest turn number of an attribute.

External tools store turns in 16 bits, and refuse a result with a higher turn.
"""
MAX_NAMES, MAX_TEXT = 32, 200
"""Largest number of names, and largest number of characters in a name or value, that `whole_match_data` returns."""
MAX_LINE = 4096
"""Largest stored part of an unfinished line, in characters. This limits the memory if a bot never ends a line."""
_LINE = re.compile(r"\s*\[(?:(T)DATA|PDATA(\+?))\](?:\[(\d{1,5})\])?\s*([^\s=\[\]]+)\s*=\s*(\S.*)", re.IGNORECASE)
_Key = tuple[str, int | None, int | None]


class Attribute(NamedTuple):
    """A value that a bot wrote.

    Attributes:
        name: the key.
        player: number of the player to whom the value belongs; None for the match.
        turn: number of the turn to which the value belongs; None for the whole match.
        value: the value as the bot wrote it; for [PDATA+], the sum as text.
    """

    name: str
    player: int | None
    turn: int | None
    value: str


def attributes(record: Record) -> list[Attribute]:
    """Returns the attributes that the bots of a match wrote, in the order in which their keys first appeared.

    If a key was written several times, the last value counts. Attributes of turns after turn MAX_TURN are left out.
    """
    values: dict[_Key, str | float] = {}
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
            _add(values, key, value)
        else:
            values[key] = value.rstrip()
    return [Attribute(*key, value if isinstance(value, str) else f"{value:.12g}") for key, value in values.items()]


def whole_match_data(record: Record) -> tuple[dict[str, str], list[dict[str, str]]]:
    """Returns the values that bots wrote about the whole match. Values about a single turn are left out.

    At most MAX_NAMES values are returned for the match, and as many for each player. Names and values are cut to
    MAX_TEXT characters.

    Returns:
        A tuple: the values about the match, by name; and for each player, the values about the player, by name.
    """
    match_data: dict[str, str] = {}
    player_data: list[dict[str, str]] = [{} for _ in record.players]
    for name, player, turn, value in attributes(record):
        data = match_data if player is None else player_data[player]
        if turn is None and len(data) < MAX_NAMES:
            data[shortened(name, MAX_TEXT)] = shortened(value, MAX_TEXT)
    return match_data, player_data


def _lines(record: Record) -> Iterator[tuple[int, str]]:
    """Yields (player, line) for all lines that players wrote to stderr, in the order in which the lines ended.

    A player may write the beginning of a line during one reply, and its end during a later reply.
    """
    unfinished: dict[int, str] = {}
    for entry in record.turns:
        *lines, rest = (unfinished.get(entry.player, "") + entry.stderr).split("\n")
        unfinished[entry.player] = rest[:MAX_LINE]
        for line in lines:
            yield entry.player, line
    yield from unfinished.items()


def _add(values: dict[_Key, str | float], key: _Key, text: str) -> None:
    """Adds the number in `text` to the sum in `values[key]`, for a line [PDATA+].

    Does nothing if `text` is no number, or the sum would not be finite.
    """
    try:
        total = float(values.get(key, 0.0)) + float(text)
    except ValueError:
        return
    if isfinite(total):
        values[key] = total
