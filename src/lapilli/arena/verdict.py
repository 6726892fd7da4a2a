"""What came of a comparison: figures, one sentence that a person can act on, and how it looks in a notebook."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from lapilli.arena.comparison import Comparison
from lapilli.arena.running import Ending
from lapilli.arena.scoreboard import Side
from lapilli.arena.statistics import Decision, DifferenceEstimate, EloEstimate, Sprt, Times, estimate

BETTER, WORSE, NOT_BETTER, UNDECIDED = "better", "worse", "not better", "undecided"


@dataclass(frozen=True, kw_only=True)
class PlayerFigures:
    """What one of the two did.

    Attributes:
        name: what people call it.
        faults: how many matches it failed in, by kind.
        answers: how many; p50_ms, p99_ms, max_ms: how long they took, within 2.5 %.
        mean_cpu_ms: processor time an answer; 0 where nobody could tell.
        waited_ms: how long it was kept waiting for a processor, in all.
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
        """From what was counted."""
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
        """As commands print it."""
        timing = asdict(self)
        name, faults = timing.pop("name"), timing.pop("faults")
        return {"name": name, "faults": faults, "timing": timing}


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a comparison of A and B came to, seen from A.

    Attributes:
        event: its number in the store. game: its name.
        wins, draws, losses: matches that count. pairs: of them, won, drawn and lost.
        elo: score and Elo with 95 % intervals, from pairs.
        llr, sprt: where the test stands, and the test; None without one.
        points: by how many points A is ahead, in games that have points; else None.
        players: what A and B did.
        ending: why it stopped. matches: that were played, counted or not. resumed: that were there before.
        abandoned: matches that counted for nobody. varied: whether the starts were varied since both players always do
            the same. seconds: how long this run took.
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
    ending: Ending | None
    matches: int
    resumed: int
    abandoned: int
    varied: bool
    jobs: int
    seconds: float
    decision: Decision

    @classmethod
    def of(cls, comparison: Comparison, jobs: int = 1) -> Verdict:
        """Where a comparison stands."""
        board, counts = comparison.board, comparison.board.counts
        names = [contestant.name for contestant in comparison.question.recipe.contestants]
        return cls(
            event=comparison.event.id,
            game=comparison.question.recipe.game,
            wins=board.wins,
            draws=board.draws,
            losses=board.losses,
            pairs=(counts.wins, counts.draws, counts.losses),
            elo=estimate(counts),
            llr=board.llr,
            sprt=comparison.question.sprt,
            points=board.differences.estimate(),
            players=(PlayerFigures.of(names[0], board.sides[0]), PlayerFigures.of(names[1], board.sides[1])),
            ending=comparison.ending,
            matches=board.matches,
            resumed=comparison.resumed,
            abandoned=comparison.abandoned,
            varied=comparison.varied,
            jobs=jobs,
            seconds=comparison.seconds,
            decision=board.decision,
        )

    @property
    def verdict(self) -> str:
        """ "better", "worse", "not better" (than elo0 says, and maybe no worse), or "undecided"."""
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
        """What it comes to, and what to do about it."""
        a, b = (player.name for player in self.players)
        figures = f"{self.elo_text} Elo, 95 %, from {self.wins + self.draws + self.losses} matches"
        if self.ending == Ending.TOO_BUSY:
            at_once = f"{self.jobs} matches at once" if self.jobs > 1 else "a match"
            return f"This machine is too busy for {at_once}: play fewer at once (--jobs), or allow a margin (--margin)."
        told = {
            BETTER: f"{a} is better than {b}: keep it ({figures}).",
            WORSE: f"{a} is worse than {b}: do not keep it ({figures}).",
            NOT_BETTER: f"{a} is not better than {b} by what was asked for: nothing is gained by it ({figures}).",
        }
        if self.verdict in told:
            return told[self.verdict]
        if self.ending == Ending.REPEATED:
            return f"{a} and {b} always do the same, and every start there is has been played ({figures})."
        if not sum(self.pairs):
            return "No pair of matches is complete yet: nothing can be said."
        return f"Nobody can say yet whether {a} or {b} is better: play more ({figures})."

    @property
    def elo_text(self) -> str:
        """Elo and how far the 95 % interval reaches, as in "+35 (+12 to +58)"."""
        return f"{self.elo.elo:+.0f} ({self.elo.low:+.0f} to {self.elo.high:+.0f})"

    def to_json(self) -> dict[str, Any]:
        """What `lapilli compare --json` prints."""
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
            "resumed": self.resumed,
            "abandoned": self.abandoned,
            "varied_starts": self.varied,
            "seconds": round(self.seconds, 1),
        }

    def _repr_html_(self) -> str:
        """For notebooks."""
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
