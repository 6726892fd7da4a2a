"""What is stored of a match and passed between processes: who plays, what is to be played, what came of it.

All of it is data: it can be pickled, sent, and written down as JSON.
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
"""The most characters that are kept of why a match ended."""


class Contestant(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody who takes part in an event, as data.

    Attributes:
        name: what people call it. version: which one of that name.
        player: what is started: a built-in's name, a command line, or a bot described.
        hash: what that was when it was entered, in words that change when it does, such as its program's SHA-256. Two
            contestants of one hash are taken for the same.
    """

    name: str
    player: str | PlayerSpec
    hash: str = ""
    version: str = ""

    def __post_init__(self) -> None:
        """Replaces half characters, which no database takes."""
        for key in ("name", "hash", "version"):
            force_setattr(self, key, storable(getattr(self, key)))


class MatchTask(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A match that is to be played.

    Attributes:
        number: which of its event's, from 0. Nobody plays it twice.
        pair: which pair (or, of more players, round of rotations) it belongs to; all of a pair share seed and position.
        seed: of the setup.
        seats: who sits where: by seat, the contestant's place in the event's list.
        position: where it starts, if not as usual.
        setup: keys of the setup that are this match's own, such as the rules of a league's division. All else of the
            setup is in the event's settings.
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
        contestant: who sat there, by its place in the event's list.
        score: in the game's own points. rank: 1 is best, ties share one. Both None where the match was abandoned.
        fault: the `Termination` that is this player's doing; empty where there is none.
        answers: how many it gave.
        times: how long they took: the number of answers by bucket. What a bucket is, is the counter's to say; those of
            many matches add up.
        cpu_ms: milliseconds of processor time that it used, with all that it started.
        waited_ms: time in which it waited for a processor, in milliseconds.
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
        seats: one a seat.
        termination: why it ended. reason: one line for people.
        moves: what tells this game from others, whoever played it: a hash of all replies.
        turns: referee turns played. started: when, in seconds since 1970. seconds: how long it took.
        record: its record, packed by `pack_record`; None where it is not kept.
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
        """Shortens the reason, and replaces in it what no database takes."""
        force_setattr(self, "reason", shortened(storable(self.reason), MAX_REASON))

    @property
    def abandoned(self) -> bool:
        """Whether it counts for nobody, and may be played again."""
        return not self.termination.counts


def storable(text: str) -> str:
    """The text with U+FFFD for what no database takes: half characters and NUL."""
    return sound(text).replace("\0", "\ufffd")


def event_key(kind: str, game: str, settings: Mapping[str, Any], contestants: Sequence[Contestant]) -> str:
    """What the same question to the same contestants has in common, as 64 hexadecimal digits.

    Names do not count, hashes do. (Of a contestant without a hash, what is started does.)
    """
    who = [contestant.hash or msgspec.to_builtins(contestant.player) for contestant in contestants]
    return hashlib.sha256(ascii_json([kind, game, settings, who]).encode()).hexdigest()


def ascii_json(value: Any) -> str:
    """A value as JSON that any database takes: a file's name in it may hold what no other text may."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def pack_record(record: Record) -> bytes:
    """A record as `MatchResult.record` holds it: its JSON, compressed by gzip."""
    return gzip.compress(msgspec.json.encode(record), 3, mtime=0)


def unpack_record(data: bytes, source: str = "record") -> Record:
    """The reverse of `pack_record`. Raises RecordError, which begins with `source`."""
    return parse_record(record_text(data, source), source)


def record_text(data: bytes, source: str = "record") -> bytes:
    """The JSON, one line without its end, that `pack_record` has packed. Raises RecordError, as `unpack_record` does;
    what the JSON holds is not looked at."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            return whole_text(file, source)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise RecordError(f"{source}: damaged gzip data ({error})") from None
