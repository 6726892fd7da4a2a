"""The result of a tuning: the tuned values, a sentence, JSON, and HTML for notebooks."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from lapilli.arena.matches.placeholders import Number, number_text
from lapilli.arena.progress.running import StopReason
from lapilli.arena.reports.earlier import EarlierMatches
from lapilli.arena.reports.verdict import Verdict
from lapilli.arena.tuning.parameters import Parameter, Values, starts, values_text
from lapilli.arena.tuning.tuning import Tuning


@dataclass(frozen=True, kw_only=True)
class Tuned:
    """The result of a tuning so far.

    Attributes:
        event: number of the event in the store.
        game: name of the game.
        name: name of the bot.
        parameters: the tuned parameters.
        values: tuned value of each parameter, by name.
        matches: number of finished matches of the tuning.
        all_matches: number of matches of the whole tuning.
        earlier: the matches stored before this run.
        ending: reason why the tuning stopped; None while it has not stopped.
        verdict: result of the comparison between tuned and start values; None if this comparison was not played. Only
            the comparison shows whether the tuned values are better.
    """

    event: int
    game: str
    name: str
    parameters: tuple[Parameter, ...]
    values: Values
    matches: int
    all_matches: int
    earlier: EarlierMatches
    ending: StopReason | None
    verdict: Verdict | None = None

    @classmethod
    def of(cls, tuning: Tuning) -> Tuned:
        """Returns the result of a tuning so far. The comparison of tuned and start values is not run yet."""
        return cls(
            event=tuning.event.id,
            game=tuning.spec.recipe.game,
            name=tuning.spec.name,
            parameters=tuning.spec.terms.parameters,
            values=tuning.course.values(),
            matches=tuning.matches,
            all_matches=tuning.all_matches,
            earlier=EarlierMatches.of(tuning),
            ending=tuning.ending,
        )

    @property
    def start(self) -> Values:
        """The start value of each parameter, by name."""
        return starts(self.parameters)

    @property
    def changed(self) -> bool:
        """Whether any tuned value differs from its start value.

        Two values count as equal if they are the same text in a bot's arguments.
        """
        return values_text(self.values) != values_text(self.start)

    @property
    def changes(self) -> str:
        """The start and tuned value of each parameter, as in "a 0.5 → 0.31, b 50 → 42"."""
        return ", ".join(f"{name} {_change(self.start[name], value)}" for name, value in self.values.items())

    @property
    def sentence(self) -> str:
        """The result of the tuning in one line: the changes of the values, and whether they are confirmed."""
        if self.ending != StopReason.PLAYED:
            so_far = f"{self.changes}, so far, after {self.matches:,} of {self.all_matches:,} matches: not confirmed."
            busy = " This machine is too busy: play fewer at once (--jobs) or allow a --margin."
            return so_far + (busy if self.ending == StopReason.TOO_BUSY else "")
        if not self.changed:
            return f"The start values stay: {values_text(self.values)}, after {self.matches:,} matches."
        if self.verdict is None:
            return f"{self.changes}, after {self.matches:,} matches: not confirmed."
        return f"{self.changes}. {self.verdict.sentence}"

    def to_json(self) -> dict[str, Any]:
        """Returns the data that `lapilli tune --json` prints."""
        return {
            "event": self.event,
            "game": self.game,
            "name": self.name,
            "values": self.values,
            "start": self.start,
            "parameters": [
                {"name": one.name, "low": one.low, "high": one.high, "int": one.whole, "log": one.log}
                for one in self.parameters
            ],
            "matches": self.matches,
            "all_matches": self.all_matches,
            **self.earlier.to_json(),
            "ending": self.ending,
            "sentence": self.sentence,
            "confirmation": self.verdict and self.verdict.to_json(),
        }

    def _repr_html_(self) -> str:
        """Returns the sentence and a table of values as HTML, for notebooks."""
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{_change(self.start[name], value)}</td></tr>"
            for name, value in self.values.items()
        )
        return f"<p>{escape(self.sentence)}</p><table>{rows}</table>"

    def __str__(self) -> str:
        return self.sentence


def _change(start: Number, value: Number) -> str:
    return f"{number_text(start)} → {number_text(value)}"
