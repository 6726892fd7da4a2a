"""Packs data into a short string for a page: equal values are written only once, and the result is compressed."""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

LEAST = 12
"""A repeated value is replaced by references only if it has at least this length, in characters of JSON."""
SIGN = "~"
"""First character of a reference, which is a string such as "~a7". After this character comes the index of the value in
the table, in base 36. A string of the data that begins with this character gets another one in front, as in "~~a7".
"""


def packed(text: str) -> str:
    """Compresses a text by gzip, and encodes the result in base64.

    In this form, a page can contain a bot's output, and no browser can mistake the output for HTML.
    """
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def with_references(data: Any) -> str:
    """Returns data as JSON `[table, data]`, in which equal strings, lists and objects are written only once.

    A value that occurs several times is stored in the table, and references (see SIGN) replace it. This makes films
    shorter, because equal shapes in a film are further apart than gzip can look back. The table is sorted, so that
    similar values are neighbours.
    """
    return _dumped(_Sharing(data).written())


class _Sharing:
    """Finds the values that occur several times in JSON data, and replaces them by references to a table.

    All values in the data are numbered. Equal values have the same number. The parts of a value have lower numbers than
    the value itself.
    """

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
        """Returns [table, data]. Both may contain references to values in the table."""
        names = dict.fromkeys(self._shared, f"{SIGN}000")
        texts = {number: _dumped(self._plain(self._values[number], names)) for number in self._shared}
        order = sorted(self._shared, key=lambda number: (texts[number], number))
        names = {number: SIGN + _short(index) for index, number in enumerate(order)}
        table = [self._plain(self._values[number], names) for number in order]
        return [table, self._plain(self._values[self._root], names)]

    def _number(self, data: Any) -> int:
        """Returns the number of a value in JSON data. A new value gets the next number, after its parts."""
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
        """Converts a numbered value back to JSON data, with references to the table for parts that occur several times.

        Args:
            value: an entry of `_values`: a value that contains the numbers of its parts instead of the parts.
            names: the reference to each value of the table, by the value's number; None to write placeholders of a
                fixed length.
        """

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
    """Yields the numbers of the direct parts of a value, such as the items of a list.

    `value` is an entry of `_Sharing._values`, which contains the numbers of its parts instead of the parts.
    """
    kind, *parts = value
    if kind is list:
        yield from parts
    elif kind is dict:
        yield from (number for _, number in parts)


def _short(number: int) -> str:
    """Formats a number in base 36."""
    rest = _short(number // 36) if number >= 36 else ""
    return rest + "0123456789abcdefghijklmnopqrstuvwxyz"[number % 36]


def _dumped(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
