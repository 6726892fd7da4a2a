"""Comparisons of two contestants: plays pairs of matches until a test decides or a number of matches is reached."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from lapilli.arena.matches.playing import Recipe
from lapilli.arena.matches.recipes import recipe_keys, starts_of
from lapilli.arena.progress.checkpoint import read_checkpoint, write_checkpoint
from lapilli.arena.progress.running import Run, StopReason
from lapilli.arena.progress.schedule import Schedule
from lapilli.arena.progress.scoreboard import WATCHED, Scoreboard
from lapilli.arena.statistics import Decision, EloModel, Sprt
from lapilli.arena.statistics.sprt import FORECAST_PAIRS, LONGEST, SHORTEST
from lapilli.store import Event, EventKind
from lapilli.store.results import MatchResult, MatchTask

if TYPE_CHECKING:
    from lapilli.store import Store

_FIRST = 2
"""Number of pairs at the beginning that are played before any others, from the game's usual start position.

If the second pair repeats the first pair move by move, or if many of the first WATCHED pairs' matches repeat earlier
ones, all later pairs are played from the game's openings.
"""


@dataclass(frozen=True, kw_only=True)
class ComparisonSpec:
    """The settings of a comparison.

    Attributes:
        recipe: settings that all matches share. Contestants 0 (A) and 1 (B) are compared. With three or four players,
            the further contestants also play in each match.
        sprt: the sequential test that ends the comparison; None to play `matches` matches.
        matches: number of matches to count, rounded up to whole pairs; if `sprt` is set, the largest number. None for
            no limit.
        seed: seed of the first pair; it determines the seeds of all later pairs.
        stop_at_fault: whether to stop when A or B has a fault.
    """

    recipe: Recipe
    sprt: Sprt | None = None
    matches: int | None = None
    seed: int = 0
    stop_at_fault: bool = False

    @property
    def seats(self) -> int:
        """Number of players in a match."""
        return len(self.recipe.contestants)

    @property
    def limit(self) -> int | None:
        """Largest number of pairs to count, computed from `matches`; None for no limit."""
        return None if self.matches is None else -(-self.matches // self.seats)

    def settings(self) -> dict[str, Any]:
        """Returns the settings that identify a stored comparison, together with game and contestants.

        A run with the same settings continues the stored comparison. The test and the number of matches do not belong
        to these settings, so both may differ.
        """
        return recipe_keys(self.recipe) | {"seed": self.seed}

    def plan(self) -> dict[str, Any]:
        """Returns data for `Event.plan`: the number of matches and the test that end the comparison, and the number of
        the user's own openings.
        """
        test = None if self.sprt is None else asdict(self.sprt)
        return {"games": self.matches, "sprt": test, "starts": len(self.recipe.openings)}


def stored_test(event: Event) -> Sprt | None:
    """Returns the sequential test of a stored comparison; None without a test.

    Older versions of Lapilli did not store the test. For such a comparison, the result is None, too.
    """
    data = event.plan.get("sprt")
    return None if data is None else Sprt(**data | {"model": EloModel(data["model"])})


class Comparison(Run):
    """A running or finished comparison.

    Args:
        spec: settings of the comparison.
        store: store for the matches.
        name: name of the comparison.
        resume: whether to continue the same comparison if the store contains it; False always begins a new one.

    Attributes:
        spec: settings of the comparison.
        board: results so far.

    A `Comparison` also has the attributes of `Run`.
    """

    def __init__(self, spec: ComparisonSpec, store: Store, name: str, *, resume: bool = True) -> None:
        recipe = spec.recipe
        self.spec = spec
        self.board = Scoreboard(spec.seats, spec.sprt, spec.limit, len(recipe.openings))
        self._openings = starts_of(recipe)
        event = store.open_event(
            EventKind.COMPARISON, name, recipe.game, spec.settings(), recipe.contestants, resume=resume
        )
        if event.plan != spec.plan():  # a continued comparison may have another plan: the new plan replaces the old one
            store.plan_event(event.id, spec.plan())
            event = store.event(event.id)
        last_id = self.board.resume(read_checkpoint(store.checkpoint(event.id)))
        super().__init__(store, event, spec.seats, seen=(last_id, self.board.matches))

    @property
    def varied(self) -> bool:
        """Whether later pairs are played from the game's openings, because matches repeat earlier ones."""
        return self.board.usual is not None and bool(self._openings)

    def different(self) -> int | None:
        """Returns how many of the comparison's stored matches differ from each other in start position or replies.

        If players always play the same moves, this number is small, and further matches show nothing new. The result is
        None if the start of a match depends on its seed, because then nearly all matches differ.
        """
        return self._store.different_matches(self.event.id) if self._openings else None

    @property
    def seconds_left(self) -> tuple[float, float] | None:
        """Least and greatest likely time until the comparison ends, in seconds.

        None in this run's first two pairs, or when the comparison is over. If a test ends the comparison, the estimate
        is rough, and there is none in the first `FORECAST_PAIRS` pairs.
        """
        if self.ending is not None or not self.rate or self.matches - self.resumed < 2 * self.spec.seats:
            return None
        least = most = math.inf if self._most is None else float(self._most - self.board.complete)
        if self.spec.sprt:
            if self.board.counts.pairs < FORECAST_PAIRS:
                return None
            pairs = self.spec.sprt.pairs_left(self.board.counts)
            least, most = min(SHORTEST * pairs, most), min(LONGEST * pairs, most)
        pair_s = self.spec.seats / self.rate
        return None if most == math.inf else (least * pair_s, most * pair_s)

    def _task(self, number: int) -> MatchTask:
        positions = self._openings if self.spec.recipe.openings or self.varied else ()
        return Schedule(self.spec.seed, self.spec.seats, positions, self.board.usual or 0).task(number)

    def _below(self) -> int | None:
        below, board = self._most, self.board
        if board.complete < _FIRST:  # the start positions of later pairs depend on the results of the first pairs
            below = min(_FIRST, below or _FIRST)
        elif board.complete < WATCHED and board.usual is None and self._openings and not self.spec.recipe.openings:
            below = min(WATCHED, below or WATCHED)
        return None if below is None else below * self.spec.seats

    def _count(self, result: MatchResult) -> None:
        self.board.add(result)

    def _checkpoint(self, after: int) -> str:
        return write_checkpoint(self.board.checkpoint(after))

    @property
    def _most(self) -> int | None:
        """Largest number of pairs to play; None for no limit.

        If both players always play the same moves, only one pair from each start position is useful. Then the limit is
        the number of start positions plus 1. The additional pair is the one that repeated the first pair: it showed
        that the moves are always the same, and does not count.
        """
        limit = self.spec.limit
        if self.board.repeats:
            different = len(self._openings) + (1 if self.spec.recipe.openings else _FIRST)
            return different if limit is None else min(limit + 1, different)
        return limit

    def _over(self) -> StopReason | None:
        if self.board.decision != Decision.CONTINUE:
            return StopReason.DECIDED
        if self.spec.stop_at_fault and self.board.fault is not None:
            return StopReason.FAULT
        if self.board.counts.pairs == self.spec.limit:
            return StopReason.PLAYED
        most = self._most
        return StopReason.REPEATED if most is not None and self.board.complete >= most else None
