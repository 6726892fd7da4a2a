"""Runs the tests of a project: builds the bots, plays their matches, also against their last good versions."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from lapilli.arena.compare import comparison_spec
from lapilli.arena.matches.contestants import check_starting, free_name
from lapilli.arena.matches.pools import pool_of
from lapilli.arena.matches.versions.fingerprint import player_hash
from lapilli.arena.progress.comparison import Comparison, ComparisonSpec
from lapilli.arena.progress.running import StopReason
from lapilli.arena.project.gauntlet import LAST_GOOD, Gauntlet, GauntletTest, TestOpponent
from lapilli.arena.project.judging import judged
from lapilli.arena.project.results import CaseResult, CaseStatus, ProjectResult
from lapilli.arena.project.versions import SavedVersion, Versions
from lapilli.arena.reports.verdict import Verdict
from lapilli.arena.statistics import Sprt
from lapilli.core.api import Game
from lapilli.core.errors import LapilliError
from lapilli.players.bots.own_build import CommandFailed, run_build
from lapilli.store.results import Contestant

if TYPE_CHECKING:
    from lapilli.store import Store

WEAKER = Sprt(elo0=-80, elo1=0)
"""The sequential test of a new version against the last good version.

If the test decides for H0, the new version is weaker. With at most 100 matches, elo0 = -80 detects more of the really
weaker versions than other values do.
"""


@dataclass(frozen=True, kw_only=True)
class RunHooks:
    """Functions that a run of a project's tests calls.

    Attributes:
        show: called repeatedly with the comparison that is being played. An exception that it raises ends the run.
        finished: called with the result of each case (a build, or a test against one opponent) when it is finished.
        around_build: called with a function that builds all bots; `around_build` must call this function.
        prepare: called with the game and the contestants before the matches of a comparison, to compile kernels.
        view: called with "EVENT/MATCH"; returns the command that shows this match.
    """

    show: Callable[[Comparison], None] = lambda _: None
    finished: Callable[[CaseResult], None] = lambda _: None
    around_build: Callable[[Callable[[], None]], None] = lambda build: build()
    prepare: Callable[[Game, Sequence[Contestant]], None] = lambda game, contestants: None
    view: Callable[[str], str] = "lapilli view {}".format


@dataclass(kw_only=True)
class ProjectRun:
    """A run of a project's tests.

    Attributes:
        gauntlet: the tests to run.
        store: store for the matches.
        jobs: number of matches played at once; None for one for every two cores.
        resume: whether stored matches of the same bots count, so that they are not played again.
        hooks: functions that the run calls.
        results: results of the cases so far.
    """

    gauntlet: Gauntlet
    store: Store
    jobs: int | None = None
    resume: bool = True
    hooks: RunHooks = field(default_factory=RunHooks)
    results: list[CaseResult] = field(default_factory=list)
    _versions: dict[str, SavedVersion] = field(default_factory=dict)
    _started: set[tuple[str, str]] = field(default_factory=set)

    def run(self) -> ProjectResult:
        """Builds and tests all bots of the gauntlet.

        The version of a bot that passes all its tests is stored as its last good version.

        Raises:
            LapilliError: a folder cannot be copied, or the store cannot be reached.
        """
        began, clock = time.time(), time.perf_counter()
        versions = Versions(self.gauntlet.project)
        self.hooks.around_build(self._build_all)
        for name, bot in self.gauntlet.bots.items():
            if name not in self._not_built:
                self._versions[name] = versions.take(name, bot, self.gauntlet.project.folder_of(bot))
        for test in self.gauntlet.tests:
            for opponent in test.opponents:
                if not self._is_stopped:
                    self._add(self._against(versions, test, opponent))
            if test.previous and not self._is_stopped:
                self._add(self._against_last_good(versions, test))
        good = {name: self._versions[name] for name in self._good()}
        kept = sorted(name for name, version in good.items() if version != versions.last_good(name))
        versions.keep(good)
        return ProjectResult(cases=self.results, kept=kept, began=began, seconds=time.perf_counter() - clock)

    def _add(self, result: CaseResult) -> None:
        self.results.append(result)
        self.hooks.finished(result)

    @property
    def _is_stopped(self) -> bool:
        return any(result.ending == StopReason.INTERRUPTED for result in self.results)

    @property
    def _not_built(self) -> set[str]:
        return {result.name for result in self.results if result.group == "build" and not result.is_good}

    def _good(self) -> list[str]:
        """Returns the names of the bots that have passed all their tests in the project file."""
        if self._is_stopped:
            return []
        bad = {result.group for result in self.results if not result.is_good}
        failed = {test.bot for test in self.gauntlet.tests if test.name in bad}
        return sorted(self.gauntlet.whole - failed - self._not_built)

    def _build_all(self) -> None:
        for name, bot in self.gauntlet.bots.items():
            if bot.builds:
                clock = time.perf_counter()
                status, sentence, output = CaseStatus.PASSED, "Built.", ""
                try:
                    run_build(bot.builds, self.gauntlet.project.folder_of(bot))
                except CommandFailed as error:
                    status, sentence, output = CaseStatus.ERROR, str(error), error.output
                seconds = time.perf_counter() - clock
                self._add(
                    CaseResult(
                        group="build", name=name, status=status, sentence=sentence, output=output, seconds=seconds
                    )
                )

    def _against(self, versions: Versions, test: GauntletTest, opponent: TestOpponent) -> CaseResult:
        """Plays the matches of a test against one opponent, and returns the result.

        `versions`: the project's stored versions, from whose copies the bots play.
        """
        name = f"{test.bot} against {opponent.name}"
        for needed in (test.bot, opponent.name):
            if needed in self._not_built:
                return _without_matches(test, name, CaseStatus.ERROR, f"Not played, because {needed} was not built.")
        if opponent.bot is None:
            digest = player_hash(test.game, opponent.name)
            other = Contestant(name=opponent.name, player=opponent.name, hash=digest)
        else:
            other = versions.contestant(test.game, opponent.name, self._versions[opponent.name])
        mine = versions.contestant(test.game, test.bot, self._versions[test.bot])
        odds = test.keys.odds.get(opponent.name, 1.0)
        return self._played(test, name, self._spec(test, mine, other, odds, matches=test.keys.matches))

    def _against_last_good(self, versions: Versions, test: GauntletTest) -> CaseResult:
        """Plays matches of a tested bot against its last good version, and returns the result.

        The last good version is the latest one that passed all its tests. If there is none, or nothing has changed
        since, no matches are played. `versions`: the project's stored versions, from whose copies both bots play.
        """
        name = f"{test.bot} against its {LAST_GOOD}"
        if test.bot in self._not_built:
            return _without_matches(test, name, CaseStatus.SKIPPED, f"Not played, because {test.bot} was not built.")
        version = versions.last_good(test.bot)
        if version is None:
            return _without_matches(test, name, CaseStatus.SKIPPED, f"There is no {LAST_GOOD} yet.")
        mine = versions.contestant(test.game, test.bot, self._versions[test.bot])
        last = versions.contestant(test.game, f"{test.bot} ({LAST_GOOD})", version)
        if mine.hash == last.hash:
            return _without_matches(test, name, CaseStatus.SKIPPED, f"Nothing has changed since the {LAST_GOOD}.")
        odds = test.keys.odds.get(test.bot, 1.0)
        return self._played(test, name, self._spec(test, mine, last, odds, matches=test.previous, sprt=WEAKER))

    def _spec(
        self,
        test: GauntletTest,
        mine: Contestant,
        other: Contestant,
        odds: float,
        *,
        matches: int,
        sprt: Sprt | None = None,
    ) -> ComparisonSpec:
        """Returns the settings of a comparison of a tested bot with another contestant.

        Args:
            test: the test.
            mine: the tested bot.
            other: the other contestant, which takes all other seats.
            odds: factor for the time limits of `other`.
            matches: number of matches; with a sequential test, the largest number.
            sprt: sequential test that ends the comparison; None for none.
        """
        limits, contestants = self.gauntlet.project.limits, _distinct([mine, *[other] * (test.players - 1)])
        factors = {contestants[0].name: test.keys.odds.get(test.bot, 1.0)}
        factors |= {contestant.name: odds for contestant in contestants[1:]}
        return comparison_spec(
            test.game,
            contestants,
            setup=test.setup,
            clock=limits.clock(),
            sandbox=limits.sandbox,
            matches=matches,
            sprt=sprt,
            openings=test.openings,
            odds={name: factor for name, factor in factors.items() if factor != 1},
        )

    def _played(self, test: GauntletTest, name: str, spec: ComparisonSpec) -> CaseResult:
        """Plays a comparison, except matches that are already stored, and returns the result of its case.

        Args:
            test: test that the comparison belongs to.
            name: name of the comparison and of its case.
            spec: settings of the comparison.
        """
        clock = time.perf_counter()
        comparison = Comparison(spec, self.store, name, resume=self.resume)
        with pool_of(spec.recipe, jobs=self.jobs) as pool:
            if comparison.ending is None:
                try:
                    self._check_starting(test.game, spec)
                except LapilliError as error:
                    return _without_matches(test, name, CaseStatus.ERROR, str(error))
                comparison.run(pool, self.hooks.show)
            verdict = Verdict.of(comparison, pool.jobs, self.hooks.view)
        verdict.finish(self.store)
        return judged(test, name, verdict, self.store, time.perf_counter() - clock)

    def _check_starting(self, game: Game, spec: ComparisonSpec) -> None:
        """Checks that the bots of a comparison can be started, before its matches are played.

        Compiles the kernels, and starts each bot that this run has not yet started in this game. `spec`: settings of
        the comparison.

        Raises:
            LapilliError: a bot cannot be started.
        """
        contestants = spec.recipe.contestants
        self.hooks.prepare(game, contestants)
        keys = [(game.name, contestant.hash) for contestant in contestants]
        check_starting(spec.recipe, [place for place, key in enumerate(keys) if key in self._started])
        self._started |= {*keys}


def _without_matches(test: GauntletTest, name: str, status: CaseStatus, sentence: str) -> CaseResult:
    return CaseResult(group=test.name, name=name, status=status, sentence=sentence)


def _distinct(contestants: Sequence[Contestant]) -> list[Contestant]:
    """Returns the contestants with distinct names: the second contestant called NAME is renamed to "NAME (2)"."""
    found: list[Contestant] = []
    for contestant in contestants:
        name = free_name(contestant.name, {other.name for other in found})
        found.append(msgspec.structs.replace(contestant, name=name))
    return found
