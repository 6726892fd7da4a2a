"""`lapilli.tune`: tunes the parameters of a bot in one call."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from lapilli.arena.matches.contestants import check_starting
from lapilli.arena.matches.playing import Keep
from lapilli.arena.matches.pools import pool_of
from lapilli.arena.progress.comparison import Comparison
from lapilli.arena.progress.running import StopReason
from lapilli.arena.reports.verdict import Verdict
from lapilli.arena.tuning.method import MethodName
from lapilli.arena.tuning.parameters import parameters_of
from lapilli.arena.tuning.specs import confirming_spec, tuning_spec
from lapilli.arena.tuning.tuned import Tuned
from lapilli.arena.tuning.tuning import Tuning, TuningSpec
from lapilli.core.api import Game
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.games import load
from lapilli.match import Clock
from lapilli.players import Sandbox
from lapilli.store import Store

CONFIRM = 600
"""Default of `confirm`: largest number of matches in the comparison that confirms a tuning."""


def tune(
    game: str | Game,
    player: str,
    parameters: Mapping[str, str | tuple[float, float]] | Iterable[str],
    *,
    environment: Mapping[str, str] | None = None,
    against: str | None = None,
    method: MethodName | str = MethodName.SPSA,
    matches: int = 2000,
    confirm: int = CONFIRM,
    seed: int = 0,
    jobs: int | None = None,
    ray: str | None = None,
    store: str | Path | None = None,
    resume: bool = True,
    clock: Clock | None = None,
    sandbox: Sandbox | str = Sandbox.AUTO,
    freeze_idle: bool = True,
    keep: Keep | str = Keep.NONE,
    bot_folders: Sequence[str] = (),
    openings: Sequence[str] = (),
    odds: Mapping[str, float] | None = None,
    memory_mb: Mapping[str, int] | None = None,
    show: Callable[[Tuned], None] | None = None,
    **setup: Any,
) -> Tuned:
    """Tunes the parameters of a bot. Returns the tuned values, and whether a comparison confirms that they are better.

    >>> tuned = lapilli.tune("GAME", "python3 bot.py --depth {depth}", {"depth": "1..8:int"}, store="arena.db")
    >>> tuned.values, tuned.verdict

    Args:
        game: a Game or its name.
        player: the bot to tune: a command, NAME=COMMAND, or the name of a built-in opponent; with placeholders such as
            {depth}. The placeholder {params} is replaced by the path of a JSON file with all parameters.
        parameters: name and range of each parameter: LOW..HIGH, followed by any of `:int`, `:log` and `:start=VALUE`;
            or (low, high).
        environment: environment variables of the bot, with or without placeholders.
        against: opponent of the bot; by default, the bot plays against itself with other values.
        method: "spsa", or "optuna" for few parameters.
        matches: number of matches of the tuning.
        confirm: largest number of matches of the comparison between tuned and start values; 0 for no comparison.
        seed: seed of the method's random choices and of the first pair; it determines the seeds of all later pairs.
        jobs: number of matches played at once; by default one for every two cores.
        ray: address of a Ray cluster that plays the matches, `auto` or HOST:PORT; by default this machine plays them.
        store: file or PostgreSQL URL of the store for the matches; by default the matches are not stored.
        resume: whether to continue the same tuning if the store contains it; False always begins a new one.
        clock: time limits of the matches; by default the game's own.
        sandbox: whether bots run in a sandbox: "auto" (if this machine has one), "require" or "off".
        freeze_idle: whether bots are frozen while they are not asked for a reply, so that they cannot compute then.
        bot_folders: further files and folders that the sandbox shows to bots that are command lines.
        keep: which records to store: "all", "lost" or "none".
        openings: start positions of the pairs, used in turn; by default the game's own openings, if its usual start is
            always the same.
        odds: factors for the time limits of the bot or its opponent, by name: {"best": 0.5} halves the limits of best.
        memory_mb: memory limits of the bot or its opponent in the sandbox, in mebibytes, by name.
        show: function that is called with the result so far, again and again while matches are played.
        setup: keys of the setup: league, variant, and the game's own keys.

    Raises:
        LapilliError: a parameter or the player is not valid, or the game cannot be played with this setup.
    """
    if method not in list(MethodName):
        raise UnknownName("method", method, list(MethodName))
    spec = tuning_spec(
        load(game) if isinstance(game, str) else game,
        player,
        parameters_of(parameters),
        environment=environment,
        against=against,
        method=MethodName(method),
        matches=matches,
        setup=setup,
        clock=asdict(clock or Clock()),
        sandbox=Sandbox(sandbox),
        freeze_idle=freeze_idle,
        keep=Keep(keep),
        bot_folders=bot_folders,
        openings=openings,
        odds=odds,
        memory_mb=memory_mb,
        seed=seed,
    )
    check_tuning(spec)
    with ExitStack() as stack:
        location = store or Path(stack.enter_context(tempfile.TemporaryDirectory())) / "arena.db"
        opened = stack.enter_context(Store.open(location))

        def show_run(run: Tuning | Comparison) -> None:
            if show and isinstance(run, Tuning):
                show(Tuned.of(run))

        return run_tuning(spec, opened, jobs=jobs, ray=ray, resume=resume, confirm=confirm, show=show_run)


def check_tuning(spec: TuningSpec) -> None:
    """Starts the bot (with its start values) and the opponent, to check that they can play.

    Raises:
        LapilliError: the bot or the opponent cannot play.
    """
    players = [contestant.player for contestant in spec.recipe.contestants]
    check_starting(spec.recipe, {place for place, player in enumerate(players) if player in players[:place]})


def run_tuning(
    spec: TuningSpec,
    store: Store,
    *,
    jobs: int | None = None,
    ray: str | None = None,
    resume: bool = True,
    confirm: int = CONFIRM,
    show: Callable[[Tuning | Comparison], None] = lambda _: None,
) -> Tuned:
    """Plays a tuning, and then the comparison that confirms the tuned values. The user can stop both with Ctrl-C.

    The comparison is left out if the user stopped the tuning, if no value has changed, or if `confirm` is 0.

    Args:
        spec: settings of the tuning.
        store: store for the matches.
        jobs: number of matches played at once; None for the default.
        ray: address of a Ray cluster that plays the matches; None for this machine.
        resume: whether to continue the same tuning and comparison if the store contains them.
        confirm: largest number of matches of the comparison.
        show: function that is called again and again: with the tuning while it runs, then with the comparison.

    Raises:
        LapilliError: a match cannot be played, the store cannot be reached, or `confirm` is below 0.
    """
    if confirm < 0:
        raise LapilliError(f"the number of matches that confirm a tuning must be at least 0, not {confirm}")
    with pool_of(spec.recipe, jobs=jobs, ray=ray) as pool:
        tuning = Tuning(spec, store, resume=resume)
        tuning.run(pool, show)
    tuned = Tuned.of(tuning)
    if tuned.ending != StopReason.PLAYED:
        return tuned
    store.finish(tuned.event, tuned.sentence)
    if confirm and tuned.changed:
        asked = confirming_spec(spec, tuned.values, confirm)
        with pool_of(asked.recipe, jobs=jobs, ray=ray) as pool:
            comparison = Comparison(asked, store, f"tuned {spec.name} against start", resume=resume)
            comparison.run(pool, show)
        verdict = Verdict.of(comparison, pool.jobs)
        verdict.finish(store)
        tuned = replace(tuned, verdict=verdict)
        if comparison.ending not in (None, StopReason.INTERRUPTED):
            store.finish(tuned.event, tuned.sentence)
    return tuned
