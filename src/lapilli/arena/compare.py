"""`lapilli.compare`: runs a comparison of two contestants in one call."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lapilli.arena.matches.contestants import check_starting, contestants_of, functions_of
from lapilli.arena.matches.playing import Keep
from lapilli.arena.matches.pools import pool_of
from lapilli.arena.matches.recipes import recipe_of
from lapilli.arena.progress.comparison import Comparison, ComparisonSpec
from lapilli.arena.reports.verdict import Verdict
from lapilli.arena.statistics import Sprt
from lapilli.core.api import Game
from lapilli.core.errors import LapilliError
from lapilli.core.picture.words import listed
from lapilli.games import load
from lapilli.match import Clock
from lapilli.players import PlayerLike, Sandbox
from lapilli.store import Store
from lapilli.store.results import Contestant


def compare(
    game: str | Game,
    a: PlayerLike,
    b: PlayerLike,
    *,
    matches: int | None = None,
    sprt: Sprt | None = None,
    others: Sequence[PlayerLike] = (),
    seed: int = 0,
    jobs: int | None = None,
    ray: str | None = None,
    store: str | Path | None = None,
    resume: bool = True,
    clock: Clock | None = None,
    sandbox: Sandbox | str = Sandbox.AUTO,
    freeze_idle: bool = True,
    keep: Keep | str = Keep.LOST,
    bot_folders: Sequence[str] = (),
    openings: Sequence[str] = (),
    odds: Mapping[str, float] | None = None,
    memory_mb: Mapping[str, int] | None = None,
    stop_at_fault: bool = False,
    show: Callable[[Verdict], None] | None = None,
    **setup: Any,
) -> Verdict:
    """Plays matches of A against B, and returns a verdict: whether A is better.

    >>> verdict = lapilli.compare(lapilli.names()[0], "greedy", "random", matches=20)
    >>> verdict.verdict
    'better'

    Matches are played in pairs: both matches of a pair have the same seed, with the seats exchanged. With three or four
    players, a pair has one match for each rotation of the seats. The comparison ends when the sequential test decides,
    when `matches` matches are played, or when you press Ctrl-C.

    Args:
        game: a Game or its name.
        a, b: the two contestants, in any form that `play_match` accepts for a player, or as strings NAME=COMMAND.
        matches: number of matches to count, rounded up to whole pairs. If `sprt` is also set, this is the largest
            number, and the test may end the comparison earlier.
        sprt: sequential test that ends the comparison when it decides; by default `Sprt()` if `matches` is not set, and
            no test if `matches` is set.
        others: the contestants that play in each match besides A and B, in games for three or four players.
        seed: seed of the first pair; it determines the seeds of all later pairs.
        jobs: number of matches played at once; by default one for every two cores. If a contestant is a Python
            function, all matches are played in this process, one at a time.
        ray: address of a Ray cluster that plays the matches, `auto` or HOST:PORT; by default this machine plays them.
        store: file or PostgreSQL URL of the store for the matches; by default the matches are not stored.
        resume: whether to continue the same comparison if the store contains it; False always begins a new one.
        clock: time limits of the matches; by default the game's own.
        sandbox: whether bots run in a sandbox: "auto" (if this machine has one), "require" or "off".
        freeze_idle: whether bots are frozen while they are not asked for a reply, so that they cannot compute then.
        bot_folders: further files and folders that the sandbox shows to bots that are command lines.
        keep: which records to store: "all", "lost" (of matches that A lost, and of matches with a fault) or "none".
        openings: start positions of the pairs, used in turn. By default, pairs are played from the game's usual start
            position; if many of the first matches repeat others, later pairs are played from the game's own openings.
            If A and B always play the same moves, the comparison ends when all openings were played.
        odds: factors for the time limits of some contestants, by name: {"v2": 0.5} halves the time limits of v2.
        memory_mb: memory limits of some bots in the sandbox, in mebibytes, by the bot's name.
        stop_at_fault: whether to stop when A or B has a fault.
        show: function that is called with the verdict so far, again and again while matches are played.
        setup: keys of the setup: league, variant, and the game's own keys.

    Raises:
        LapilliError: a contestant is not valid or cannot be started, or the game cannot be played with this setup.
    """
    found_game = load(game) if isinstance(game, str) else game
    players = [a, b, *others]
    spec = comparison_spec(
        found_game,
        contestants_of(found_game, players, bot_folders),
        setup=setup,
        clock=asdict(clock or Clock()),
        sandbox=Sandbox(sandbox),
        freeze_idle=freeze_idle,
        keep=Keep(keep),
        bot_folders=bot_folders,
        matches=matches,
        sprt=sprt,
        seed=seed,
        openings=openings,
        odds=odds,
        memory_mb=memory_mb,
        stop_at_fault=stop_at_fault,
    )
    functions = functions_of(players)
    check_starting(spec.recipe, functions)
    with ExitStack() as stack:
        pool = stack.enter_context(pool_of(spec.recipe, jobs=jobs, ray=ray, functions=functions))
        location = store or Path(stack.enter_context(tempfile.TemporaryDirectory())) / "arena.db"
        opened = stack.enter_context(Store.open(location))
        comparison = Comparison(spec, opened, title(spec.recipe.contestants), resume=resume)
        show_run = (lambda run: show(Verdict.of(run, pool.jobs))) if show else (lambda run: None)
        comparison.run(pool, show_run)
        verdict = Verdict.of(comparison, pool.jobs)
        verdict.finish(opened)
        return verdict


def comparison_spec(
    game: Game,
    contestants: Sequence[Contestant],
    *,
    setup: Mapping[str, Any] | None = None,
    clock: Mapping[str, Any] | None = None,
    sandbox: Sandbox = Sandbox.AUTO,
    freeze_idle: bool = True,
    keep: Keep = Keep.LOST,
    bot_folders: Sequence[str] = (),
    matches: int | None = None,
    sprt: Sprt | None = None,
    seed: int = 0,
    openings: Sequence[str] = (),
    odds: Mapping[str, float] | None = None,
    memory_mb: Mapping[str, int] | None = None,
    stop_at_fault: bool = False,
) -> ComparisonSpec:
    """Returns the settings of a comparison, after checking them.

    Args:
        game: the game.
        contestants: A, B, and, in games for three or four players, the further contestants.
        setup: keys of the setup, such as league and variant.
        clock: settings of a `Clock`, by name.
        matches: number of matches to count; None for no limit.
        sprt: sequential test that ends the comparison; None for no test.

    The other arguments have the same meaning as in `compare`, which plays a comparison with these settings.

    Raises:
        LapilliError: `matches` is below 1, the game is not for this number of players, or the game cannot be played
            with this setup.
    """
    if matches is not None and matches < 1:
        raise LapilliError(f"matches must be at least 1, not {matches}")
    if len(contestants) not in game.players:
        possible = listed([*map(str, sorted(game.players))], "or")
        raise LapilliError(f"{game.title} is for {possible} players, not {len(contestants)}: add or remove players")
    recipe = recipe_of(
        game,
        contestants,
        setup={**(setup or {}), "players": len(contestants)},
        clock=clock,
        sandbox=sandbox,
        freeze_idle=freeze_idle,
        keep=keep,
        bot_folders=bot_folders,
        openings=openings,
        odds=odds,
        memory_mb=memory_mb,
    )
    test = Sprt() if sprt is None and matches is None else sprt
    return ComparisonSpec(recipe=recipe, sprt=test, matches=matches, seed=seed, stop_at_fault=stop_at_fault)


def title(contestants: Sequence[Contestant]) -> str:
    """Returns the default name of a comparison of these contestants, as in "v2 against v1"."""
    return " against ".join(contestant.name for contestant in contestants[:2])
