"""`lapilli.compare`: a comparison in one call."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lapilli.arena.comparison import Comparison, Question
from lapilli.arena.contestants import check_starting, contestants_of, functions_of
from lapilli.arena.playing import Keep
from lapilli.arena.pools import pool_of
from lapilli.arena.recipes import recipe_of
from lapilli.arena.statistics import Sprt
from lapilli.arena.verdict import Verdict
from lapilli.core.api import Game
from lapilli.core.errors import LapilliError
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
    games: int | None = None,
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
    show: Callable[[Verdict], None] | None = None,
    **setup: Any,
) -> Verdict:
    """Whether A is better than B.

    >>> verdict = lapilli.compare(lapilli.names()[0], "greedy", "random", games=20)
    >>> verdict.verdict
    'better'

    Matches are played in pairs, on one seed with seats exchanged, until a sequential test decides; Ctrl-C stops it.

    Args:
        game: a Game or its name.
        a, b: who is compared: as in `play_match`, or a text NAME=COMMAND.
        games: how many matches are played; with `sprt`, at most.
        sprt: the test that decides; by default `Sprt()` where `games` is not given.
        others: who else sits at the table, in games for three or four.
        seed: of the first pair.
        jobs: how many matches are played at once; by default one for every two cores. Functions are asked in this
            process, one match at a time.
        ray: the address of a Ray cluster that plays them instead, `auto` or HOST:PORT.
        store: where matches go, a file or a PostgreSQL URL; by default nowhere. The same comparison goes on there,
            unless `resume` is False.
        clock, sandbox, freeze_idle, bot_folders: as in `Match`; here bots are frozen while they are not asked.
        keep: which records are kept in the store: "all", "lost" or "none".
        show: called now and then with how it stands.
        setup: league, variant, and the game's own keys.

    Raises:
        LapilliError: somebody is no player, or cannot be started; the game cannot be played so; contradictory bounds.
    """
    what = load(game) if isinstance(game, str) else game
    players = [a, b, *others]
    question = question_of(
        what,
        contestants_of(what, players),
        setup=setup,
        clock=asdict(clock or Clock()),
        sandbox=Sandbox(sandbox),
        freeze_idle=freeze_idle,
        keep=Keep(keep),
        bot_folders=bot_folders,
        games=games,
        sprt=sprt,
        seed=seed,
    )
    functions = functions_of(players)
    check_starting(question.recipe, functions)
    with ExitStack() as stack:
        pool = stack.enter_context(pool_of(question.recipe, jobs=jobs, ray=ray, functions=functions))
        where = store or Path(stack.enter_context(tempfile.TemporaryDirectory())) / "arena.db"
        opened = stack.enter_context(Store.open(where))
        comparison = Comparison(question, opened, title(question.recipe.contestants), resume=resume)
        tell = (lambda now: show(Verdict.of(now, pool.jobs))) if show else (lambda now: None)
        comparison.run(pool, tell)
        return Verdict.of(comparison, pool.jobs)


def question_of(
    game: Game,
    contestants: Sequence[Contestant],
    *,
    setup: Mapping[str, Any] | None = None,
    clock: Mapping[str, Any] | None = None,
    sandbox: Sandbox = Sandbox.AUTO,
    freeze_idle: bool = True,
    keep: Keep = Keep.LOST,
    bot_folders: Sequence[str] = (),
    games: int | None = None,
    sprt: Sprt | None = None,
    seed: int = 0,
) -> Question:
    """What is asked, checked. `clock` holds settings of a `Clock`, by name. Raises LapilliError."""
    if games is not None and games < 1:
        raise LapilliError(f"at least one match is to be played, not {games}")
    if len(contestants) not in game.players:
        numbers = " or ".join(map(str, sorted(game.players)))
        raise LapilliError(
            f"{game.title} is for {numbers} players, not {len(contestants)}: name who else plays, or fewer"
        )
    recipe = recipe_of(
        game,
        contestants,
        setup={**(setup or {}), "players": len(contestants)},
        clock=clock,
        sandbox=sandbox,
        freeze_idle=freeze_idle,
        keep=keep,
        bot_folders=bot_folders,
    )
    return Question(recipe=recipe, sprt=Sprt() if sprt is None and games is None else sprt, games=games, seed=seed)


def title(contestants: Sequence[Contestant]) -> str:
    """What a comparison is called."""
    return " against ".join(one.name for one in contestants[:2])
