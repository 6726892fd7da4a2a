"""The result of a comparison: statistics, a verdict in one sentence, JSON, and HTML for notebooks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from lapilli.arena.matches.playing import Keep
from lapilli.arena.progress.comparison import Comparison
from lapilli.arena.progress.running import StopReason
from lapilli.arena.progress.scoreboard import Side
from lapilli.arena.reports.earlier import EarlierMatches
from lapilli.arena.reports.figures import elo_for_brackets, elo_with_interval, faults_text, not_counted_text
from lapilli.arena.statistics import Decision, DifferenceEstimate, EloEstimate, EloModel, Sprt, Times, estimate
from lapilli.arena.statistics.times import rounded_ms
from lapilli.core.picture.words import plural
from lapilli.store import Store

BETTER, WORSE, NOT_BETTER, UNDECIDED = "better", "worse", "not better", "undecided"
_EQUAL_ELO = 20.0
"""Two players count as equal if the 95 % interval of their Elo difference lies between minus and plus this number."""


@dataclass(frozen=True, kw_only=True)
class PlayerFigures:
    """The faults and reply times of one contestant in an event.

    Attributes:
        name: name of the contestant.
        matches: number of the contestant's matches that the other attributes cover.
        faults: number of matches with a fault of the contestant, by kind of fault.
        last_fault: number of the last match with a fault of the contestant; None if there is none.
        answers: number of times that the contestant was asked for a reply.
        p50_ms, p99_ms, max_ms: median, 99th percentile and maximum of the reply times, in milliseconds, with two
            significant digits.
        mean_cpu_ms: mean processor time for one reply, in milliseconds; None if unknown, as for built-in opponents.
        waited_ms: total time that the contestant waited for a processor, in milliseconds.
    """

    name: str
    matches: int
    faults: dict[str, int]
    last_fault: int | None
    answers: int
    p50_ms: float
    p99_ms: float
    max_ms: float
    mean_cpu_ms: float | None
    waited_ms: float

    @classmethod
    def of(cls, name: str, side: Side) -> PlayerFigures:
        """Returns the faults and reply times of the contestant `name`, from its sums in a scoreboard."""
        times = Times.of_buckets(side.times)
        return cls(
            name=name,
            matches=side.standings.total(),
            faults=dict(side.faults),
            last_fault=side.last_fault,
            answers=side.answers,
            p50_ms=rounded_ms(times.quantile_ms(0.5)),
            p99_ms=rounded_ms(times.quantile_ms(0.99)),
            max_ms=rounded_ms(times.max_ms),
            mean_cpu_ms=round(side.cpu_ms / side.answers, 3) if side.cpu_ms else None,
            waited_ms=round(side.waited_ms, 3),
        )

    def to_json(self) -> dict[str, Any]:
        """Returns the attributes as data for JSON, with answers and times under the key `timing`."""
        timing = asdict(self)
        more = {key: timing.pop(key) for key in ("name", "matches", "faults", "last_fault")}
        return {**more, "timing": timing}

    @property
    def fails(self) -> bool:
        """Whether the contestant had faults in at least half of its matches.

        Then its results say little about its play.
        """
        return bool(self.matches) and 2 * sum(self.faults.values()) >= self.matches


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The result of a comparison of A and B, seen from A. Only complete pairs of matches are counted.

    Attributes:
        event: number of the event in the store.
        game: name of the game.
        wins, draws, losses: number of matches that A won, drew and lost, in counted pairs.
        pairs: number of counted pairs that A won, drew and lost.
        elo: score and Elo with 95 % intervals.
        wanted: number of matches to count, as set by the user; with a test, the largest number. None for no limit.
        llr: log-likelihood ratio of the test; None without a test.
        sprt: the sequential test; None without a test.
        points: mean of A's points minus B's points in the game, per match.
        players: faults and reply times of A and B.
        ending: reason why the run stopped; None while it has not stopped.
        fault: number of the first finished match in which A or B had a fault; None if there is none.
        view: function that takes "EVENT/MATCH" and returns the command that shows this match; None if no records are
            stored.
        matches: number of finished matches, also in pairs that are not counted.
        earlier: the matches stored before this run.
        abandoned: number of matches abandoned in this run.
        repeats: whether both players always play the same moves, so that the second pair does not count.
        varied: whether later pairs were played from openings, because matches repeated earlier ones.
        different: number of different matches; None while the run has not stopped, and if starts depend on the seed.
        jobs: number of matches played at once.
        seconds: duration of this run, in seconds.
        decision: decision of the test.
    """

    event: int
    game: str
    wins: int
    draws: int
    losses: int
    pairs: tuple[int, int, int]
    elo: EloEstimate
    wanted: int | None
    llr: float | None
    sprt: Sprt | None
    points: DifferenceEstimate
    players: tuple[PlayerFigures, PlayerFigures]
    ending: StopReason | None
    fault: int | None
    view: Callable[[str], str] | None
    matches: int
    earlier: EarlierMatches
    abandoned: int
    repeats: bool
    varied: bool
    different: int | None
    jobs: int
    seconds: float
    decision: Decision

    @classmethod
    def of(cls, comparison: Comparison, jobs: int = 1, view: Callable[[str], str] | None = None) -> Verdict:
        """Returns the result of a comparison so far.

        Args:
            comparison: the comparison.
            jobs: number of matches played at once.
            view: function that takes "EVENT/MATCH" and returns the command that shows this match; ignored if the
                comparison stores no records.
        """
        board, counts, recipe = comparison.board, comparison.board.counts, comparison.spec.recipe
        names = [contestant.name for contestant in recipe.contestants]
        return cls(
            event=comparison.event.id,
            game=comparison.spec.recipe.game,
            wins=board.wins,
            draws=board.draws,
            losses=board.losses,
            pairs=(counts.wins, counts.draws, counts.losses),
            elo=estimate(counts),
            wanted=comparison.spec.matches,
            llr=board.llr,
            sprt=comparison.spec.sprt,
            points=board.differences.estimate(),
            players=(PlayerFigures.of(names[0], board.sides[0]), PlayerFigures.of(names[1], board.sides[1])),
            ending=comparison.ending,
            fault=board.fault,
            view=None if recipe.keep == Keep.NONE else view,
            matches=board.matches,
            earlier=EarlierMatches.of(comparison),
            abandoned=comparison.abandoned,
            repeats=board.repeats,
            varied=comparison.varied,
            different=None if comparison.ending is None else comparison.different(),
            jobs=jobs,
            seconds=comparison.seconds,
            decision=board.decision,
        )

    def finish(self, store: Store) -> None:
        """Marks the comparison as finished in its store, with this result, unless it was interrupted."""
        if self.ending not in (None, StopReason.INTERRUPTED):
            store.finish(self.event, self.sentence, sum(self.pairs))

    @property
    def resumed(self) -> int:
        """Number of matches stored before this run."""
        return self.earlier.matches

    @property
    def counted(self) -> int:
        """Number of matches in the counted pairs."""
        return self.wins + self.draws + self.losses

    @property
    def verdict(self) -> str:
        """The verdict: A is "better", "worse" or "not better" than B, or "undecided".

        "not better" means that the test has decided for H0, but A and B may be equally strong. Without a test, the
        verdict is "undecided" until all matches are played, because an earlier verdict would be wrong too often.
        """
        if self.sprt:
            if self.decision == Decision.H1:
                return BETTER
            if self.decision == Decision.H0:
                return WORSE if self.elo.high < 0 else NOT_BETTER
            return UNDECIDED
        if self.ending not in (StopReason.PLAYED, StopReason.REPEATED) or not self.counted:
            return UNDECIDED
        return BETTER if self.elo.low > 0 else WORSE if self.elo.high < 0 else UNDECIDED

    @property
    def equal_within(self) -> int | None:
        """Elo within which both players are equal: the largest absolute Elo in the 95 % interval, rounded up.

        None if this value is above 20, or if the verdict is not "undecided".
        """
        bound = max(-self.elo.low, self.elo.high)
        return math.ceil(bound) if self.verdict == UNDECIDED and bound <= _EQUAL_ELO else None

    @property
    def sentence(self) -> str:
        """The result of the comparison, and the next thing that the user should do, in one or two sentences."""
        if self.ending == StopReason.TOO_BUSY:
            at_once = f"{self.jobs} matches at once" if self.jobs > 1 else "a match"
            return f"This machine is too busy for {at_once}: play fewer at once (--jobs) or allow a --margin."
        if self.ending == StopReason.FAULT and self.fault is not None:
            return f"Stopped at a fault in match {self.event}/{self.fault}{self._see(self.fault)}. {self._so_far}"
        failing = [self._faulty(player) for player in self.players if player.fails]
        return " ".join([*failing, self._so_far]) if failing else self._result

    @property
    def _result(self) -> str:
        """The result in one or two sentences, if neither player had faults in at least half of its matches."""
        a, b = (player.name for player in self.players)
        figures = f"{elo_for_brackets(self.elo.elo, self.elo.low, self.elo.high)}; from {_matches(self.counted)}"
        if self.verdict == BETTER and self.sprt and self.sprt.elo0 < 0 and self.elo.low <= 0:
            return f"By this test, {a} is not {_elo(-self.sprt.elo0, self.sprt)} worse than {b}: keep it ({figures})."
        if self.verdict == BETTER:
            return f"{a} is better than {b}: keep it ({figures})."
        if self.verdict == WORSE:
            return f"{a} is worse than {b}: do not keep it ({figures})."
        if self.verdict == NOT_BETTER and self.sprt:
            return f"By this test, {a} is {_h0(self.sprt)} {b}: do not keep it ({figures})."
        if self.ending == StopReason.INTERRUPTED:
            wanted = f" of {self.wanted:,}" if self.wanted else ""
            return f"Stopped after {self.counted:,}{wanted} matches, without a verdict. {self._so_far}"
        if not self.counted:
            return "Undecided: no pair of matches is complete yet."
        if self.ending == StopReason.REPEATED:
            return f"Undecided: {a} and {b} always play the same moves, and all starts have been played ({figures})."
        if self.equal_within is not None:
            return f"{a} and {b} are equal to within {self.equal_within} Elo ({figures})."
        return f"Undecided after {_matches(self.counted)}: play more. {a} − {b} = {self.elo_in_words}, 95 %."

    @property
    def _so_far(self) -> str:
        """The Elo so far in one sentence, for a result without a verdict."""
        if not self.counted:
            return "No pair of matches is complete."
        a, b = (player.name for player in self.players)
        return f"So far, {a} − {b} = {self.elo_in_words}, 95 %, from {_matches(self.counted)}."

    def _faulty(self, player: PlayerFigures) -> str:
        number = sum(player.faults.values())
        share = f"all {number:,}" if number == player.matches else f"{number:,} of {player.matches:,}"
        matches = f"{share} matches ({faults_text(player.faults)})"
        see = "" if player.last_fault is None else self._see(player.last_fault)
        return f"{player.name} ended by its own fault in {matches}: mend that first{see}."

    def _see(self, match: int) -> str:
        return f"; see `{self.view(f'{self.event}/{match}')}`" if self.view else ""

    @property
    def elo_text(self) -> str:
        """Elo with its 95 % interval, as in "+35 (+12 to +58)", or "at least +153"."""
        return elo_with_interval(self.elo.elo, self.elo.low, self.elo.high)

    @property
    def elo_in_words(self) -> str:
        """Elo with its 95 % interval, as in "+35 Elo (+12 to +58)", or "at least +153 Elo"."""
        return elo_with_interval(self.elo.elo, self.elo.low, self.elo.high, "Elo")

    @property
    def not_counted(self) -> str:
        """A note about stored matches that do not count, such as those of incomplete pairs; empty if all count."""
        is_decided = self.ending in (StopReason.DECIDED, StopReason.PLAYED, StopReason.REPEATED)
        return not_counted_text(self.matches - self.counted, is_decided, self.repeats)

    @property
    def repetitions(self) -> str:
        """A note about matches that repeat others, and whether later matches use openings; empty if none repeat."""
        if self.repeats:
            note = "Both players always play the same moves"
        elif self.different is not None and self.different < self.matches:
            note = f"Of {_matches(self.matches)}, {self.different:,} are different: the others repeat them"
        else:
            return ""
        return f"{note}{', so later matches start from different openings' if self.varied else ''}."

    def to_json(self) -> dict[str, Any]:
        """Returns the data that `lapilli compare --json` prints."""
        a, b = self.players
        return {
            "event": self.event,
            "game": self.game,
            "verdict": self.verdict,
            "sentence": self.sentence,
            "ending": self.ending,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "score": round(self.elo.score, 4),
            "elo": round(self.elo.elo, 1),
            "elo_low": round(self.elo.low, 1),
            "elo_high": round(self.elo.high, 1),
            "los": round(self.elo.los, 4),
            "llr": None if self.llr is None else round(self.llr, 3),
            "llr_bounds": [round(self.sprt.lower, 3), round(self.sprt.upper, 3)] if self.sprt else None,
            "elo0": self.sprt.elo0 if self.sprt else None,
            "elo1": self.sprt.elo1 if self.sprt else None,
            "elo_model": self.sprt.model if self.sprt else None,
            "equal_within": self.equal_within,
            "fault": None if self.fault is None else f"{self.event}/{self.fault}",
            "pairs": dict(zip(("won", "drawn", "lost"), self.pairs, strict=True)),
            "points": {"mean": self.points.mean, "low": self.points.low, "high": self.points.high},
            "players": [a.to_json(), b.to_json()],
            "wanted": self.wanted,
            "counted": self.counted,
            "matches": self.matches,
            **self.earlier.to_json(),
            "abandoned": self.abandoned,
            "varied_starts": self.varied,
            "different": self.different,
            "seconds": round(self.seconds, 1),
        }

    def _repr_html_(self) -> str:
        """Returns the sentence and a table of results as HTML, for notebooks."""
        rows = [
            ("won, drawn, lost", f"{self.wins}, {self.draws}, {self.losses}"),
            ("Elo", f"{self.elo_text}, 95 %"),
            ("better than the other", f"{100 * self.elo.los:.1f} %"),
            *((f"faults of {player.name}", faults_text(player.faults)) for player in self.players if player.faults),
        ]
        cells = "".join(f"<tr><th>{escape(key)}</th><td>{escape(value)}</td></tr>" for key, value in rows)
        return f"<p>{escape(self.sentence)}</p><table>{cells}</table>"

    def __str__(self) -> str:
        return self.sentence


def _matches(number: int) -> str:
    return f"{number:,} {plural(number, 'match')}"


def _elo(value: float, sprt: Sprt) -> str:
    unit = "normalized Elo" if sprt.model == EloModel.NORMALIZED else "Elo"
    return f"{value:g} {unit}"


def _h0(sprt: Sprt) -> str:
    """Returns what a test's verdict H0 says about A, in words to write between A and B: "not 40 Elo better than".

    `sprt`: the test.
    """
    if sprt.elo1 == 0:
        return "not as strong as"
    return (
        f"not {_elo(sprt.elo1, sprt)} better than"
        if sprt.elo1 > 0
        else f"more than {_elo(-sprt.elo1, sprt)} worse than"
    )
