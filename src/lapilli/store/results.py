"""Data of contestants, planned matches and results, as it is stored and sent between processes.

All of it can be pickled, sent, and written as JSON.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import force_setattr

from lapilli.core.api import Termination
from lapilli.core.errors import RecordError
from lapilli.core.reading.text import shortened, sound
from lapilli.match.bounds import whole_text
from lapilli.match.record import Record, parse_record
from lapilli.players.spec import PlayerSpec

MAX_REASON = 500
"""Longest stored reason why a match ended, in characters."""


class Contestant(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A participant in an event, as data.

    Attributes:
        name: name shown to people.
        version: version of the contestant of that name.
        player: program to start: the name of a built-in player, a command line, or a bot's specification.
        hash: a string that changes when the player changes, such as the SHA-256 of its program, taken when it entered.
            Two contestants with the same hash count as the same player.
    """

    name: str
    player: str | PlayerSpec
    hash: str = ""
    version: str = ""

    def __post_init__(self) -> None:
        """Replaces lone surrogates and NUL, which no database can store."""
        for key in ("name", "hash", "version"):
            force_setattr(self, key, storable(getattr(self, key)))


class MatchTask(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A match to be played.

    Attributes:
        number: number of the match in its event, from 0. Each number is played once.
        pair: number of its pair (with more players, its round of rotations); all matches of a pair share seed and
            position.
        seed: seed of the setup.
        seats: by seat, the contestant's index in the event's list.
        position: start position; None for the usual one.
        setup: setup keys that only this match has, such as the rules of a league's division. The other keys are in the
            event's settings.
    """

    number: int
    pair: int
    seed: int
    seats: tuple[int, ...]
    position: str | None = None
    setup: dict[str, Any] = {}


class SeatResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One player's part in a match that was played.

    Attributes:
            contestant: index of the player in the event's list of contestants.
        score: points in the game; None if the match was abandoned.
        rank: 1 is best, and ties share a rank; None if the match was abandoned.
        fault: the `Termination` that this player caused; empty if it caused none.
        answers: number of turns in which it was asked, including those that it failed to answer.
        times: response times: bucket -> number of answers. The buckets are defined by the code that fills them; those
            of several matches can be added up.
        cpu_ms: processor time of the player and all processes it started, in milliseconds.
        waited_ms: time for which it was kept waiting for a processor, in milliseconds.
    """

    contestant: int
    score: int | None = None
    rank: int | None = None
    fault: str = ""
    answers: int = 0
    times: dict[int, int] = {}
    cpu_ms: float = 0.0
    waited_ms: float = 0.0


class MatchResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A match that was played, or abandoned.

    Attributes:
        number, pair, seed, position: as in its `MatchTask`.
        seats: one result per seat.
        termination: why the match ended.
        reason: one line to show to people.
        moves: hash of all replies: games with the same moves have the same one, whoever played them.
        turns: number of referee turns played.
        started: start time, in seconds since 1970.
        seconds: duration, in seconds.
        record: its record, packed by `pack_record`; None if it is not stored.
    """

    number: int
    pair: int
    seed: int
    seats: tuple[SeatResult, ...]
    termination: Termination
    reason: str = ""
    moves: str = ""
    turns: int = 0
    started: float = 0.0
    seconds: float = 0.0
    position: str | None = None
    record: bytes | None = None

    def __post_init__(self) -> None:
        """Shortens the reason, and replaces characters that no database can store."""
        force_setattr(self, "reason", shortened(storable(self.reason), MAX_REASON))

    @property
    def abandoned(self) -> bool:
        """Whether the match does not count for anybody, and may be played again."""
        return not self.termination.counts


def storable(text: str) -> str:
    """Returns the text with U+FFFD for characters that no database can store: lone surrogates and NUL."""
    return sound(text).replace("\0", "\ufffd")


def event_key(kind: str, game: str, settings: Mapping[str, Any], contestants: Sequence[Contestant]) -> str:
    """Returns the key of an event, 64 hexadecimal digits: equal for the same settings and the same contestants.

    Names of contestants do not matter, only hashes. (Without a hash, the `player` of the contestant is used.)
    """
    who = [contestant.hash or msgspec.to_builtins(contestant.player) for contestant in contestants]
    return hashlib.sha256(ascii_json([kind, game, settings, who]).encode()).hexdigest()


def ascii_json(value: Any) -> str:
    """Returns a value as ASCII JSON, which any database can store: a file name may contain lone surrogates."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def pack_record(record: Record) -> bytes:
    """Returns a record in the form of `MatchResult.record`: as JSON, compressed by gzip."""
    return gzip.compress(msgspec.json.encode(record), 3, mtime=0)


def unpack_record(data: bytes, source: str = "record") -> Record:
    """Reverses `pack_record`. Raises RecordError, whose message begins with `source`."""
    return parse_record(record_text(data, source), source)


def record_text(data: bytes, source: str = "record") -> bytes:
    """Returns the JSON that `pack_record` has packed: one line without a line end. The JSON is not checked.

    Raises:
        RecordError: the data is damaged or too long; the message begins with `source`.
    """
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            return whole_text(file, source)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise RecordError(f"{source}: damaged gzip data ({error})") from None
