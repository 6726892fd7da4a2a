"""The record of a match. Its format is documented in docs/record.md."""

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
from lapilli.match.files.bounds import MAX_RECORD, amount, check_values, lines_of, whole_text
from lapilli.match.files.writing import add_line, is_compressed, is_lined, write_atomically
from lapilli.players.player import Identity

FORMAT = "lapilli-record/1"
Number = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""An integer of at most 64 bits. (JSON itself allows any number of digits.)"""


class FaultNote(msgspec.Struct, frozen=True, omit_defaults=True):
    """A player's fault in one turn as records store it, or the reason why the player did not answer.

    Attributes:
        termination: kind of the fault.
        reason: what happened, for people.
    """

    termination: Termination
    reason: str = ""


class Entry(msgspec.Struct, omit_defaults=True, kw_only=True):
    """One player's part in one referee turn.

    Attributes:
        turn: number of the referee turn, from 1.
        player: the player who was asked.
        action: the reply in canonical form, as `action_of` converts it; None if there was none.
        milliseconds: time that the player took to answer; None if there was no answer.
        cpu_ms: processor time that the player used for the reply, in milliseconds; None if not known.
        waited_ms: time in which the player waited for a free processor, in milliseconds; None if not known.
        message: text that the player wanted to show to spectators.
        stderr: text that the player wrote to stderr.
        notes: the referee's remarks on the reply.
        fault: the player's fault in this turn; None for a valid reply.
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
        """Whether the match was stopped before the player answered. So the missing answer is not the player's fault."""
        return self.action is None and self.fault is not None and not self.fault.termination.has_result

    @property
    def late(self) -> bool:
        """Whether the reply took too long, because the player was too slow or because the machine was too busy."""
        ending = self.fault.termination if self.fault else None
        return ending == Termination.TIMEOUT or (ending == Termination.ABANDONED and self.milliseconds is not None)

    @property
    def usage(self) -> str:
        """The processor time of the reply and its wait for a processor, as text for people; empty if not known."""
        if self.cpu_ms is None:
            return ""
        waited = "" if self.waited_ms is None else f", {self.waited_ms:.1f} ms waiting for a processor"
        return f"{self.cpu_ms:.1f} ms of processor time{waited}"

    @staticmethod
    def action_of(text: str | None) -> str | None:
        """Converts a reply's text to the form that the field `action` stores. The method `reply` restores the text.

        The method `reply` removes a line end at the end of `action`. So this method adds a line end to a text that ends
        with one.
        """
        return text + "\n" if text is not None and text.endswith("\n") else text

    def reply(self) -> str | Fault:
        """Returns the reply that the referee received, or the fault in its place.

        If the entry has neither an action nor a fault, the player did not answer in time. Then the result is a fault
        with the termination TIMEOUT.
        """
        if self.action is not None:
            return self.action.removesuffix("\n")
        if self.fault is not None:
            return Fault(self.player, self.fault.termination, self.fault.reason)
        return Fault(self.player, Termination.TIMEOUT, "no reply in time")


class RecordedOutcome(msgspec.Struct, omit_defaults=True):
    """The outcome of a match as records store it.

    A field is None if it was not recorded, or if it has no value because the match was stopped early.

    Attributes:
        scores: points of each player, by player number.
        ranks: rank of each player; 1 is best, and ties share a rank.
        termination: why the match ended.
        reason: why the match ended, for people.
        culprit: the player whose fault ended the match; None if no fault did.
        early: whether the match ended before the rules had decided, because all players but one had left it.
    """

    scores: list[Number] | None = None
    ranks: list[Number] | None = None
    termination: Termination | None = None
    reason: str = ""
    culprit: Number | None = None
    early: bool = False

    @property
    def by_rules(self) -> bool:
        """Whether the match was played to its end by the rules: neither stopped, nor ended early by its players.

        True if the termination was not recorded.
        """
        return self.termination is None or (self.termination.has_result and not self.is_early)

    @property
    def is_agreed(self) -> bool:
        """Whether the players agreed to a draw before the game had ended by the rules."""
        return self.termination == Termination.AGREED

    @property
    def is_early(self) -> bool:
        """Whether the players ended the match before the rules decided it: by a draw, or because all but one left."""
        return self.early or self.is_agreed

    @classmethod
    def of(cls, outcome: Outcome) -> RecordedOutcome:
        """Converts the Outcome of a finished game to the form that records store."""
        ranks, scores = list(outcome.ranks), list(outcome.scores)
        return cls(scores, ranks, outcome.termination, outcome.reason, outcome.culprit)


