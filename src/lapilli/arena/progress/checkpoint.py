"""Checkpoints: the state of a comparison's scoreboard (which counts the results) after some match.

A run stores a checkpoint now and then, so that the next run need not read all matches of the comparison again.
"""

from __future__ import annotations

from typing import Any

import msgspec

from lapilli.arena.statistics import Decision
from lapilli.store import Tally
from lapilli.store.results import MatchResult

FORMAT = 2
"""Number of this format. Increase it with each change of the counted values, so that older checkpoints are ignored."""


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a scoreboard, which counts the results of a comparison.

    Attributes:
        format: the value of FORMAT in the program that made this.
        after: id of the last match that was counted; matches that were stored later have larger ids.
        test: settings of the sequential test; None without a test.
        most: largest number of pairs to count; None for no limit.
        starts: number of openings that the user has set, which pairs use in turn.
        matches: number of finished matches, also in pairs that are not counted.
        complete: number of pairs before the first incomplete pair.
        counts: number of counted pairs by score.
        differences: sums over the score differences of the counted pairs.
        wins, draws, losses: number of matches of the counted pairs that contestant 0 won, drew and lost.
        repeats: whether both players always play the same moves.
        usual: number of pairs after which later pairs need other start positions, because matches repeat; None if not.
        decision: decision of the test.
        fault: number of the first finished match in which contestant 0 or 1 had a fault; None if there is none.
        sides: for each contestant, its sums, and the number of its last match with a fault.
        open: the finished matches of incomplete pairs.
        first: hashes of the moves of the first pair's matches.
        watched: hashes of the moves of the first matches, among which repetitions are searched.
    """

    format: int
    after: int
    test: dict[str, Any] | None
    most: int | None
    starts: int
    matches: int
    complete: int
    counts: list[int]
    differences: list[float]
    wins: int
    draws: int
    losses: int
    repeats: bool
    usual: int | None
    decision: Decision
    fault: int | None
    sides: list[tuple[Tally, int | None]]
    open: list[MatchResult]
    first: list[str]
    watched: list[str]

    def fits(self, test: dict[str, Any] | None, most: int | None, starts: int) -> bool:
        """Returns whether a scoreboard with these settings can continue from this checkpoint.

        This is so if it would have the same counts after the same matches.

        Args:
            test: settings of the scoreboard's sequential test; None without a test.
            most: largest number of pairs that the scoreboard counts; None for no limit.
            starts: number of openings that the user has set.
        """
        pairs = sum(self.counts)
        same = self.most == most or ((self.most is None or pairs < self.most) and (most is None or pairs <= most))
        return self.format == FORMAT and self.test == test and self.starts == starts and same


def read_checkpoint(text: str | None) -> Checkpoint | None:
    """Returns a stored checkpoint; None if there is none, or if it has another format."""
    try:
        return None if text is None else msgspec.json.decode(text, type=Checkpoint)
    except (msgspec.ValidationError, msgspec.DecodeError):
        return None


def write_checkpoint(checkpoint: Checkpoint) -> str:
    """Formats a checkpoint as JSON, in which form it is stored."""
    return msgspec.json.encode(checkpoint).decode()
