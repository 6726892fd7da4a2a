"""Plain data -> a short text for a page: what occurs again is written once, and all of it is packed."""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

LEAST = 12
"""Signs that a value has, at least, for a reference to be worth its room."""
SIGN = "~"
"""Begins a reference: a text of it and the value's place in the table, to the base 36. A text that
begins with it gets another one."""


def packed(text: str) -> str:
    """A text with gzip, in base64, so that nothing in it, whatever a bot wrote, can be taken for markup."""
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def referred(data: Any) -> str:
    """Data as JSON in which each text, list or object that occurs in several places is written once: `[table, data]`.

    A film's pictures are far apart where the same shapes come again, further than what gzip remembers. The table is
    sorted, so that values which are nearly alike stand side by side.
    """
    return _dumped(_Sharing(data).written())


class _Sharing:
    """Numbers all values, equal ones alike, those within another one before it."""

    def __init__(self, data: Any) -> None:
        self._numbers: dict[Any, int] = {}
        self._values: list[Any] = []
        self._root = self._number(data)
        uses = Counter(number for value in self._values for number in _within(value))
        self._shared: set[int] = set()
        for number, value in enumerate(self._values):
            if uses[number] > 1 and len(_dumped(self._plain(value))) >= LEAST:
                self._shared.add(number)

    def written(self) -> list[Any]:
        """The table, in which values refer to others of it, and the data."""
        names = dict.fromkeys(self._shared, f"{SIGN}000")
        texts = {number: _dumped(self._plain(self._values[number], names)) for number in self._shared}
        order = sorted(self._shared, key=lambda number: (texts[number], number))
        names = {number: SIGN + _short(place) for place, number in enumerate(order)}
        table = [self._plain(self._values[number], names) for number in order]
        return [table, self._plain(self._values[self._root], names)]

    def _number(self, data: Any) -> int:
        """The number of a value; its parts are numbers, too."""
        value: Any = (type(data), data)
        if isinstance(data, list | tuple):
            value = (list, *map(self._number, data))
        elif isinstance(data, dict):
            value = (dict, *((key, self._number(part)) for key, part in data.items()))
        number = self._numbers.setdefault(value, len(self._values))
        if number == len(self._values):
            self._values.append(value)
        return number

    def _plain(self, value: Any, names: dict[int, str] | None = None) -> Any:
        """A value as JSON has it, what is shared by its name."""

        def part(number: int) -> Any:
            if names is None:
                return f"{SIGN}000" if number in self._shared else self._plain(self._values[number])
            return names[number] if number in names else self._plain(self._values[number], names)

        kind, *parts = value
        if kind is list:
            return [part(number) for number in parts]
        if kind is dict:
            return {key: part(number) for key, number in parts}
        (text,) = parts
        return SIGN + text if kind is str and text.startswith(SIGN) else text


def _within(value: Any) -> Iterator[int]:
    kind, *parts = value
    if kind is list:
        yield from parts
    elif kind is dict:
        yield from (number for _, number in parts)


def _short(number: int) -> str:
    """A number to the base 36."""
    rest = _short(number // 36) if number >= 36 else ""
    return rest + "0123456789abcdefghijklmnopqrstuvwxyz"[number % 36]


def _dumped(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
