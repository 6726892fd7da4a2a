"""What an analysis says of a match: data, as files keep it. `lapilli.match.analyser` makes one."""

from __future__ import annotations

import hashlib
import os
from math import exp
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from lapilli.core.errors import RecordError
from lapilli.core.reading.text import shortened
from lapilli.match.files import write_atomically
from lapilli.match.record import Number, Record

FORMAT = "lapilli-analysis/1"
Mark = Literal["", "inaccuracy", "mistake", "blunder"]
MARKS: tuple[tuple[float, Mark], ...] = ((0.2, "blunder"), (0.1, "mistake"), (0.05, "inaccuracy"))
"""What a turn is called that loses so much expected score, or more."""
Score = Annotated[float, msgspec.Meta(ge=0, le=1)]
"""An expected score: 1 for a win, 1/2 for a draw; of several players, from the last rank to the first."""
PlayerNumber = Annotated[int, msgspec.Meta(ge=0, le=2**31)]
_MOST_BYTES = 64 << 20
_HALF_AS_GOOD = 4.354
"""How accuracy falls with the lost expected score: as on Lichess (lichess.org/page/accuracy), whose formula is
103.1668 exp(-0.04354 lost) - 3.1669 of 100, for a loss in hundredths."""


class Suggestion(msgspec.Struct, frozen=True, omit_defaults=True):
    """A turn that a player could have played.

    Attributes:
        reply: as its bot would have said it. value: the expected score that it leads to, in [0, 1].
        follow: what would go on from there: pairs of a player and its reply.
        actions: the turn as atomic actions; empty where it is only known as text.
    """

    reply: str
    value: Score
    follow: list[tuple[PlayerNumber, str]] = []
    actions: list[Number] = []


class TurnAnalysis(msgspec.Struct, omit_defaults=True, kw_only=True):
    """One player's part in one referee turn, judged.

    Attributes:
        turn, player: as in the record. reply: what it did; None where that was nothing.
        before: the expected score, in [0, 1], with the best turn. after: that with the turn that was played; None
            where it is not known.
        loss: what it lost by that; None where that is not known.
        mark: "inaccuracy", "mistake", "blunder", or empty.
        best: the best turns, the best first.
        nodes: how much was looked at, in the search's unit. proven: whether `before` is certain.
    """

    turn: Number
    player: PlayerNumber
    reply: str | None
    before: Score
    after: Score | None = None
    loss: Score | None = None
    mark: Mark = ""
    best: list[Suggestion] = []
    nodes: Number = 0
    proven: bool = False


class Analysis(msgspec.Struct, omit_defaults=True, kw_only=True):
    """A match, judged.

    Attributes:
        game: its name. moves: what tells the match from others, see `moves_of`.
        engine: who judged. nodes, ms: what it was given for each turn.
        values: for each position at which somebody was asked, and the last one: the referee turn that comes there, and
            each player's expected score; None where that is not known.
        turns: in the order of play. accuracy: each player's, in per cent; None where nothing is known of it.
        whole: whether all turns were judged.
    """

    format: str
    game: str
    moves: str
    engine: str
    nodes: Number | None = None
    ms: float | None = None
    values: list[tuple[Number, list[Score | None]]] = []
    turns: list[TurnAnalysis] = []
    accuracy: list[Annotated[float, msgspec.Meta(ge=0, le=100)] | None] = []
    whole: bool = False

    def marks_of(self, player: int) -> dict[str, int]:
        """How many of a player's turns have which mark, the worst mark first."""
        marks = [one.mark for one in self.turns if one.player == player]
        return {mark: marks.count(mark) for _, mark in MARKS}

    def check_is_of(self, record: Record) -> None:
        """Raises RecordError where this is the analysis of another match, or speaks of players that it has not."""
        if (self.game, self.moves) != (record.game, moves_of(record)):
            raise RecordError("this is the analysis of another match")
        players = record.load_setup().players or 0
        whom = {one.player for one in self.turns}
        whom |= {player for one in self.turns for best in one.best for player, _ in best.follow}
        counts = {len(values) for _, values in self.values} | {len(self.accuracy) or players}
        if max(whom, default=0) >= players or not counts <= {players}:
            raise RecordError("the analysis speaks of other players than those of the match")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it as JSON. Raises RecordError."""
        write_atomically(Path(path), msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n")


def load_analysis(path: str | os.PathLike[str], record: Record | None = None) -> Analysis:
    """An analysis from its file.

    Args:
        record: the match that it should be of.

    Raises:
        RecordError: there is no such file, it is none, or it is of another match.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise RecordError(f"cannot read {str(path)!r}: {error.strerror}") from None
    if len(data) > _MOST_BYTES:
        raise RecordError(f"{path}: no analysis has more than {_MOST_BYTES >> 20} MB")
    try:
        found = msgspec.json.decode(data, type=Analysis)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RecordError(f"{path}: no analysis: {shortened(str(error), 200)}") from None
    except RecursionError:
        raise RecordError(f"{path}: no analysis: nested too deeply") from None
    if found.format != FORMAT:
        raise RecordError(f"{path}: an analysis of another format, {shortened(found.format, 40)!r}")
    if record is not None:
        try:
            found.check_is_of(record)
        except RecordError as error:
            raise RecordError(f"{path}: {error}") from None
    return found


def moves_of(record: Record) -> str:
    """What tells a match from others: a hash of its setup and all its replies."""
    said: list[Any] = [record.game, sorted(record.setup.items())]
    said += [(entry.turn, entry.player, entry.action) for entry in record.turns]
    return hashlib.sha256(msgspec.json.encode(said)).hexdigest()[:16]


def mark_of(loss: float) -> Mark:
    """What a turn is called that lost so much expected score; empty for a good one."""
    return next((mark for least, mark in MARKS if loss >= least), "")


def accuracy_of(losses: list[float]) -> float | None:
    """A player's accuracy in per cent, from what each of its turns lost; None without any."""
    if not losses:
        return None
    each = [min(100.0, max(0.0, 103.1668 * exp(-_HALF_AS_GOOD * loss) - 3.1669)) for loss in losses]
    return round(sum(each) / len(each), 1)
