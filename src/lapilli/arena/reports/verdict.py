"""The result of a comparison: figures, a verdict in one sentence, JSON, and HTML for notebooks."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from lapilli.arena.events.comparison import Comparison
from lapilli.arena.events.running import StopReason
from lapilli.arena.events.scoreboard import Side
from lapilli.arena.reports.earlier import EarlierMatches
from lapilli.arena.statistics import Decision, DifferenceEstimate, EloEstimate, Sprt, Times, estimate

BETTER, WORSE, NOT_BETTER, UNDECIDED = "better", "worse", "not better", "undecided"


@dataclass(frozen=True, kw_only=True)
class PlayerFigures:
    """The faults and reply times of one player.

    Attributes:
        name: name of the player.
        faults: number of matches with a fault of the player, by kind of fault.
        answers: number of replies.
        p50_ms, p99_ms: median and 99th percentile of the reply times, in milliseconds, with an error of up to 2.5 %.
        max_ms: longest reply time, in milliseconds, rounded up by up to 5 %.
        mean_cpu_ms: mean processor time per reply, in milliseconds; 0 if unknown.
        waited_ms: total time that the player waited for a processor, in milliseconds.
    """

    name: str
    faults: dict[str, int]
    answers: int
    p50_ms: float
    p99_ms: float
    max_ms: float
    mean_cpu_ms: float
    waited_ms: float

    @classmethod
    def of(cls, name: str, side: Side) -> PlayerFigures:
        """Returns the figures of the player with this name, from its counts in a scoreboard."""
        times = Times.of_buckets(side.times)
        return cls(
            name=name,
            faults=dict(side.faults),
            answers=side.answers,
            p50_ms=round(times.quantile_ms(0.5), 3),
            p99_ms=round(times.quantile_ms(0.99), 3),
            max_ms=round(times.max_ms, 3),
            mean_cpu_ms=round(side.cpu_ms / side.answers, 3) if side.answers else 0.0,
            waited_ms=round(side.waited_ms, 3),
        )

    def to_json(self) -> dict[str, Any]:
        """Returns the figures as JSON data."""
        timing = asdict(self)
        name, faults = timing.pop("name"), timing.pop("faults")
        return {"name": name, "faults": faults, "timing": timing}


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The result of a comparison of A and B, seen from A.

    Attributes:
        event: number of the event in the store.
        game: name of the game.
        wins, draws, losses: number of matches that A won, drew and lost, in counted pairs.
        pairs: number of counted pairs that A won, drew and lost.
        elo: score and Elo with 95 % intervals.
        llr: log-likelihood ratio of the test; None without a test.
        sprt: the sequential test; None without a test.
        points: mean difference of the game's points, per match.
        players: faults and reply times of A and B.
        ending: why the run stopped; None until then.
        matches: number of finished matches, also in pairs that are not counted.
        earlier: the matches stored before this run.
        abandoned: number of matches abandoned in this run.
        varied: whether later pairs started from openings, because both players always play the same moves.
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
    llr: float | None
    sprt: Sprt | None
    points: DifferenceEstimate
    players: tuple[PlayerFigures, PlayerFigures]
    ending: StopReason | None
    matches: int
    earlier: EarlierMatches
    abandoned: int
    varied: bool
    jobs: int
    seconds: float
    decision: Decision

    @classmethod
    def of(cls, comparison: Comparison, jobs: int = 1) -> Verdict:
        """Returns the result of a comparison so far; `jobs` is the number of matches played at once."""
        board, counts = comparison.board, comparison.board.counts
        names = [contestant.name for contestant in comparison.spec.recipe.contestants]
        return cls(
            event=comparison.event.id,
            game=comparison.spec.recipe.game,
            wins=board.wins,
            draws=board.draws,
            losses=board.losses,
            pairs=(counts.wins, counts.draws, counts.losses),
            elo=estimate(counts),
            llr=board.llr,
            sprt=comparison.spec.sprt,
            points=board.differences.estimate(),
            players=(PlayerFigures.of(names[0], board.sides[0]), PlayerFigures.of(names[1], board.sides[1])),
            ending=comparison.ending,
            matches=board.matches,
            earlier=EarlierMatches.of(comparison),
            abandoned=comparison.abandoned,
            varied=comparison.varied,
            jobs=jobs,
            seconds=comparison.seconds,
            decision=board.decision,
        )

    @property
    def resumed(self) -> int:
        """Number of matches stored before this run."""
        return self.earlier.matches

    @property
    def verdict(self) -> str:
        """The verdict: A is "better", "worse" or "not better" than B, or "undecided".

        "not better" means that the test has decided for H0, but A and B may be equally strong.
        """
        if self.sprt:
            if self.decision == Decision.H1:
                return BETTER
            if self.decision == Decision.H0:
                return WORSE if self.elo.high < 0 else NOT_BETTER
            return UNDECIDED
        if not sum(self.pairs):
            return UNDECIDED
        return BETTER if self.elo.low > 0 else WORSE if self.elo.high < 0 else UNDECIDED

    @property
    def sentence(self) -> str:
        """The result, and the next thing to do, in one sentence."""
        a, b = (player.name for player in self.players)
        matches = f"{self.wins + self.draws + self.losses} matches"
        figures = f"{self.elo_text} Elo, 95 %, from {matches}"
        if self.ending == StopReason.TOO_BUSY:
            at_once = f"{self.jobs} matches at once" if self.jobs > 1 else "a match"
            return f"This machine is too busy for {at_once}: play fewer at once (--jobs) or allow a --margin."
        sentences = {
            BETTER: f"{a} is better than {b}: keep it ({figures}).",
            WORSE: f"{a} is worse than {b}: do not keep it ({figures}).",
            NOT_BETTER: f"By this test, {a} is not better than {b}: do not keep it ({figures}).",
        }
        if self.verdict in sentences:
            return sentences[self.verdict]
        if self.ending == StopReason.REPEATED:
            return f"Undecided: {a} and {b} always play the same moves, and all starts have been played ({figures})."
        if not sum(self.pairs):
            return "Undecided: no pair of matches is complete yet."
        return f"Undecided after {matches}: play more. {a} − {b} = {self.elo_text} Elo, 95 %."

    @property
    def elo_text(self) -> str:
        """Elo with its 95 % interval, as in "+35 (+12 to +58)"."""
        return f"{self.elo.elo:+.0f} ({self.elo.low:+.0f} to {self.elo.high:+.0f})"

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
            "pairs": dict(zip(("won", "drawn", "lost"), self.pairs, strict=True)),
            "points": {"mean": self.points.mean, "low": self.points.low, "high": self.points.high},
            "players": [a.to_json(), b.to_json()],
            "matches": self.matches,
            **self.earlier.to_json(),
            "abandoned": self.abandoned,
            "varied_starts": self.varied,
            "seconds": round(self.seconds, 1),
        }

    def _repr_html_(self) -> str:
        """Returns the sentence and a table of figures as HTML, for notebooks."""
        rows = [
            ("won, drawn, lost", f"{self.wins}, {self.draws}, {self.losses}"),
            ("Elo", f"{self.elo_text}, 95 %"),
            ("better than the other", f"{100 * self.elo.los:.1f} %"),
            *((f"faults of {player.name}", _faults(player)) for player in self.players if player.faults),
        ]
        cells = "".join(f"<tr><th>{escape(key)}</th><td>{escape(value)}</td></tr>" for key, value in rows)
        return f"<p>{escape(self.sentence)}</p><table>{cells}</table>"

    def __str__(self) -> str:
        return self.sentence


def _faults(player: PlayerFigures) -> str:
    return ", ".join(f"{number} {kind}" for kind, number in sorted(player.faults.items()))
