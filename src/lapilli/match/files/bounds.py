"""Reads files of records in pieces, and refuses files that are too long.

A compressed file may unpack to a thousand times its size, and a line may be endless. So reading stops with RecordError
as soon as a text is longer than its limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Protocol

from lapilli.core.errors import RecordError

MAX_RECORD = 64 << 20
"""Greatest length of a record as text, in bytes. No match between bots produces such a long record, even if every reply
has the greatest allowed length."""
MAX_TEXT = 4 << 30
"""Greatest length of the text in a file of records, in bytes, after unpacking."""
MAX_VALUES = 500_000
"""Greatest number of JSON values in a record. Even a value with a short text needs about a hundred bytes of memory."""
_CHUNK = 1 << 16
_BLANKS = b" \t\r\n"
"""White space that JSON allows around a value."""
_STRING_OR_COMMA = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|,', re.DOTALL)
"""Matches one JSON string or one comma. A string without a closing quotation mark matches up to the end of the text.
Otherwise the search would start again at each quotation mark in this string, and the time would be quadratic.
"""


class Source(Protocol):
    """An open file, plain or compressed, from which bytes can be read."""

    def read1(self, size: int, /) -> bytes:
        """Returns the next bytes of the file's contents after unpacking, at most `size`; b"" at the end."""
        ...


def amount(size: int) -> str:
    """Formats a number of bytes for people, such as "64 MiB". The unit is the largest one that gives a whole number."""
    unit = next((unit for unit in (30, 20, 10) if size >> unit and size % (1 << unit) == 0), 0)
    return f"{size >> unit} {({30: 'GiB', 20: 'MiB', 10: 'KiB', 0: 'bytes'})[unit]}"


def whole_text(file: Source, name: str, most: int = MAX_RECORD) -> bytes:
    """Returns the whole unpacked contents of a file.

    Args:
        file: the file.
        name: the file's name, for the error message.
        most: greatest allowed length in bytes; by default that of one record.

    Raises:
        RecordError: the contents are longer than `most`.
    """
    text = bytearray()
    while chunk := file.read1(_CHUNK):
        text += chunk
        if len(text) > most:
            raise RecordError(f"{name}: longer than {amount(most)}, the limit for a record")
    return bytes(text)


def lines_of(
    file: Source, name: str, most: int = MAX_RECORD, most_in_all: int = MAX_TEXT
) -> Iterator[tuple[int, bytes]]:
    """Yields the lines of a file that are not blank, as pairs of the line's number in the file (from 1) and its text.

    Args:
        file: the file.
        name: the file's name, for messages.
        most: greatest allowed length of a line, in bytes.
        most_in_all: greatest allowed length of all text, in bytes.

    Raises:
        RecordError: a line or the whole text is too long. All earlier lines have been yielded before.
    """
    number, size = 1, 0
    line = bytearray()  # the current line without leading blanks, which `size` includes
    for chunk in _chunks(file, name, most_in_all):
        if not line and not chunk.strip(_BLANKS):  # skips blank lines quickly, however many they are
            ended = chunk.count(b"\n")
            number += ended
            size = len(chunk) - chunk.rfind(b"\n") - 1 if ended else size + len(chunk)
        else:
            *pieces, rest = chunk.split(b"\n")
            for piece in pieces:
                _check_line(name, number, size + len(piece), most)
                line += piece
                if line.strip(_BLANKS):
                    yield number, bytes(line)
                number, size = number + 1, 0
                line.clear()
            if line or rest.strip(_BLANKS):
                line += rest
            size += len(rest)
        _check_line(name, number, size, most)
    if line:
        yield number, bytes(line)


def check_values(data: bytes, name: str, most: int = MAX_VALUES) -> None:
    """Raises RecordError if the JSON text `data` contains more than `most` values.

    The number of values is estimated from the number of commas. `name`: the text's source, for the message.
    """
    if data.count(b",") < most:  # the fast count includes commas in strings; usually it suffices
        return
    commas = (match for match in _STRING_OR_COMMA.finditer(data) if match[0] == b",")
    if next(islice(commas, most - 1, None), None) is not None:
        raise RecordError(f"{name}: more than {most:,} values, the limit for a record")


def _chunks(file: Source, name: str, most: int) -> Iterator[bytes]:
    size = 0
    while chunk := file.read1(_CHUNK):
        size += len(chunk)
        if size > most:
            raise RecordError(f"{name}: more than {amount(most)} of text, the limit for a file; the rest was not read")
        yield chunk


def _check_line(name: str, number: int, size: int, most: int) -> None:
    if size > most:
        raise RecordError(
            f"{name}, line {number}: longer than {amount(most)}, the limit for a record; the rest was not read"
        )
