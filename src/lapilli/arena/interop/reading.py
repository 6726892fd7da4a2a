"""Reads matches as records, from files of Lapilli and of other tools."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import msgspec

from lapilli.arena.interop.sdk import SdkResult, record_of
from lapilli.core.api import Game, Setup
from lapilli.core.errors import LapilliError, RecordError
from lapilli.core.reading.text import shortened
from lapilli.match import Record, verify
from lapilli.match.files.bounds import check_values, whole_text
from lapilli.match.files.writing import is_compressed, is_lined
from lapilli.match.record import parse_record, read_records


class _Kind(msgspec.Struct):
    """The JSON keys that show which format a file has. Each attribute is the value of a key, empty if the key is
    missing.

    Attributes:
        format: key of Lapilli's records.
        outputs: key of the JSON of CodinGame's SDK.
        ranks: key of the results of other tools, which contain no replies and cannot be replayed.
    """

    format: msgspec.Raw = msgspec.Raw()
    outputs: msgspec.Raw = msgspec.Raw()
    ranks: msgspec.Raw = msgspec.Raw()


_KIND = msgspec.json.Decoder(_Kind)
_SDK = msgspec.json.Decoder(SdkResult)


def records_in(path: Path, game: Game | None = None, setup: Setup | None = None) -> Iterator[Record | RecordError]:
    """Yields the matches in a file as records. Each match is replayed to verify it.

    The file contains records of Lapilli (such as the replays that `lapilli referee` writes for cgarena), or JSON of
    CodinGame's SDK. For a match that cannot be read, or that contradicts the rules, a RecordError is yielded.

    Args:
        path: the file.
        game, setup: game of the matches, and their setup without the seed, for an SDK file that does not contain them.
    """
    if is_lined(path):
        for number, record in enumerate(read_records(path), 1):
            yield record if isinstance(record, RecordError) else _verified(record, f"{path}, record {number}")
        return
    try:
        yield _read(_whole(path), str(path), game, setup or Setup())
    except RecordError as problem:
        yield problem


def one_record_in(path: Path) -> Record:
    """Returns the record in a file that contains exactly one match. The match is replayed to verify it.

    The file contains a record of Lapilli, or JSON of CodinGame's SDK.

    Raises:
        RecordError: the file contains no match or several, or the match cannot be read or contradicts the rules.
    """
    found = list(islice(records_in(path), 2))
    if len(found) != 1:
        raise RecordError(f"{path}: expected one match, found {'several' if found else 'none'}")
    if isinstance(found[0], RecordError):
        raise found[0]
    return found[0]


def _whole(path: Path) -> bytes:
    try:
        with gzip.open(path, "rb") if is_compressed(path) else open(path, "rb") as file:
            return whole_text(file, str(path))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise RecordError(f"{path}: damaged gzip file ({error})") from None
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:  # the name contains a NUL character
        raise RecordError(f"{str(path)!r}: {error}") from None


def _read(data: bytes, source: str, game: Game | None, setup: Setup) -> Record | RecordError:
    """Returns the match in the JSON text `data`, which is a record of Lapilli or JSON of CodinGame's SDK.

    Returns a RecordError if a record contradicts the rules, and raises RecordError for all other problems.

    Args:
        data: the text.
        source: name of the text in error messages.
        game, setup: game and setup of the match, for an SDK text that does not contain them.
    """
    check_values(data, source)
    data = data.removeprefix(b"\xef\xbb\xbf")  # byte order mark, written by some editors
    try:
        kind = _kind_of(data)
        if kind.ranks and not kind.outputs:
            raise RecordError(f"{source}: contains results but no replies, so its match cannot be replayed")
        if kind.format:
            return _verified(parse_record(data, source), source)
        if not kind.outputs:
            raise RecordError(f"{source}: neither a record nor the SDK's JSON of a match, which has outputs")
        return record_of(_SDK.decode(data), game, setup)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RecordError(f"{source}: not a match in a known format: {shortened(str(error), 200)}") from None
    except RecursionError:
        raise RecordError(f"{source}: not a match in a known format: nested too deeply") from None
    except LapilliError as problem:
        message = str(problem)
        raise RecordError(message if message.startswith(source) else f"{source}: {message}") from None


def _kind_of(data: bytes) -> _Kind:
    """Returns the JSON keys that show which format a file has. `data`: contents of the file.

    If the file consists of JSON lines, the keys of the first line are returned.
    """
    try:
        return _KIND.decode(data)
    except msgspec.DecodeError:
        first, _, rest = data.partition(b"\n")
        if not rest.strip():
            raise
        return _KIND.decode(first)


def _verified(record: Record, source: str) -> Record | RecordError:
    try:
        verify(record)
    except RecordError as problem:
        return RecordError(f"{source}: {problem}")
    return record
