"""What is played in tests of pools: recipes, tasks, and a process that compares until it is stopped.

python played.py STORE JOBS GAMES     says "forked" or "spawned", and how many matches are stored; then the ending
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from lapilli.arena.matches.playing import Keep, Recipe
from lapilli.arena.matches.pool import LocalPool
from lapilli.arena.progress.comparison import Comparison, ComparisonSpec
from lapilli.arena.progress.schedule import Schedule
from lapilli.players import Sandbox
from lapilli.store import Store
from lapilli.store.results import Contestant, MatchResult, MatchTask

ROOT = Path(__file__).resolve().parents[2]
BOTS = ROOT / "tests" / "bots"


def of(first: str, second: str, game: str = "tictactoe", keep: Keep = Keep.NONE) -> Recipe:
    """Two players without a sandbox: what is tested is who starts them."""
    contestants = (Contestant(name="A", player=first), Contestant(name="B", player=second))
    clock = {"unlimited": True}
    return Recipe(game=game, contestants=contestants, clock=clock, sandbox=Sandbox.OFF, keep=keep)


def sleepers(milliseconds: int) -> Recipe:
    """Two real bots that take so long for each of the dozen or two replies that a match has."""
    bot = f"{sys.executable} -IS {BOTS / 'sleeps.py'} {milliseconds}"
    return of(bot, bot, "volcanoes")


def tasks(number: int) -> Iterator[MatchTask | None]:
    """So many, and then none."""
    return map(Schedule(0).task, range(number))


def plain(results: Iterable[MatchResult]) -> list[MatchResult]:
    """What is the same whoever plays how fast, by number."""
    return [
        msgspec.structs.replace(
            result,
            started=0.0,
            seconds=0.0,
            record=None,
            seats=tuple(msgspec.structs.replace(seat, times={}, cpu_ms=0.0, waited_ms=0.0) for seat in result.seats),
        )
        for result in sorted(results, key=lambda result: result.number)
    ]


def command_line(process: int) -> bytes:
    return Path(f"/proc/{process}/cmdline").read_bytes()


def main(where: str, jobs: int, matches: int) -> None:
    recipe = sleepers(5)
    with Store.open(where) as store:
        comparison = Comparison(ComparisonSpec(recipe=recipe, matches=matches), store, "test")
        print(comparison.resumed, flush=True)

        def show(now: Comparison) -> None:
            workers = multiprocessing.active_children()
            if workers:
                print("forked" if b"spawn" not in command_line(workers[0].pid or 0) else "spawned")
            print(now.board.matches, flush=True)

        comparison.run(LocalPool(recipe, jobs), show)
        print(comparison.ending, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
