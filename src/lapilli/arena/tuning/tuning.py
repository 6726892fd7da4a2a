"""Runs a tuning as an event: stores each match before counting it, so that a tuning can be stopped and continued."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from lapilli.arena.matches.playing import Recipe
from lapilli.arena.matches.recipes import recipe_keys, starts_of
from lapilli.arena.progress.running import Run, StopReason
from lapilli.arena.tuning.course import TuningCourse, TuningTerms, course_of
from lapilli.store import Event, EventKind
from lapilli.store.results import MatchResult, MatchTask

if TYPE_CHECKING:
    from lapilli.store import Store


@dataclass(frozen=True, kw_only=True)
class TuningSpec:
    """The settings of a tuning.

    Attributes:
        recipe: settings that all matches share. `TuningCourse` describes the contestants; here, the tuned contestants
            have the start values.
        terms: parameters, method and number of matches.
        name: name of the bot.
    """

    recipe: Recipe
    terms: TuningTerms
    name: str

    def settings(self) -> dict[str, Any]:
        """Returns the settings that identify a stored tuning, together with game and contestants.

        A run with the same settings continues the stored tuning. The settings contain the number of matches, because
        the steps depend on this number.
        """
        plain = msgspec.to_builtins(self.recipe.placeholders, str_keys=True)
        placeholders = {key: plain["0"][key] for key in ("name", "words", "environment")}
        own = {"tuning": msgspec.to_builtins(self.terms), "placeholders": placeholders}
        return recipe_keys(self.recipe) | own


class Tuning(Run):
    """A running or finished tuning.

    Args:
        spec: settings of the tuning.
        store: store for the matches.
        resume: whether to continue the same tuning if the store contains it; False always begins a new one.

    Attributes:
        spec: settings of the tuning.
        course: the steps proposed and the values learned so far.

    A `Tuning` also has the attributes of `Run`.
    """

    def __init__(self, spec: TuningSpec, store: Store, *, resume: bool = True) -> None:
        recipe = spec.recipe
        self.spec = spec
        self.course = TuningCourse(spec.terms, starts_of(recipe))
        names = ", ".join(one.name for one in spec.terms.parameters)
        event = store.open_event(
            EventKind.TUNING,
            f"tuning of {spec.name}: {names}",
            recipe.game,
            spec.settings(),
            recipe.contestants,
            resume=resume,
        )
        super().__init__(store, event, spec.terms.step_matches)

    @property
    def all_matches(self) -> int:
        """Number of matches of the whole tuning."""
        return self.spec.terms.steps * self.spec.terms.step_matches

    @property
    def seconds_left(self) -> tuple[float, float] | None:
        """Time until the tuning ends, in seconds, as a tuple of two equal numbers: least and greatest likely value.

        None if the tuning is over.
        """
        if self.ending is not None or not self.rate:
            return None
        return ((self.all_matches - self.matches) / self.rate,) * 2

    def _task(self, number: int) -> MatchTask:
        return self.course.task(number)

    def _below(self) -> int:
        return self.course.below

    def _count(self, result: MatchResult) -> None:
        self.course.add(result)

    def _over(self) -> StopReason | None:
        return StopReason.PLAYED if self.course.over else None


def stored_course(store: Store, event: Event) -> TuningCourse:
    """Returns the course of a stored tuning, computed from its results in the store.

    Raises:
        LapilliError: the tuning's method needs a library that is not installed.
    """
    course = course_of(event.settings)
    for stored in store.results(event.id):
        course.add(stored.result)
    return course
