"""The members of a `.jsonl.gz` file, each a record's line packed on its own.

A member of ours says in its header (a subfield `Lp`, as the gzip format allows) how long it is, and every reader of
gzip passes over that. So the last one is found and checked from the end of the file, however long the file is; and what
a write that was cut short has left there is known to be no more than that.
"""

from __future__ import annotations

import os
import struct
import zlib
from typing import IO, NamedTuple

from lapilli.core.errors import RecordError
from lapilli.match.bounds import MAX_TEXT, amount

_MARK = b"\x1f\x8b\x08\x04" + bytes(4) + b"\x02\xff" + b"\x08\x00" + b"Lp" + b"\x04\x00"
"""How a member of ours begins: gzip, with an extra field of 8 bytes; no time, packed as tightly as can be, on no system
in particular; one subfield of 4 bytes, which are the member's length and follow."""
_LENGTH = struct.Struct("<I")
_HEADER = len(_MARK) + _LENGTH.size
_CHUNK = 1 << 16


class Ending(NamedTuple):
    """How a file ends: where what is whole does, and whether that is with a line end (or empty)."""

    size: int
    in_line_end: bool


def member(text: bytes) -> bytes:
    """The text as a gzip member that says how long it is."""
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    body = packer.compress(text) + packer.flush()
    check = struct.pack("<II", zlib.crc32(text), len(text) & 0xFFFFFFFF)
    return _MARK + _LENGTH.pack(_HEADER + len(body) + len(check)) + body + check


def ending(file: IO[bytes], name: str) -> Ending:
    """How a packed file ends. What a killed process left of a member of ours does not count.

    Where the last member is one of ours, only that is read, and damage before it is not seen; else all of the file is
    unpacked.

    Raises:
        RecordError: it is damaged, or too long.
    """
    size = file.seek(0, os.SEEK_END)
    start = _last_mark(file, size)
    if start is not None and start + _length_at(file, start) == size:
        found = _unpacked(file, start, name, MAX_TEXT)
        if found is not None and found.end == size and found.last:
            return Ending(size, found.last == b"\n")
    return _ending_of_all(file, size, name)


def _ending_of_all(file: IO[bytes], size: int, name: str) -> Ending:
    place, last, room = 0, b"\n", MAX_TEXT
    while place < size:
        found = _unpacked(file, place, name, room)
        if found is None:
            if not _is_torn(file, place, size):
                raise RecordError(f"cannot add to {name!r}: damaged gzip file (no whole member at byte {place})")
            break
        place, last, room = found.end, found.last or last, room - found.size
    return Ending(place, last == b"\n")


def _last_mark(file: IO[bytes], size: int) -> int | None:
    """Where the last member of ours begins, as far as its mark tells."""
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
    """How long a member of ours says that it is; 0 where its header is cut off."""
    file.seek(start + len(_MARK))
    data = file.read(_LENGTH.size)
    return int(_LENGTH.unpack(data)[0]) if len(data) == _LENGTH.size else 0


def _is_torn(file: IO[bytes], start: int, size: int) -> bool:
    """Whether the rest of the file is the beginning of a member of ours, and of nothing else."""
    file.seek(start)
    if not _MARK.startswith(file.read(len(_MARK))):
        return False
    return size - start < _HEADER or start + _length_at(file, start) > size


class _Unpacked(NamedTuple):
    """A member: where it ends in the file, the last byte of its text (b"" of none), how long that is."""

    end: int
    last: bytes
    size: int


def _unpacked(file: IO[bytes], start: int, name: str, room: int) -> _Unpacked | None:
    """Unpacks the member that begins there; None where none does that is whole."""
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
