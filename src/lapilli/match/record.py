"""What is kept of a match, and how it lies on disk. The format is documented in docs/record.md."""

from __future__ import annotations

import gzip
import os
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from lapilli.games import load
from lapilli.games.api import Fault, Game, Outcome, Setup, Termination
from lapilli.games.errors import LapilliError, RecordError

FORMAT = "lapilli-record/1"


class FaultNote(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a player did wrong in a turn, or why it did not answer."""

    termination: Termination
    reason: str = ""


class Entry(msgspec.Struct, omit_defaults=True, kw_only=True):
    """One player's part in one referee turn.

    Attributes:
        turn: the referee turn, from 1. player: who was asked.
        action: the reply in canonical text; None where there was none.
        milliseconds: how long it took. message: what the player wanted shown. stderr: what it wrote there.
        notes: the referee's remarks. fault: what was wrong with it.
    """

    turn: int
    player: int
    action: str | None = None
    milliseconds: float | None = None
    message: str = ""
    stderr: str = ""
    notes: list[str] = []
    fault: FaultNote | None = None

    @property
    def pending(self) -> bool:
        """Whether the match was stopped while the player was asked: it did not fail to answer."""
        return self.action is None and self.fault is not None and self.fault.termination == Termination.INTERRUPTED

    def reply(self) -> str | Fault:
        """What the referee heard."""
        if self.action is not None:
            return self.action.removesuffix("\n")
        if self.fault is not None:
            return Fault(self.player, self.fault.termination, self.fault.reason)
        return Fault(self.player, Termination.TIMEOUT, "no reply in time")


class RecordedPlayer(msgspec.Struct, frozen=True):
    """Who played."""

    name: str


class RecordedOutcome(msgspec.Struct, omit_defaults=True):
    """How the match ended; what is absent was not recorded."""

    scores: list[int] | None = None
    ranks: list[int] | None = None
    termination: Termination | None = None
    reason: str = ""
    culprit: int | None = None

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
    players: list[RecordedPlayer] = []
    turns: list[Entry] = []
    outcome: RecordedOutcome | None = None

    def load_game(self) -> Game:
        """The game it is a record of. Raises UnknownName."""
        return load(self.game)

    def load_setup(self) -> Setup:
        """The setup the match started from, defaults filled in; a missing seed is 0. Raises SetupError, UnknownName."""
        return self.load_game().complete(Setup.from_dict({"seed": 0, **self.setup}))

    def player_name(self, player: int) -> str:
        """The player's name; where none was recorded, its side's."""
        return self.players[player].name if player < len(self.players) else self.load_game().sides[player]

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

        A `.json` file is replaced; to a `.jsonl` file the record is added as one more line.

        Raises:
            RecordError: it cannot be written.
        """
        target = Path(path)
        data = msgspec.json.encode(self) + b"\n" if is_lined(target) else self.to_json()
        if target.suffix == ".gz":
            data = gzip.compress(data, mtime=0)
        if is_lined(target) and target.exists():
            data = target.read_bytes() + data
        write_atomically(target, data)

    def _repr_html_(self) -> str:
        if not _page_renderer:
            raise RuntimeError("nothing renders records yet: import lapilli.viewer first")
        return _page_renderer[0](self)


_page_renderer: list[Callable[[Record], str]] = []


def set_page_renderer(renderer: Callable[[Record], str]) -> None:
    """Tells records how they show themselves in a notebook; `lapilli.viewer` does it."""
    _page_renderer[:] = [renderer]


def is_lined(path: Path) -> bool:
    """Whether a file of that name holds one record a line."""
    return path.name.removesuffix(".gz").endswith(".jsonl")


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raises RecordError where a file could not be written there."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise RecordError(f"cannot write {str(path)!r}: it is a folder")
    if target.exists() and not target.is_file():
        raise RecordError(f"cannot write {str(path)!r}: it is not a regular file")
    try:
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except OSError as error:
        raise RecordError(f"cannot write {str(path)!r}: {error.strerror or error}") from None
    if target.exists() and not os.access(target, os.W_OK):
        raise RecordError(f"cannot write {str(path)!r}: it is write-protected")


def write_atomically(path: Path, data: bytes) -> None:
    """Replaces `path` by `data` in one step, so that nobody ever sees half a file. Raises RecordError."""
    check_writable(path)
    target = os.path.realpath(path)
    try:
        with tempfile.NamedTemporaryFile(dir=os.path.dirname(target), prefix=f".{path.name}.", delete=False) as file:
            try:
                file.write(data)
                file.flush()
                os.fchmod(file.fileno(), 0o666 & ~_umask())
                os.replace(file.name, target)
            except BaseException:
                os.unlink(file.name)
                raise
    except OSError as error:
        raise RecordError(f"cannot write {str(path)!r}: {error.strerror or error}") from None


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def load_record(path: str | os.PathLike[str]) -> Record:
    """The one record in a file. Raises RecordError, also where there are none or several."""
    records = list(load_records(path))
    if len(records) != 1:
        raise RecordError(f"{path}: expected one record, found {len(records)}")
    return records[0]


def load_records(path: str | os.PathLike[str]) -> Iterator[Record]:
    """The records in a `.json` or `.jsonl` file, either of them also `.gz`, one by one.

    Raises:
        RecordError: the file cannot be read, or something in it is no record; the message names file and line.
    """
    for found in read_records(path):
        if isinstance(found, RecordError):
            raise found
        yield found


def read_records(path: str | os.PathLike[str]) -> Iterator[Record | RecordError]:
    """As `load_records`, but what is no record comes as its error, and the rest of a `.jsonl` file after it."""
    name = str(path)
    try:
        with gzip.open(name, "rb") if name.endswith(".gz") else open(name, "rb") as file:
            if not is_lined(Path(name)):
                yield _read_one(file.read(), name)
                return
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _read_one(line, f"{name}, line {number}")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        yield RecordError(f"{name}: damaged gzip file ({error})")
    except OSError as error:
        yield RecordError(f"{name}: {error.strerror or error}")


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
    try:
        if (found := _FORMAT.decode(data).format) != FORMAT:
            raise RecordError(f"{source}: format is {found!r}, this program reads {FORMAT!r}")
        record = _DECODER.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RecordError(f"{source}: not a record: {error}") from None
    except RecursionError:
        raise RecordError(f"{source}: not a record: nested too deeply") from None
    try:
        record.load_game().new_initial_state(record.load_setup())
    except LapilliError as error:
        raise RecordError(f"{source}: {error}") from None
    return record


class _Format(msgspec.Struct):
    format: str


_FORMAT = msgspec.json.Decoder(_Format)
_DECODER = msgspec.json.Decoder(Record)
