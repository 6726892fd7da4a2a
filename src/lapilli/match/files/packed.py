"""The gzip members of a `.jsonl.gz` file. Each member is the line of one record, compressed on its own.

The header of a member written by Lapilli contains the member's length, in a subfield `Lp`. The gzip format allows such
subfields, and all programs that read gzip files skip them. With the length, the last member can be searched for from
the end of the file and checked, without reading the rest of the file. An incomplete member that a killed process has
left can be recognised, too.
"""

from __future__ import annotations

import os
import struct
import zlib
from typing import IO, NamedTuple

from lapilli.core.errors import RecordError
from lapilli.match.files.bounds import MAX_TEXT, amount

_MARK = b"\x1f\x8b\x08\x04" + bytes(4) + b"\x02\xff" + b"\x08\x00" + b"Lp" + b"\x04\x00"
"""The first bytes of a member written by Lapilli. They mean: gzip, no time, best compression, unknown system, and an
extra field of 8 bytes. The extra field is one subfield: its name `Lp`, its size 4, and, after this mark, 4 bytes with
the member's length.
"""
_LENGTH = struct.Struct("<I")
_HEADER = len(_MARK) + _LENGTH.size
_CHUNK = 1 << 16


class FileEnd(NamedTuple):
    """The position in a file at which its complete records end. A new record is written there.

    Attributes:
        size: the position, in bytes from the start. In a gzip file, this is the end of the last complete member; in
            another file, the end of the file.
        in_line_end: whether the text up to this position ends with a line end, or is empty.
    """

    size: int
    in_line_end: bool


def member(text: bytes) -> bytes:
    """Compresses a text as one gzip member whose header contains its length."""
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    body = packer.compress(text) + packer.flush()
    check = struct.pack("<II", zlib.crc32(text), len(text) & 0xFFFFFFFF)
    return _MARK + _LENGTH.pack(_HEADER + len(body) + len(check)) + body + check


def ending(file: IO[bytes], name: str) -> FileEnd:
    """Returns the position at which the complete members of a gzip file end, before a last, incomplete member.

    If Lapilli wrote the last member, only this member is read, so damage before it is not noticed. Otherwise, the whole
    file is unpacked.

    Args:
        file: the file, open for reading.
        name: the file's name, for messages.

    Raises:
        RecordError: the file is damaged or too long.
    """
    size = file.seek(0, os.SEEK_END)
    start = _last_mark(file, size)
    if start is not None and start + _length_at(file, start) == size:
        unpacked = _unpacked(file, start, name, MAX_TEXT)
        if unpacked is not None and unpacked.end == size and unpacked.last:
            return FileEnd(size, unpacked.last == b"\n")
    return _ending_of_all(file, size, name)


def _ending_of_all(file: IO[bytes], size: int, name: str) -> FileEnd:
    """Returns the position at which the complete members of a gzip file end, after unpacking the whole file.

    The function `ending` calls this if Lapilli did not write the last member. `size`: the file's size, in bytes.
    `name`: its name, for messages.
    """
    position, last, bytes_left = 0, b"\n", MAX_TEXT
    while position < size:
        unpacked = _unpacked(file, position, name, bytes_left)
        if unpacked is None:
            if not _is_incomplete(file, position, size):
                raise RecordError(f"cannot add to {name!r}: damaged gzip file (no whole member at byte {position})")
            break
        position, last, bytes_left = unpacked.end, unpacked.last or last, bytes_left - unpacked.size
    return FileEnd(position, last == b"\n")


def _last_mark(file: IO[bytes], size: int) -> int | None:
    """Returns the position of the last gzip member that Lapilli wrote, which begins with the bytes `_MARK`.

    Returns None if there is no such member. `size` is the file's size, in bytes.
    """
    end = size
    while end > 0:
        begin = max(0, end - _CHUNK)
        file.seek(begin)
        index = file.read(end - begin + len(_MARK) - 1).rfind(_MARK)
        if index >= 0:
            return begin + index
        end = begin
    return None


def _length_at(file: IO[bytes], start: int) -> int:
    """Reads the length of the gzip member that begins at `start` from the member's header; 0 if the header is
    incomplete.

    Lapilli must have written the member.
    """
    file.seek(start + len(_MARK))
    data = file.read(_LENGTH.size)
    return int(_LENGTH.unpack(data)[0]) if len(data) == _LENGTH.size else 0


def _is_incomplete(file: IO[bytes], start: int, size: int) -> bool:
    """Returns whether the bytes from `start` to the end of the file are an incomplete member that Lapilli wrote.

    `size` is the file's size, in bytes.
    """
    file.seek(start)
    if not _MARK.startswith(file.read(len(_MARK))):
        return False
    return size - start < _HEADER or start + _length_at(file, start) > size


class _Unpacked(NamedTuple):
    """Facts about a gzip member that was unpacked.

    Attributes:
        end: position in the file at which the member ends.
        last: last byte of the member's text; b"" if the text is empty.
        size: length of the member's text, in bytes.
    """

    end: int
    last: bytes
    size: int


def _unpacked(file: IO[bytes], start: int, name: str, limit: int) -> _Unpacked | None:
    """Unpacks the gzip member that begins at `start`, and returns facts about it; None if it is incomplete or damaged.

    Raises RecordError if the member's text has more than `limit` bytes. `name`: the file's name, for the message.
    """
    file.seek(start)
    decompressor = zlib.decompressobj(16 + zlib.MAX_WBITS)
    last, size = b"", 0
    while not decompressor.eof:
        data = decompressor.unconsumed_tail or file.read(_CHUNK)
        if not data:
            return None
        try:
            text = decompressor.decompress(data, _CHUNK)
        except zlib.error:
            return None
        last, size = text[-1:] or last, size + len(text)
        if size > limit:
            raise RecordError(f"cannot add to {name!r}: more than {amount(MAX_TEXT)} of text")
    return _Unpacked(file.tell() - len(decompressor.unused_data), last, size)
