"""Stores with events whose matches were really played."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

from lapilli.arena.matches.playing import InProcessPool, Keep, Recipe, play
from lapilli.arena.progress.comparison import Comparison, ComparisonSpec
from lapilli.arena.statistics import Skill, updated
from lapilli.core.api import Termination
from lapilli.players import Sandbox
from lapilli.store import Event, EventKind, Rating, Store
from lapilli.store.results import Contestant, MatchResult, MatchTask

BOTS = Path(__file__).resolve().parents[1] / "bots"
NEW, OLD = "v2 <img src=x onerror=alert(1)> [red]", "v1\x1b[31m & co"
"""Names as somebody would choose them who means harm."""


def recipe(game: str, players: dict[str, str], keep: Keep = Keep.ALL) -> Recipe:
    who = tuple(Contestant(name=name, player=player, hash=f"{name} {player}") for name, player in players.items())
    return Recipe(game=game, contestants=who, sandbox=Sandbox.OFF, keep=keep)


def compare(
    store: Store, players: dict[str, str], matches: int, keep: Keep = Keep.ALL, game: str = "volcanoes"
) -> Event:
    """A comparison that is over."""
    question = ComparisonSpec(recipe=recipe(game, players, keep), matches=matches)
    comparison = Comparison(question, store, " against ".join(players))
    comparison.run(InProcessPool(question.recipe))
    store.finish(comparison.event.id, f"{next(iter(players))} is better.")
    return store.event(comparison.event.id)


def compare_good(store: Store, matches: int = 40) -> Event:
    return compare(store, {NEW: "greedy", OLD: "random"}, matches)


def compare_faulty(store: Store, matches: int = 4) -> Event:
    """One of the two falls out of every match; of a last match the machine had too little."""
    players = {"crashes": f"{sys.executable} {BOTS / 'exits.py'} 2", "stays": "random"}
    event = compare(store, players, matches, Keep.NONE)
    lost = MatchResult(
        number=matches, pair=matches // 2, seed=1, seats=(), termination=Termination.ABANDONED, reason="busy"
    )
    store.add_results(event.id, [lost])
    return store.event(event.id)


def tournament(store: Store, names: Sequence[str] = ("Ada", "Grace", "Linus", "Idle"), seats: int = 2) -> Event:
    """Each seating once; the last contestant has played nothing."""
    engines = ("greedy", "random", "greedy", "random")
    plan = recipe("kingdomino", dict(zip(names, engines, strict=False)))
    event = store.open_event(EventKind.TOURNAMENT, "spring cup", plan.game, {}, plan.contestants)
    seatings = enumerate(permutations(range(len(names) - 1), seats))
    store.add_results(
        event.id, [play(plan, MatchTask(number=n, pair=n, seed=n, seats=sitting)) for n, sitting in seatings]
    )
    return store.event(event.id)


def rate(result: MatchResult, before: Sequence[Rating]) -> list[Rating]:
    after = updated([Skill(one.mu, one.sigma) for one in before], [seat.rank or 0 for seat in result.seats])
    return [Rating(skill.mu, skill.sigma) for skill in after]


def league(store: Store, rounds: int = 12) -> Event:
    """A league with a boss, somebody who was promoted, and somebody who has left."""
    plan = recipe("volcanoes", {"wood boss": "random", "climber": "greedy", "<leaver>": "random"})
    event = store.open_league("ladder", plan.game, {})
    for number, contestant in enumerate(plan.contestants):
        store.enter(event.id, contestant, Rating(25.0, 25 / 3), boss=number == 0)
    for number in range(rounds):
        sitting = [(0, 1), (1, 2), (2, 0)][number % 3]
        store.add_results(
            event.id, [play(plan, MatchTask(number=number, pair=number, seed=number, seats=sitting))], rate
        )
    store.promote(event.id, 1, 0, 1, "stands above the boss")
    store.withdraw(event.id, 2)
    return store.event(event.id)


def fill(file: Path) -> None:
    """Events 1 to 4: a good and a faulty comparison, a tournament, a league."""
    with Store.open(file) as store:
        compare_good(store)
        compare_faulty(store)
        tournament(store)
        league(store)
