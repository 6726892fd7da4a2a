"""What came of a tournament: its cross table, for people, for scripts, for notebooks."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from lapilli.arena.crosstable import Against, Row
from lapilli.arena.pairings import Format
from lapilli.arena.running import Ending

if TYPE_CHECKING:
    from lapilli.arena.tournament import Tournament


@dataclass(frozen=True, kw_only=True)
class FinalTable:
    """Where a tournament stands, or what came of it.

    Attributes:
        event: its number in the store. name: what people call it. game: its name. format: how players met.
        rows: the players, the strongest first.
        cross: by rows and columns in that order, what the one scored against the other.
        ending: why it stopped; None while it goes on. rounds: played or being played. all_rounds: there are.
        matches: that are played. all_matches: there are to play. resumed: that were there before.
        abandoned: that counted for nobody, in this run. jobs: matches at once. seconds: how long this run took.
    """

    event: int
    name: str
    game: str
    format: Format
    rows: tuple[Row, ...]
    cross: tuple[tuple[Against, ...], ...]
    ending: Ending | None
    rounds: int
    all_rounds: int
    matches: int
    all_matches: int
    resumed: int
    abandoned: int
    jobs: int
    seconds: float

    @classmethod
    def of(cls, tournament: Tournament, jobs: int = 1) -> FinalTable:
        """Where a tournament stands."""
        table, terms = tournament.table, tournament.terms
        rows = tuple(table.rows())
        return cls(
            event=tournament.event.id,
            name=tournament.event.name,
            game=terms.recipe.game,
            format=terms.format,
            rows=rows,
            cross=tuple(tuple(table.against(row.place, column.place) for column in rows) for row in rows),
            ending=tournament.ending,
            rounds=len(tournament.rounds),
            all_rounds=terms.all_rounds,
            matches=tournament.matches,
            all_matches=tournament.all_matches,
            resumed=tournament.resumed,
            abandoned=tournament.abandoned,
            jobs=jobs,
            seconds=tournament.seconds,
        )

    @property
    def sentence(self) -> str:
        """What it comes to, or what to do about it."""
        if self.ending == Ending.TOO_BUSY:
            at_once = f"{self.jobs} matches at once" if self.jobs > 1 else "a match"
            return f"This machine is too busy for {at_once}: play fewer at once (--jobs), or allow a margin (--margin)."
        played = f"{self.matches} of {self.all_matches} matches"
        if self.ending != Ending.PLAYED:
            return f"{played} are played: the same command goes on."
        first, *others = self.rows
        clear = all(first.rating.low > other.rating.high for other in others)
        if clear:
            return f"{first.figures.name} is the strongest ({elo_text(first)} Elo, 95 %, {self.matches} matches)."
        close = [row.figures.name for row in others if row.rating.high >= first.rating.low]
        return (
            f"{first.figures.name} is first, but {_some(close)} may be as strong: "
            f"{self.matches} matches do not tell them apart."
        )

    def to_json(self) -> dict[str, Any]:
        """What `lapilli tournament --json` prints."""
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
            "resumed": self.resumed,
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
        """The cross table as CSV: a line a player, first the names of the columns."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(self.lines())
        return text.getvalue()

    def to_markdown(self) -> str:
        """The cross table as Markdown."""
        head, *rest = ([_bare(cell) for cell in line] for line in self.lines())
        rule = ["---:" if column in _NUMBERS else "---" for column in head]
        return "\n".join(f"| {' | '.join(line)} |" for line in [head, rule, *rest]) + "\n"

    def lines(self) -> list[list[str]]:
        """The cross table as texts: the columns' names, then a line a player."""
        head = [*_NUMBERS[:1], "player", *_NUMBERS[1:], "faults", *(f"{row.rank}" for row in self.rows)]
        return [head, *(self._line(row) for row in self.rows)]

    def _line(self, row: Row) -> list[str]:
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
        """For notebooks."""

        def row(tag: str, line: list[str]) -> str:
            return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in line)}</tr>"

        head, *lines = self.lines()
        body = "".join(row("td", line) for line in lines)
        return f"<p>{escape(self.sentence)}</p><table>{row('th', head)}{body}</table>"

    def __str__(self) -> str:
        return f"{self.to_markdown()}\n{self.sentence}"


_NUMBERS = ("rank", "elo", "low", "high", "points", "of", "wins", "draws", "losses")
"""The columns of numbers, beside what is scored against each."""


def elo_text(row: Row) -> str:
    """Elo and how far the 95 % interval reaches, as in "+35 (+12 to +58)"."""
    return f"{row.rating.elo:+.0f} ({row.rating.low:+.0f} to {row.rating.high:+.0f})"


def cell_text(cell: Against) -> str:
    """Points of so many matches, as in "3.5/6"; empty where there is none."""
    return f"{cell.points:g}/{cell.matches}" if cell.matches else ""


def faults_text(row: Row) -> str:
    """How many of each kind; empty without any."""
    return ", ".join(f"{number} {kind}" for kind, number in sorted(row.figures.faults.items()))


def _bare(text: str) -> str:
    """A text that Markdown takes for a table's cell."""
    return text.replace("|", "\\|").replace("\n", " ")


def _some(names: list[str], most: int = 3) -> str:
    if len(names) == 1:
        return names[0]
    if len(names) <= most:
        return f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{len(names)} others"
