"""How much of a file is read: text comes in pieces, unpacked as it goes, and what is too long is refused.

A packed file may hold a thousand times what it takes on disk, and a line need not end. So nothing is read whole before
it is known to be short enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Protocol

from lapilli.core.errors import RecordError

MAX_RECORD = 64 << 20
"""Bytes that a record may take as text. The longest that bots can make of a match, with a line as long as they may
write for every reply, is shorter."""
MAX_TEXT = 4 << 30
"""Bytes of text that a file may hold, unpacked."""
MAX_VALUES = 500_000
"""Values that a record may hold, however short their text is: each needs some hundred bytes of memory."""
_CHUNK = 1 << 16
_BLANKS = b" \t\r\n"
"""What may stand around a JSON text."""
_STRING_OR_COMMA = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|,', re.DOTALL)
"""A string that does not end reaches to the end of the text: else it would be tried anew at each quotation mark in it,
in time that grows with the square of the length."""


class Source(Protocol):
    """An open file, perhaps one that unpacks."""

    def read1(self, size: int, /) -> bytes:
        """Some of what comes next, at most so many bytes; none at the end."""
        ...


def amount(size: int) -> str:
    """A number of bytes for people: a whole number of the largest unit that fits."""
    unit = next((unit for unit in (30, 20, 10) if size >> unit and size % (1 << unit) == 0), 0)
    return f"{size >> unit} {({30: 'GiB', 20: 'MiB', 10: 'KiB', 0: 'bytes'})[unit]}"


def whole_text(file: Source, name: str, most: int = MAX_RECORD) -> bytes:
    """All that a file holds. Raises RecordError where that is more than one record may take."""
    held = bytearray()
    while chunk := file.read1(_CHUNK):
        held += chunk
        if len(held) > most:
            raise RecordError(f"{name}: longer than {amount(most)}, the most that a record may take")
    return bytes(held)


def lines_of(
    file: Source, name: str, most: int = MAX_RECORD, most_in_all: int = MAX_TEXT
) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not blank, with their numbers from 1.

    Raises:
        RecordError: a line is longer than `most`, or the file than `most_in_all`; what comes before was given.
    """
    number, size = 1, 0
    held = bytearray()  # the line that has begun, without blanks at its beginning; `size` counts them
    for chunk in _chunks(file, name, most_in_all):
        if not held and not chunk.strip(_BLANKS):  # passed over quickly, however many lines that is
            ended = chunk.count(b"\n")
            number += ended
            size = len(chunk) - chunk.rfind(b"\n") - 1 if ended else size + len(chunk)
        else:
            *pieces, rest = chunk.split(b"\n")
            for piece in pieces:
                _check_line(name, number, size + len(piece), most)
                held += piece
                if held.strip(_BLANKS):
                    yield number, bytes(held)
                number, size = number + 1, 0
                held.clear()
            if held or rest.strip(_BLANKS):
                held += rest
            size += len(rest)
        _check_line(name, number, size, most)
    if held:
        yield number, bytes(held)


def check_values(data: bytes, name: str, most: int = MAX_VALUES) -> None:
    """Raises RecordError where a JSON text holds more values than a record may, as its commas tell."""
    if data.count(b",") < most:  # those in strings included: nearly always that is enough to know
        return
    commas = (found for found in _STRING_OR_COMMA.finditer(data) if found[0] == b",")
    if next(islice(commas, most - 1, None), None) is not None:
        raise RecordError(f"{name}: more than {most:,} values, the most that a record may hold")


def _chunks(file: Source, name: str, most: int) -> Iterator[bytes]:
    size = 0
    while chunk := file.read1(_CHUNK):
        size += len(chunk)
        if size > most:
            raise RecordError(
                f"{name}: more than {amount(most)} of text, the most that a file may hold; the rest was not read"
            )
        yield chunk


def _check_line(name: str, number: int, size: int, most: int) -> None:
    if size > most:
        raise RecordError(
            f"{name}, line {number}: longer than {amount(most)}, the most that a record may take; the rest was not read"
        )
