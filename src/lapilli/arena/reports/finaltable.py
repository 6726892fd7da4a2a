"""The result of a tournament: a sentence and a cross table, as CSV, Markdown, JSON, and HTML for notebooks."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from html import escape
from typing import Any

from lapilli.arena.progress.pairings import Format
from lapilli.arena.progress.running import StopReason
from lapilli.arena.reports.crosstable import Against, CrosstableRow
from lapilli.arena.reports.earlier import EarlierMatches
from lapilli.arena.reports.figures import elo_for_brackets
from lapilli.store import Store


@dataclass(frozen=True, kw_only=True)
class FinalTable:
    """The standings of a running or finished tournament.

    Attributes:
        event: number of the event in the store.
        name: name of the tournament.
        game: name of the game.
        format: round robin, gauntlet or Swiss.
        rows: row of each contestant, the strongest first.
        cross: score of each contestant (row) against each other contestant (column), both in the order of `rows`.
        ending: reason why the run stopped; None while it has not stopped.
        rounds: number of rounds that have begun.
        all_rounds: number of rounds of the whole tournament.
        matches: number of finished matches.
        all_matches: number of matches of the whole tournament.
        earlier: the matches stored before this run.
        abandoned: number of matches abandoned in this run.
        jobs: number of matches played at once.
        seconds: duration of this run, in seconds.
    """

    event: int
    name: str
    game: str
    format: Format
    rows: tuple[CrosstableRow, ...]
    cross: tuple[tuple[Against, ...], ...]
    ending: StopReason | None
    rounds: int
    all_rounds: int
    matches: int
    all_matches: int
    earlier: EarlierMatches
    abandoned: int
    jobs: int
    seconds: float

    @property
    def resumed(self) -> int:
        """Number of matches stored before this run."""
        return self.earlier.matches

    @property
    def sentence(self) -> str:
        """The result of the tournament, or the next thing that the user should do, in one or two sentences."""
        if self.ending == StopReason.TOO_BUSY:
            at_once = f"{self.jobs} matches at once" if self.jobs > 1 else "a match"
            return f"This machine is too busy for {at_once}: play fewer at once (--jobs) or allow a --margin."
        played = f"{self.matches} of {self.all_matches} matches"
        if self.ending != StopReason.PLAYED:
            return f"{played} were played. Run the same command again to continue."
        first, *others = self.rows
        is_clear = all(first.rating.low > other.rating.high for other in others)
        if is_clear:
            elo = elo_for_brackets(first.rating.elo, first.rating.low, first.rating.high)
            return f"{first.figures.name} is the strongest ({elo}; {self.matches} matches)."
        close = [row.figures.name for row in others if row.rating.high >= first.rating.low]
        return (
            f"{first.figures.name} is first, but {_some(close)} may be as strong: "
            f"{self.matches} matches are too few to decide."
        )

    def finish(self, store: Store) -> None:
        """Marks the tournament as finished in its store, with this result, if all matches are played."""
        if self.ending == StopReason.PLAYED:
            store.finish(self.event, self.sentence)

    def to_json(self) -> dict[str, Any]:
        """Returns the data that `lapilli tournament --json` prints."""
        names = [row.figures.name for row in self.rows]
        return {
            "event": self.event,
            "name": self.name,
            "game": self.game,
            "format": self.format.value,
            "sentence": self.sentence,
            "ending": self.ending,
            "rounds": self.rounds,
            "matches": self.matches,
            "all_matches": self.all_matches,
            **self.earlier.to_json(),
            "abandoned": self.abandoned,
            "seconds": round(self.seconds, 1),
            "players": [
                {
                    "rank": row.rank,
                    "elo": round(row.rating.elo, 1),
                    "elo_low": round(row.rating.low, 1),
                    "elo_high": round(row.rating.high, 1),
                    "points": row.points,
                    "possible": row.possible,
                    "wins": row.wins,
                    "draws": row.draws,
                    "losses": row.losses,
                    **row.figures.to_json(),
                    "against": {
                        name: {"points": cell.points, "matches": cell.matches}
                        for name, cell in zip(names, cells, strict=True)
                        if cell.matches
                    },
                }
                for row, cells in zip(self.rows, self.cross, strict=True)
            ],
        }

    def to_csv(self) -> str:
        """Returns the cross table as CSV: a line of column names, then one line per contestant."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(self.lines())
        return text.getvalue()

    def to_markdown(self) -> str:
        """Returns the cross table in the syntax of Markdown, with one row per contestant."""
        head, *rest = ([_bare(cell) for cell in line] for line in self.lines())
        rule = ["---:" if column in _NUMBERS else "---" for column in head]
        return "\n".join(f"| {' | '.join(line)} |" for line in [head, rule, *rest]) + "\n"

    def lines(self) -> list[list[str]]:
        """Returns the cross table as strings: a list of column names, then one list per contestant."""
        head = [*_NUMBERS[:1], "player", *_NUMBERS[1:], "faults", *(f"{row.rank}" for row in self.rows)]
        return [head, *(self._line(row) for row in self.rows)]

    def _line(self, row: CrosstableRow) -> list[str]:
        rating = row.rating
        return [
            f"{row.rank}",
            row.figures.name,
            *(f"{elo:.0f}" for elo in (rating.elo, rating.low, rating.high)),
            f"{row.points:g}",
            *map(str, (row.possible, row.wins, row.draws, row.losses)),
            faults_text(row),
            *map(cell_text, self.cross[row.rank - 1]),
        ]

    def _repr_html_(self) -> str:
        """Returns the sentence and the cross table as HTML, for notebooks."""

        def row(tag: str, line: list[str]) -> str:
            return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in line)}</tr>"

        head, *lines = self.lines()
        body = "".join(row("td", line) for line in lines)
        return f"<p>{escape(self.sentence)}</p><table>{row('th', head)}{body}</table>"

    def __str__(self) -> str:
        return f"{self.to_markdown()}\n{self.sentence}"


_NUMBERS = ("rank", "elo", "low", "high", "points", "of", "wins", "draws", "losses")
"""Names of the numeric columns of the cross table, except the columns for the scores against each opponent."""


def cell_text(cell: Against) -> str:
    """Formats a cell of the cross table as points and number of matches, as in "3.5/6"; "" without a match."""
    return f"{cell.points:g}/{cell.matches}" if cell.matches else ""


def faults_text(row: CrosstableRow) -> str:
    """Formats a contestant's number of faults by kind, as in "2 invalid, 1 timeout"; "" without faults."""
    return ", ".join(f"{number} {kind}" for kind, number in sorted(row.figures.faults.items()))


def _bare(text: str) -> str:
    """Escapes a text for a cell of a Markdown table."""
    return text.replace("|", "\\|").replace("\n", " ")


def _some(names: list[str], most: int = 3) -> str:
    if len(names) == 1:
        return names[0]
    if len(names) <= most:
        return f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{len(names)} others"
