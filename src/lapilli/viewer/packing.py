"""Packs data into a short string for a page: equal values are written once, and the result is compressed."""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

LEAST = 12
"""Least length, in characters of JSON, of a value that is replaced by references if it occurs several times."""
SIGN = "~"
"""First character of a reference. The rest is the value's index in the table, in base 36. In other strings that begin
with this character, it is doubled.
"""


def packed(text: str) -> str:
    """Compresses a text by gzip and encodes it in base64, so that a bot's output in it cannot be taken for markup."""
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def with_references(data: Any) -> str:
    """Returns data as JSON `[table, data]`, in which equal strings, lists or objects are written only once.

    Values that occur several times are in the table; references, see SIGN, replace them. This helps because equal
    shapes in a film are further apart than gzip can look back. The table is sorted, so that similar values are
    neighbours.
    """
    return _dumped(_Sharing(data).written())


class _Sharing:
    """Finds the values that occur several times in JSON data, and replaces them by references to a table.

    All values are numbered. Equal values have the same number, and a value's parts have lower numbers than the value.
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
        """Returns the table and the data. Values in both may refer to values in the table."""
        names = dict.fromkeys(self._shared, f"{SIGN}000")
        texts = {number: _dumped(self._plain(self._values[number], names)) for number in self._shared}
        order = sorted(self._shared, key=lambda number: (texts[number], number))
        names = {number: SIGN + _short(index) for index, number in enumerate(order)}
        table = [self._plain(self._values[number], names) for number in order]
        return [table, self._plain(self._values[self._root], names)]

    def _number(self, data: Any) -> int:
        """Returns the number of a value. Numbers the value and its parts if they are new."""
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
        """Returns a numbered value as JSON data, with those of its parts that are shared replaced by references.

        Args:
            value: the value, with the numbers of its parts.
            names: reference by number of the shared value; None for placeholders of a fixed length.
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
    """Yields the numbers of a value's direct parts."""
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
