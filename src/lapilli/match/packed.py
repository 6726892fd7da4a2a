"""The members of a `.jsonl.gz` file. Each is one record's line, compressed on its own.

A member written by Lapilli contains its own length in its header (in a subfield `Lp`, which the gzip format allows and
all readers of gzip skip). So the last member can be found and checked from the end of the file, however long the file
is. It is also possible to recognise what a write that was cut short has left there.
"""

from __future__ import annotations

import os
import struct
import zlib
from typing import IO, NamedTuple

from lapilli.core.errors import RecordError
from lapilli.match.bounds import MAX_TEXT, amount

_MARK = b"\x1f\x8b\x08\x04" + bytes(4) + b"\x02\xff" + b"\x08\x00" + b"Lp" + b"\x04\x00"
"""The first bytes of a member written by Lapilli: gzip with an extra field of 8 bytes, no time, best compression,
unknown system. The extra field is one subfield of 4 bytes. These follow and contain the member's length."""
_LENGTH = struct.Struct("<I")
_HEADER = len(_MARK) + _LENGTH.size
_CHUNK = 1 << 16


class FileEnd(NamedTuple):
    """The end of a file.

    Attributes:
        size: number of bytes up to the end of the last whole member.
        in_line_end: whether the text up to there ends with a line end, or is empty.
    """

    size: int
    in_line_end: bool


def member(text: bytes) -> bytes:
    """Returns the text as a gzip member that contains its own length."""
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    body = packer.compress(text) + packer.flush()
    check = struct.pack("<II", zlib.crc32(text), len(text) & 0xFFFFFFFF)
    return _MARK + _LENGTH.pack(_HEADER + len(body) + len(check)) + body + check


def ending(file: IO[bytes], name: str) -> FileEnd:
    """Returns how a packed file ends. A member that a killed process left incomplete is not counted.

    If the last member is one of Lapilli's, only that is read, and damage before it is not noticed. Otherwise, the whole
    file is unpacked.

    Raises:
        RecordError: the file is damaged or too long.
    """
    size = file.seek(0, os.SEEK_END)
    start = _last_mark(file, size)
    if start is not None and start + _length_at(file, start) == size:
        found = _unpacked(file, start, name, MAX_TEXT)
        if found is not None and found.end == size and found.last:
            return FileEnd(size, found.last == b"\n")
    return _ending_of_all(file, size, name)


def _ending_of_all(file: IO[bytes], size: int, name: str) -> FileEnd:
    place, last, room = 0, b"\n", MAX_TEXT
    while place < size:
        found = _unpacked(file, place, name, room)
        if found is None:
            if not _is_torn(file, place, size):
                raise RecordError(f"cannot add to {name!r}: damaged gzip file (no whole member at byte {place})")
            break
        place, last, room = found.end, found.last or last, room - found.size
    return FileEnd(place, last == b"\n")


def _last_mark(file: IO[bytes], size: int) -> int | None:
    """Returns where the last member of Lapilli's begins, judging by its first bytes alone; None if there is none."""
    end = size
    while end > 0:
        begin = max(0, end - _CHUNK)
        file.seek(begin)
        found = file.read(end - begin + len(_MARK) - 1).rfind(_MARK)
        if found >= 0:
            return begin + found
        end = begin
    return None


def _length_at(file: IO[bytes], start: int) -> int:
    """Returns the length in the header of a member of Lapilli's; 0 if the header is incomplete."""
    file.seek(start + len(_MARK))
    data = file.read(_LENGTH.size)
    return int(_LENGTH.unpack(data)[0]) if len(data) == _LENGTH.size else 0


def _is_torn(file: IO[bytes], start: int, size: int) -> bool:
    """Returns whether the rest of the file is an incomplete member of Lapilli's, and nothing else."""
    file.seek(start)
    if not _MARK.startswith(file.read(len(_MARK))):
        return False
    return size - start < _HEADER or start + _length_at(file, start) > size


class _Unpacked(NamedTuple):
    """A member that was unpacked.

    Attributes:
        end: where it ends in the file.
        last: last byte of its text; b"" if the text is empty.
        size: length of its text, in bytes.
    """

    end: int
    last: bytes
    size: int


def _unpacked(file: IO[bytes], start: int, name: str, room: int) -> _Unpacked | None:
    """Unpacks the member that begins at `start`. Returns None if there is no whole member."""
    file.seek(start)
    packed = zlib.decompressobj(16 + zlib.MAX_WBITS)
    last, size = b"", 0
    while not packed.eof:
        data = packed.unconsumed_tail or file.read(_CHUNK)
        if not data:
            return None
        try:
            text = packed.decompress(data, _CHUNK)
        except zlib.error:
            return None
        last, size = text[-1:] or last, size + len(text)
        if size > room:
            raise RecordError(f"cannot add to {name!r}: more than {amount(MAX_TEXT)} of text")
    return _Unpacked(file.tell() - len(packed.unused_data), last, size)
