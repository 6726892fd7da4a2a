"""What is kept of a match. The format is documented in docs/record.md."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar

import msgspec

from lapilli.core.api import Fault, Game, Outcome, Setup, Termination
from lapilli.core.errors import LapilliError, RecordError
from lapilli.core.reading.text import quoted, shortened
from lapilli.games import load
from lapilli.match.bounds import MAX_RECORD, amount, check_values, lines_of, whole_text
from lapilli.match.files import add_line, is_compressed, is_lined, write_atomically
from lapilli.players.player import Identity

FORMAT = "lapilli-record/1"
Number = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""A whole number of 64 bits: JSON's may have any number of digits."""


class FaultNote(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a player did wrong in a turn, or why it did not answer."""

    termination: Termination
    reason: str = ""


class Entry(msgspec.Struct, omit_defaults=True, kw_only=True):
    """One player's part in one referee turn.

    Attributes:
        turn: the referee turn, from 1. player: who was asked.
        action: the reply in canonical text; None where there was none.
        milliseconds: how long it took. cpu_ms, waited_ms: how much processor time that was, and how long it waited for
            a processor, where that is known. message: what the player wanted shown. stderr: what it wrote there.
        notes: the referee's remarks. fault: what was wrong with it.
    """

    turn: Number
    player: Number
    action: str | None = None
    milliseconds: float | None = None
    cpu_ms: float | None = None
    waited_ms: float | None = None
    message: str = ""
    stderr: str = ""
    notes: list[str] = []
    fault: FaultNote | None = None

    @property
    def pending(self) -> bool:
        """Whether the match was cut short while the player was asked: it did not fail to answer."""
        return self.action is None and self.fault is not None and not self.fault.termination.counts

    @property
    def late(self) -> bool:
        """Whether it took too long, whoever's fault that was."""
        ending = self.fault.termination if self.fault else None
        return ending == Termination.TIMEOUT or (ending == Termination.ABANDONED and self.milliseconds is not None)

    @property
    def usage(self) -> str:
        """What it took of the machine, for people; empty where that is not known."""
        if self.cpu_ms is None:
            return ""
        waited = "" if self.waited_ms is None else f", {self.waited_ms:.1f} ms waiting for a processor"
        return f"{self.cpu_ms:.1f} ms of processor time{waited}"

    @staticmethod
    def action_of(text: str | None) -> str | None:
        """A reply's text as `action` holds it, from which `reply` makes the same text: one line end at its very end
        does not count there, so that a reply whose last line is empty gets one more."""
        return text + "\n" if text is not None and text.endswith("\n") else text

    def reply(self) -> str | Fault:
        """What the referee heard."""
        if self.action is not None:
            return self.action.removesuffix("\n")
        if self.fault is not None:
            return Fault(self.player, self.fault.termination, self.fault.reason)
        return Fault(self.player, Termination.TIMEOUT, "no reply in time")


class RecordedOutcome(msgspec.Struct, omit_defaults=True):
    """How the match ended; what is absent was not recorded, or is not known of a match that was cut short."""

    scores: list[Number] | None = None
    ranks: list[Number] | None = None
    termination: Termination | None = None
    reason: str = ""
    culprit: Number | None = None

    @property
    def counts(self) -> bool:
        """Whether the match was played to its end by the rules, rather than cut short or agreed to be a draw."""
        return self.termination is None or (self.termination.counts and not self.is_agreed)

    @property
    def is_agreed(self) -> bool:
        """Whether it is a draw that the players agreed to, before the rules came to an end."""
        return self.termination == Termination.AGREED

    @classmethod
    def of(cls, outcome: Outcome) -> RecordedOutcome:
        ranks, scores = list(outcome.ranks), list(outcome.scores)
        return cls(scores, ranks, outcome.termination, outcome.reason, outcome.culprit)


class Record(msgspec.Struct, omit_defaults=True, kw_only=True):
    """One match: setup, actions, times, outcome. Positions are not in it: the rules recompute them.

    Attributes:
        game: the game's slug. setup: as `Setup.to_dict`. turns: entries in the order of play.
        players: who played; may be empty. outcome: None where the match was not played to its end or not told.
    """

    format: str
    game: str
    setup: dict[str, Any] = {}
    players: list[Identity] = []
    turns: list[Entry] = []
    outcome: RecordedOutcome | None = None

    def load_game(self) -> Game:
        """The game it is a record of. Raises UnknownName."""
        return load(self.game)

    def load_setup(self) -> Setup:
        """The setup the match started from, defaults filled in; a missing seed is 0. Raises SetupError, UnknownName."""
        seed = self.setup.get("seed")
        return self.load_game().complete(Setup.from_dict(self.setup | {"seed": 0 if seed is None else seed}))

    def player_name(self, player: int) -> str:
        """The player's name; where none was recorded, its side's."""
        return self.players[player].name if player < len(self.players) else self.load_game().sides[player]

    @property
    def player_names(self) -> list[str]:
        """All players' names, see `player_name`."""
        return [self.player_name(player) for player in range(self.load_setup().players or 0)]

    def last_words(self, player: int) -> str:
        """The last that `player` wrote to stderr. A bot that complains right after a reply did so in that reply's turn,
        which need not be the one it is blamed for."""
        return next((e.stderr for e in reversed(self.turns) if e.player == player and e.stderr.strip()), "")

    def to_json(self) -> bytes:
        """The record as JSON for people: one line an entry."""
        lines = []
        for key, value in msgspec.to_builtins(self).items():
            text = msgspec.json.encode(value).decode()
            if key == "turns":
                text = "[" + ",".join(f"\n  {msgspec.json.encode(entry).decode()}" for entry in value) + "\n ]"
            lines.append(f' "{key}": {text}')
        return ("{\n" + ",\n".join(lines) + "\n}\n").encode()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the record, whole or not at all; gzip-compressed where the name ends in .gz.

        A `.json` file is replaced; to a `.jsonl` file the record is added as one more line, whoever else adds to it at
        the same time.

        Raises:
            RecordError: it cannot be written, or is too long to be read again.
        """
        target = Path(path)
        data = msgspec.json.encode(self) + b"\n" if is_lined(target) else self.to_json()
        if len(data) > MAX_RECORD:
            raise RecordError(
                f"cannot write {str(path)!r}: longer than {amount(MAX_RECORD)}, the most that a record may take"
            )
        if is_lined(target):
            add_line(target, data)
        else:
            write_atomically(target, gzip.compress(data, mtime=0) if is_compressed(target) else data)

    _repr_html_: ClassVar[Callable[[Record], str]]
    """How a notebook shows it; `lapilli.viewer.notebook` sets it."""


def load_record(path: str | os.PathLike[str]) -> Record:
    """The one record in a file. Raises RecordError, also where there are none or several."""
    records = load_records(path)
    record = next(records, None)
    if record is None:
        raise RecordError(f"{path}: there is no record in it")
    if next(records, None) is not None:
        raise RecordError(f"{path}: expected one record, found several")
    return record


def load_records(path: str | os.PathLike[str]) -> Iterator[Record]:
    """The records in a `.json` or `.jsonl` file, either of them also `.gz`, one by one.

    Raises:
        RecordError: the file cannot be read or is too long, or something in it is no record; the message names file and
            line.
    """
    for read in read_records(path):
        if isinstance(read, RecordError):
            raise read
        yield read


def read_records(path: str | os.PathLike[str]) -> Iterator[Record | RecordError]:
    """As `load_records`, but what is no record comes as its error, and the rest of a `.jsonl` file after it."""
    name = str(path)
    try:
        with gzip.open(name, "rb") if is_compressed(Path(name)) else open(name, "rb") as file:
            if not is_lined(Path(name)):
                yield _read_one(whole_text(file, name), name)
                return
            for number, line in lines_of(file, name):
                yield _read_one(line, f"{name}, line {number}")
    except RecordError as error:
        yield error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        yield RecordError(f"{name}: damaged gzip file ({error})")
    except OSError as error:
        yield RecordError(f"{name}: {error.strerror or error}")
    except ValueError as error:  # a NUL in the name
        yield RecordError(f"{name!r}: {error}")


def _read_one(data: bytes, source: str) -> Record | RecordError:
    try:
        return parse_record(data, source)
    except RecordError as error:
        return error


def parse_record(data: bytes | str, source: str = "record") -> Record:
    """The record that this JSON holds. Raises RecordError, which begins with `source`."""
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    data = data.removeprefix(b"\xef\xbb\xbf")  # what some editors put before UTF-8
    check_values(data, source)
    try:
        _check_head(_HEAD.decode(data), source)
        record = _DECODER.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RecordError(f"{source}: not a record: {shortened(str(error), 200)}") from None
    except RecursionError:
        raise RecordError(f"{source}: not a record: nested too deeply") from None
    try:
        record.load_game().new_initial_state(record.load_setup())
    except LapilliError as error:
        raise RecordError(f"{source}: {error}") from None
    return record


class _Head(msgspec.Struct):
    """What is looked at before the rest is decoded."""

    format: str
    setup: msgspec.Raw = msgspec.Raw()
    players: msgspec.Raw = msgspec.Raw()


_HEAD = msgspec.json.Decoder(_Head)
_DECODER = msgspec.json.Decoder(Record)
_MAX_HEAD = 1 << 20
"""Bytes that setup and players may take each: what is of any shape may need twenty times as much memory."""


def _check_head(head: _Head, source: str) -> None:
    if head.format != FORMAT:
        raise RecordError(f"{source}: format is {quoted(head.format)}, this program reads {FORMAT!r}")
    for key, value in (("setup", head.setup), ("players", head.players)):
        if len(bytes(value)) > _MAX_HEAD:
            raise RecordError(f"{source}: {key} is longer than {amount(_MAX_HEAD)}, the most that it may take")
