"""The analysis of a match as data, which can be saved and loaded. `lapilli.match.analyser` computes analyses."""

from __future__ import annotations

import hashlib
import os
from math import exp
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from lapilli.core.errors import RecordError
from lapilli.core.reading.text import shortened
from lapilli.match.files.writing import write_atomically
from lapilli.match.record import Number, Record
from lapilli.players.engines.turns import MARGIN

FORMAT = "lapilli-analysis/1"
Mark = Literal["", "inaccuracy", "mistake", "blunder"]
MARKS: tuple[tuple[float, Mark], ...] = ((0.2, "blunder"), (0.1, "mistake"), (MARGIN, "inaccuracy"))
"""Marks of bad turns, as pairs of the least loss of expected score and the mark for such a loss, the worst first."""
Score = Annotated[float, msgspec.Meta(ge=0, le=1)]
"""An expected score: 1 for a win, 1/2 for a draw, 0 for a loss. With more than two players: from 0 for the last rank to
1 for the first.
"""
PlayerNumber = Annotated[int, msgspec.Meta(ge=0, le=2**31)]
_MOST_BYTES = 64 << 20
_ACCURACY_DECAY = 4.354
"""How fast accuracy decreases with the loss of expected score. The formula is that of Lichess
(lichess.org/page/accuracy): 103.1668 exp(-0.04354 loss) - 3.1669 per cent, with the loss in hundredths. Here the loss
is in [0, 1], so the factor is a hundred times as large.
"""


class Suggestion(msgspec.Struct, frozen=True, omit_defaults=True):
    """A turn that the analysis suggests: one of the best that the player could have played.

    Attributes:
        reply: the turn as a bot's reply.
        value: the player's expected score after this turn.
        follow: the turns that are likely to be played next, as pairs of a player and the player's reply.
        actions: the turn as atomic actions; empty if only `reply` is known.
    """

    reply: str
    value: Score
    follow: list[tuple[PlayerNumber, str]] = []
    actions: list[Number] = []


class TurnAnalysis(msgspec.Struct, omit_defaults=True, kw_only=True):
    """The analysis of one player's part in one referee turn.

    Attributes:
        turn: number of the referee turn, from 1.
        player: the player who was asked.
        reply: the player's recorded reply; None if there was none.
        before: the player's expected score if the best turn had been played.
        after: the player's expected score after the turn that was played; None if not known.
        loss: expected score that the player lost with this turn, `before` - `after`, at least 0; None if not known. If
            two searches judged the turn, the smaller loss that they found.
        mark: "inaccuracy", "mistake" or "blunder"; "" for a good turn.
        reason: why a marked turn is worse than the best turn, in a sentence; "" if the game knows no reason.
        best: the best turns according to the search, the best first.
        nodes: number of nodes of the search. Each search method defines what a node is.
        proven: whether the search proved the value of `before`.
    """

    turn: Number
    player: PlayerNumber
    reply: str | None
    before: Score
    after: Score | None = None
    loss: Score | None = None
    mark: Mark = ""
    reason: str = ""
    best: list[Suggestion] = []
    nodes: Number = 0
    proven: bool = False


