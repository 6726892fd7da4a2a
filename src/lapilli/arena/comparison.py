"""Is A better than B? Matches in pairs until a test decides, or a given number of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from lapilli.arena.playing import Recipe
from lapilli.arena.running import Ending, Run
from lapilli.arena.schedule import Schedule
from lapilli.arena.scoreboard import Scoreboard
from lapilli.arena.statistics import Decision, Sprt
from lapilli.core.api import Setup
from lapilli.games import load
from lapilli.store import EventKind
from lapilli.store.results import MatchResult, MatchTask

if TYPE_CHECKING:
    from lapilli.store import Store

_USUAL = 2
"""Pairs that start as usual in any case: if the second is a copy of the first, the others do not."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is compared, and how.

    Attributes:
        recipe: what the matches have in common; contestants 0 (A) and 1 (B) are compared, others sit beside them.
        sprt: the test that decides; None to play `games` matches.
        games: how many matches are played, at most where there is a test; rounded up to whole pairs. None for any.
        seed: of the first pair.
    """

    recipe: Recipe
    sprt: Sprt | None = None
    games: int | None = None
    seed: int = 0

    @property
    def seats(self) -> int:
        """How many players a match has."""
        return len(self.recipe.contestants)

    @property
    def limit(self) -> int | None:
        """How many pairs are played at most."""
        return None if self.games is None else -(-self.games // self.seats)

    def settings(self) -> dict[str, Any]:
        """What makes two runs the same comparison, beside game and contestants: not how long they last."""
        plain = msgspec.to_builtins(self.recipe)
        return {key: plain[key] for key in ("setup", "clock", "freeze_idle")} | {"seed": self.seed}


class Comparison(Run):
    """A comparison under way, or done.

    Args:
        question: what is compared. store: where its matches are, and go. name: what people call it.
        resume: whether matches of the same comparison that are there already count.

    Attributes:
        board: what the matches come to. Others as in `Run`.
    """

    def __init__(self, question: Question, store: Store, name: str, *, resume: bool = True) -> None:
        recipe = question.recipe
        self.question = question
        self.board = Scoreboard(question.seats, question.sprt)
        self._openings = _openings(question)
        event = store.open_event(
            EventKind.COMPARISON, name, recipe.game, question.settings(), recipe.contestants, resume=resume
        )
        super().__init__(store, event, question.seats)

    @property
    def varied(self) -> bool:
        """Whether the start is varied, since both players always do the same."""
        return self.board.repeats and bool(self._openings)

    @property
    def seconds_left(self) -> float | None:
        """How long it may go on; None where nobody can tell yet."""
        if self.ending is not None or not self.rate or self.matches - self.resumed < 2 * self.question.seats:
            return None
        left = []
        if self.question.sprt and self.board.counts.pairs >= 2:
            left.append(self.question.sprt.pairs_left(self.board.counts))
        if self._most is not None:
            left.append(self._most - self.board.complete)
        return min(left) * self.question.seats / self.rate if left else None

    def _task(self, number: int) -> MatchTask:
        positions = self._openings if self.board.repeats else ()
        return Schedule(self.question.seed, self.question.seats, positions, _USUAL).task(number)

    def _below(self) -> int | None:
        below = self._most
        if self.board.complete < _USUAL:  # only then it is known how the others start
            below = min(_USUAL, below or _USUAL)
        return None if below is None else below * self.question.seats

    def _count(self, result: MatchResult) -> None:
        self.board.add(result)

    @property
    def _most(self) -> int | None:
        """How many pairs there are to play at most."""
        limit = self.question.limit
        if self.board.repeats:
            different = _USUAL + len(self._openings)
            return different if limit is None else min(limit, different)
        return limit

    def _over(self) -> Ending | None:
        if self.board.decision != Decision.CONTINUE:
            return Ending.DECIDED
        most = self._most
        if most is not None and self.board.complete >= most:
            return Ending.PLAYED if most == self.question.limit else Ending.REPEATED
        return None


def _openings(question: Question) -> Sequence[str]:
    """Other positions to start from, where the usual start is always the same."""
    return load(question.recipe.game).openings(Setup.from_dict(question.recipe.setup))