class Record(msgspec.Struct, omit_defaults=True, kw_only=True):
    """The record of one match: setup, replies, times, outcome. The positions can be recomputed from it (`replay`).

    Attributes:
        format: name and version of the format.
        game: the game's name (`Game.name`).
        setup: the match's setup, as `Setup.to_dict` returns it.
        players: the players' identities, by player number; may be empty.
        turns: the entries in the order of play. An entry is one player's part in one turn.
        outcome: the outcome; None if the match is not over, or if its outcome was not recorded.
    """

    format: str
    game: str
    setup: dict[str, Any] = {}
    players: list[Identity] = []
    turns: list[Entry] = []
    outcome: RecordedOutcome | None = None

    def __repr__(self) -> str:
        names = " against ".join(player.name for player in self.players)
        parts = [f"{max((entry.turn for entry in self.turns), default=0)} turns"]
        if self.outcome is not None:
            parts += [" : ".join(map(str, self.outcome.scores))] if self.outcome.scores else []
            parts += [self.outcome.termination.value] if self.outcome.termination else []
        return f"<Record of {self.game}: {', '.join(filter(None, [names, *parts]))}>"

    def load_game(self) -> Game:
        """Returns the game of the record.

        Raises:
            UnknownName: there is no such game.
        """
        return load(self.game)

    def load_setup(self) -> Setup:
        """Returns the setup from which the match started, with defaults filled in. A missing seed is 0.

        Raises:
            SetupError, UnknownName: the game cannot be played with this setup.
        """
        seed = self.setup.get("seed")
        return self.load_game().complete(Setup.from_dict(self.setup | {"seed": 0 if seed is None else seed}))

    def player_name(self, player: int) -> str:
        """Returns a player's recorded name. Without one, returns the name in `Game.sides`, such as a colour."""
        return self.players[player].name if player < len(self.players) else self.load_game().sides[player]

    @property
    def player_names(self) -> list[str]:
        """The names of all players, as `player_name` returns them, by player number."""
        return [self.player_name(player) for player in range(self.load_setup().players or 0)]

    def last_words(self, player: int) -> str:
        """Returns the last text that `player` wrote to stderr; "" if there is none.

        If a bot has failed, this text may be from an earlier turn than the fault. For example, a bot crashes just after
        a reply. Then its error message is recorded in the turn of that reply, but the referee notices the crash only
        when it asks the bot again.
        """
        return next((e.stderr for e in reversed(self.turns) if e.player == player and e.stderr.strip()), "")

    def to_json(self) -> bytes:
        """Formats the record as JSON that people can read, with one line for each entry of `turns`."""
        lines = []
        for key, value in msgspec.to_builtins(self).items():
            text = msgspec.json.encode(value).decode()
            if key == "turns":
                text = "[" + ",".join(f"\n  {msgspec.json.encode(entry).decode()}" for entry in value) + "\n ]"
            lines.append(f' "{key}": {text}')
        return ("{\n" + ",\n".join(lines) + "\n}\n").encode()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Saves the record to a file, completely or not at all. A file whose name ends in `.gz` is compressed.

        A `.json` file is replaced. To a `.jsonl` file, the record is added as one more line, and several processes may
        do this at the same time.

        Raises:
            RecordError: the file cannot be written, or the record is too long to be read again.
        """
        target = Path(path)
        data = msgspec.json.encode(self) + b"\n" if is_lined(target) else self.to_json()
        if len(data) > MAX_RECORD:
            raise RecordError(f"cannot write {str(path)!r}: longer than {amount(MAX_RECORD)}, the limit for a record")
        if is_lined(target):
            add_line(target, data)
        else:
            write_atomically(target, gzip.compress(data, mtime=0) if is_compressed(target) else data)

    _repr_html_: ClassVar[Callable[[Record], str]]
    """The method that notebooks call to show a record. `lapilli.viewer.notebook` sets it."""


def load_record(path: str | os.PathLike[str]) -> Record:
    """Reads the only record in a file.

    Raises:
        RecordError: the file cannot be read, or does not contain exactly one record.
    """
    records = load_records(path)
    record = next(records, None)
    if record is None:
        raise RecordError(f"{path}: there is no record in it")
    if next(records, None) is not None:
        raise RecordError(f"{path}: expected one record, found several")
    return record


def load_records(path: str | os.PathLike[str]) -> Iterator[Record]:
    """Yields the records in a `.json` or `.jsonl` file, compressed (`.gz`) or not, one by one.

    Raises:
        RecordError: the file cannot be read or is too long, or something in it is not a record. The message contains
            the file's name and, for a `.jsonl` file, the line number.
    """
    for result in read_records(path):
        if isinstance(result, RecordError):
            raise result
        yield result


def read_records(path: str | os.PathLike[str]) -> Iterator[Record | RecordError]:
    """Yields the records in a file like `load_records`, but yields errors instead of raising them.

    After a line that is not a record, the next lines are still read.
    """
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
    except ValueError as error:  # the name contains a NUL character
        yield RecordError(f"{name!r}: {error}")


def _read_one(data: bytes, source: str) -> Record | RecordError:
    try:
        return parse_record(data, source)
    except RecordError as error:
        return error


def parse_record(data: bytes | str, source: str = "record") -> Record:
    """Parses the JSON text of one record, and checks that a game can start with the record's setup.

    `source` is the name of the text's source, for the error message.

    Raises:
        RecordError: the text is not a valid record.
    """
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    data = data.removeprefix(b"\xef\xbb\xbf")  # the byte order mark that some editors write before UTF-8
    if not data or data.isspace():
        raise RecordError(f"{source}: not a record: it is empty")
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
    """The fields of a record that are checked first, before the rest of the record is decoded.

    Fields of the type `Raw` stay undecoded JSON text.
    """

    format: str
    setup: msgspec.Raw = msgspec.Raw()
    players: msgspec.Raw = msgspec.Raw()


_HEAD = msgspec.json.Decoder(_Head)
_DECODER = msgspec.json.Decoder(Record)
_MAX_HEAD = 1 << 20
"""Greatest length of a record's field `setup`, and also of its field `players`, in bytes. Their JSON may have any form,
and as Python objects it may need twenty times as much memory.
"""


def _check_head(head: _Head, source: str) -> None:
    if head.format != FORMAT:
        raise RecordError(f"{source}: format is {quoted(head.format)}, this program reads {FORMAT!r}")
    for key, value in (("setup", head.setup), ("players", head.players)):
        if len(bytes(value)) > _MAX_HEAD:
            raise RecordError(f"{source}: {key} is longer than {amount(_MAX_HEAD)}, its limit")