class Analysis(msgspec.Struct, omit_defaults=True, kw_only=True):
    """The analysis of a match.

    Attributes:
        format: name and version of the format.
        game: name of the game.
        moves: hash that identifies the match (`moves_of`).
        engine: name of the search that evaluated the turns.
        nodes: node limit of the search for one turn; None for no such limit.
        ms: time limit of the search for one turn, in milliseconds; None for no such limit.
        values: one item for each position in which a player was asked, and one for the position at the end of the game.
            An item is the number of the referee turn, and a list of each player's expected score before that turn (None
            if not known).
        turns: the analysed turns, in the order of play.
        accuracy: each player's accuracy in per cent (`accuracy_of`); None if not known.
        whole: whether all turns of the match were analysed.
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
        """Returns the number of a player's turns with each mark, by mark, the worst mark first."""
        marks = [analysed.mark for analysed in self.turns if analysed.player == player]
        return {mark: marks.count(mark) for _, mark in MARKS}

    def chances(self, judged: TurnAnalysis) -> tuple[float, float | None]:
        """Returns a player's winning chances before and after a turn, as pages show them; None if not known.

        They are the player's `values` before and after the turn, so that they agree with charts. Two searches have
        judged a turn, so its own numbers may be others. A turn has its own numbers if the values are not known, if its
        value is proven, and if it is marked although the values do not fall, as after a lucky draw.

        Args:
            judged: one of the analysed turns.
        """
        values = {turn: row[judged.player] for turn, row in self.values}
        following = min((turn for turn in values if turn > judged.turn), default=0)
        before, after = values.get(judged.turn), values.get(following)
        before = judged.before if before is None or judged.proven else before
        after = judged.after if after is None else after
        if judged.mark and judged.after is not None and after is not None and after >= before:
            return judged.before, judged.after
        return before, after

    def check_is_of(self, record: Record) -> None:
        """Raises RecordError if this is not the analysis of the match in `record`, or if it has other players."""
        if (self.game, self.moves) != (record.game, moves_of(record)):
            raise RecordError("this is the analysis of another match")
        players = record.load_setup().players or 0
        numbers = {analysed.player for analysed in self.turns}
        numbers |= {
            player for analysed in self.turns for suggestion in analysed.best for player, _ in suggestion.follow
        }
        counts = {len(values) for _, values in self.values} | {len(self.accuracy) or players}
        if max(numbers, default=0) >= players or not counts <= {players}:
            raise RecordError("the analysis has other players than the match")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the analysis to the file `path`, as JSON. An existing file is replaced.

        Raises:
            RecordError: the file cannot be written.
        """
        write_atomically(Path(path), msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n")


def load_analysis(path: str | os.PathLike[str], record: Record | None = None) -> Analysis:
    """Reads an analysis from a file.

    Args:
        path: the file.
        record: the match that the analysis must belong to; None for any match.

    Raises:
        RecordError: the file cannot be read, contains no analysis, or contains the analysis of another match.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise RecordError(f"cannot read {str(path)!r}: {error.strerror}") from None
    if len(data) > _MOST_BYTES:
        raise RecordError(f"{path}: no analysis has more than {_MOST_BYTES >> 20} MB")
    try:
        analysis = msgspec.json.decode(data, type=Analysis)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RecordError(f"{path}: not a valid analysis: {shortened(str(error), 200)}") from None
    except RecursionError:
        raise RecordError(f"{path}: not a valid analysis: nested too deeply") from None
    if analysis.format != FORMAT:
        raise RecordError(f"{path}: an analysis of another format, {shortened(analysis.format, 40)!r}")
    if record is not None:
        try:
            analysis.check_is_of(record)
        except RecordError as error:
            raise RecordError(f"{path}: {error}") from None
    return analysis


def moves_of(record: Record) -> str:
    """Returns 16 hexadecimal digits that identify a match: a hash of its setup and all its replies."""
    parts: list[Any] = [record.game, sorted(record.setup.items())]
    parts += [(entry.turn, entry.player, entry.action) for entry in record.turns]
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:16]


def mark_of(loss: float) -> Mark:
    """Returns the mark for a turn, such as "mistake", from its loss of expected score; "" for a good turn."""
    return next((mark for least, mark in MARKS if loss >= least), "")


def accuracy_of(losses: list[float]) -> float | None:
    """Returns a player's accuracy: how good the player's turns were on average, in per cent.

    `losses` contains the loss of expected score of each turn. A turn without a loss has an accuracy of 100 per cent;
    the constant `_ACCURACY_DECAY` documents the formula. For an empty list, returns None.
    """
    if not losses:
        return None
    each = [min(100.0, max(0.0, 103.1668 * exp(-_ACCURACY_DECAY * loss) - 3.1669)) for loss in losses]
    return round(sum(each) / len(each), 1)
