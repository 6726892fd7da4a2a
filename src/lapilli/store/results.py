"""Structs for contestants, planned matches and results. They are stored, and sent between processes.

All of these structs can be pickled and written as JSON.
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
from lapilli.match.files.bounds import whole_text
from lapilli.match.record import Record, parse_record
from lapilli.players.spec import PlayerSpec

MAX_REASON = 500
"""Length limit of the stored reason why a match ended, in characters."""


class Contestant(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A participant in an event, as data.

    Attributes:
        name: display name.
        player: program to start: the name of a built-in player, a command line, or a bot's specification.
        hash: a string that changes when the player changes, such as the SHA-256 of its program at the time of entry.
            Contestants with the same hash are regarded as the same player.
        version: text that distinguishes contestants with the same name; may be empty.
    """

    name: str
    player: str | PlayerSpec
    hash: str = ""
    version: str = ""

    def __post_init__(self) -> None:
        """Replaces lone surrogates and NUL characters, which no database can store."""
        for key in ("name", "hash", "version"):
            force_setattr(self, key, storable(getattr(self, key)))


class MatchTask(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A match to be played.

    Attributes:
        number: number of the match in its event, from 0. Each number is played once.
        pair: number of the match's pair. The matches of a pair have the same seed and position. With more than two
            players, a "pair" has one match for each rotation of the seats.
        seed: seed of the setup.
        seats: the contestant of each seat, as an index in the event's list of contestants.
        position: start position; None for the game's usual start position.
        setup: setup keys that only this match has, such as the rules of a league's division. The other setup keys are
            in the event's settings.
        parameters: in a tuning, the values of a contestant's parameters in this match, by contestant and name.
    """

    number: int
    pair: int
    seed: int
    seats: tuple[int, ...]
    position: str | None = None
    setup: dict[str, Any] = {}
    parameters: dict[int, dict[str, int | float]] = {}


class SeatResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One player's part in a match that was played.

    Attributes:
        contestant: index of the player in the event's list of contestants.
        score: points in the game; None if the match was abandoned.
        rank: 1 is best, and ties share a rank; None if the match was abandoned.
        fault: the `Termination` that this player caused; empty if it caused none.
        answers: number of turns in which the player was asked, including turns without a reply.
        times: histogram of response times, as the number of answers by bucket. The code that fills the histogram
            defines the buckets. Histograms of several matches can be added up.
        cpu_ms: processor time of the player and all processes it started, in milliseconds.
        waited_ms: time for which the player had to wait for a processor, in milliseconds.
        data: values that the player wrote about itself to stderr, as text, by their names (docs/data-from-bots.md).
    """

    contestant: int
    score: int | None = None
    rank: int | None = None
    fault: str = ""
    answers: int = 0
    times: dict[int, int] = {}
    cpu_ms: float = 0.0
    waited_ms: float = 0.0
    data: dict[str, str] = {}


class MatchResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The result of a match that was played or abandoned.

    Attributes:
        number, pair, seed, position: as in the match's `MatchTask`.
        seats: one result for each seat.
        termination: why the match ended.
        reason: explanation of why the match ended, as one line of text for people.
        moves: hash of all replies. Matches with the same replies have the same hash, even with other players.
        turns: number of referee turns played.
        started: start time, in seconds since 1970.
        seconds: duration, in seconds.
        record: the match's record, packed by `pack_record`; None if it is not stored.
        data: values that players wrote about the match, as text, by their names.
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
    data: dict[str, str] = {}

    def __post_init__(self) -> None:
        """Shortens the reason, and replaces characters that no database can store."""
        force_setattr(self, "reason", shortened(storable(self.reason), MAX_REASON))

    @property
    def abandoned(self) -> bool:
        """Whether the match was abandoned: it has no result, is counted for no player, and may be played again."""
        return not self.termination.has_result


def storable(text: str) -> str:
    """Replaces the characters that no database can store, lone surrogates and NUL, by U+FFFD."""
    return sound(text).replace("\0", "\ufffd")


def event_key(kind: str, game: str, settings: Mapping[str, Any], contestants: Sequence[Contestant]) -> str:
    """Returns the key of an event: 64 hexadecimal digits. Events with equal settings and contestants have equal keys.

    Contestants are compared by hash, or by `player` if they have no hash. Their names do not matter. Events of
    different kinds or games have different keys.
    """
    hashes = [contestant.hash or msgspec.to_builtins(contestant.player) for contestant in contestants]
    return hashlib.sha256(ascii_json([kind, game, settings, hashes]).encode()).hexdigest()


def ascii_json(value: Any) -> str:
    """Formats a value as JSON in ASCII, which any database can store, even if a text contains lone surrogates."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def pack_record(record: Record) -> bytes:
    """Converts a record to the form of `MatchResult.record`: JSON, compressed by gzip."""
    return gzip.compress(msgspec.json.encode(record), 3, mtime=0)


def unpack_record(data: bytes, source: str = "record") -> Record:
    """Returns the record that `pack_record` converted to this data.

    Raises:
        RecordError: the data is not a valid record. The message begins with `source`.
    """
    return parse_record(record_text(data, source), source)


def record_text(data: bytes, source: str = "record") -> bytes:
    """Returns the JSON that `pack_record` has compressed: one line without a line end. The JSON is not checked.

    Raises:
        RecordError: the data is damaged or too long. The message begins with `source`.
    """
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            return whole_text(file, source)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise RecordError(f"{source}: damaged gzip data ({error})") from None
