"""Limits when reading files: text is read and unpacked in pieces, and what is too long is refused.

A packed file may contain a thousand times its size on disk, and a line may be endless. So nothing is read as a whole
before it is known to be short enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Protocol

from lapilli.core.errors import RecordError

MAX_RECORD = 64 << 20
"""Greatest length of a record as text, in bytes. The longest record that bots can cause, with a line of the greatest
allowed length for each reply, is shorter."""
MAX_TEXT = 4 << 30
"""Greatest length of a file's text, in bytes, when unpacked."""
MAX_VALUES = 500_000
"""Greatest number of values in a record, however short they are: each needs about a hundred bytes of memory."""
_CHUNK = 1 << 16
_BLANKS = b" \t\r\n"
"""Characters that may stand around a JSON text."""
_STRING_OR_COMMA = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|,', re.DOTALL)
"""Finds strings and commas. A string that does not end reaches to the end of the text. Otherwise the search would try
again at each quotation mark in it, which takes time quadratic in the length."""


class Source(Protocol):
    """An open file, which may unpack what it reads."""

    def read1(self, size: int, /) -> bytes:
        """Returns some of the following bytes, at most `size`; none at the end."""
        ...


def amount(size: int) -> str:
    """Returns a number of bytes as text for people: a whole number of the largest unit that fits."""
    unit = next((unit for unit in (30, 20, 10) if size >> unit and size % (1 << unit) == 0), 0)
    return f"{size >> unit} {({30: 'GiB', 20: 'MiB', 10: 'KiB', 0: 'bytes'})[unit]}"


def whole_text(file: Source, name: str, most: int = MAX_RECORD) -> bytes:
    """Returns the whole contents of a file.

    Raises:
        RecordError: it is longer than `most`, by default the limit of one record.
    """
    held = bytearray()
    while chunk := file.read1(_CHUNK):
        held += chunk
        if len(held) > most:
            raise RecordError(f"{name}: longer than {amount(most)}, the most that a record may take")
    return bytes(held)


def lines_of(
    file: Source, name: str, most: int = MAX_RECORD, most_in_all: int = MAX_TEXT
) -> Iterator[tuple[int, bytes]]:
    """Yields the lines of a file that are not blank, with their numbers from 1.

    Raises:
        RecordError: a line is longer than `most`, or the file longer than `most_in_all`. The lines before have been
            yielded.
    """
    number, size = 1, 0
    held = bytearray()  # current line without leading blanks; `size` includes them
    for chunk in _chunks(file, name, most_in_all):
        if not held and not chunk.strip(_BLANKS):  # skips blank lines quickly, however many they are
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
    """Raises RecordError if a JSON text contains more values than a record may, judging by its commas."""
    if data.count(b",") < most:  # includes commas in strings; usually that is enough to know
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
