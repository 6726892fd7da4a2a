"""Cost of the store: how many matches are stored per second, and the time of queries in a store of a million matches.

    python benchmarks/store.py [MATCHES] [FILE-OR-URL]

The matches are generated, not played, and stored as the arena stores them: in a league of 40 entries, with ratings, in
batches of 300. The file (or the tables of the database) must not exist yet; by default it is a temporary file. Each
query runs five times, each time with a store opened again, as a new process would; the output is the worst of the five.
Memory is this process's maximum, before and after it read all matches one by one.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from time import perf_counter, process_time

from lapilli.core.api import Termination
from lapilli.store import MatchFilter, Rating, Standing, Store
from lapilli.store.results import Contestant, MatchResult, SeatResult

ENTRIES = 40
BATCH = 300
TIMES = 5
RARE = "not-started"
"""A fault that happens once in a hundred thousand matches. All other faults are timeouts, in one match of ten."""


def results(number: int) -> Iterator[MatchResult]:
    lots = Random(7)
    for match in range(number):
        seats = lots.sample(range(ENTRIES), 2)
        winner = lots.randrange(3)  # 2: nobody
        fault = RARE if match % 100_000 == 777 else "timeout" if lots.random() < 0.1 and winner < 2 else ""
        yield MatchResult(
            number=match,
            pair=match // 2,
            seed=match // 2,
            termination=Termination(fault) if fault else Termination.DECIDED,
            reason="no reply within 100 ms" if fault else "the higher score",
            turns=40,
            started=1.7e9 + match,
            seconds=0.5,
            seats=tuple(
                SeatResult(
                    contestant=who,
                    score=30 + (seat == winner),
                    rank=1 + (winner < 2 and seat != winner),
                    fault=fault if seat == 1 - winner else "",
                    answers=40,
                    times={lots.randrange(60): 4 for _ in range(10)},
                    cpu_ms=lots.random() * 100,
                    waited_ms=lots.random() * 200,
                )
                for seat, who in enumerate(seats)
            ),
        )


def rate(result: MatchResult, before: Sequence[Rating]) -> list[Rating]:
    """Returns the players' ratings after a match: a simple Elo formula, because only its storage is measured here.

    `result`: result of the match. `before`: ratings of its two players before the match.
    """
    expected = 1 / (1 + 10 ** ((before[1].mu - before[0].mu) / 400))
    gain = 8 * ((result.seats[0].rank == 1) - expected)
    return [Rating(before[0].mu + gain, 50.0), Rating(before[1].mu - gain, 50.0)]


def fill(where: str, number: int) -> int:
    """Stores `number` matches in a league of the store `where`, prints the speed, and returns the id of the league's
    event.
    """
    seconds = processor = 0.0
    with Store.open(where) as store:
        league = store.open_league("benchmark", "tictactoe", {})
        for entry in range(ENTRIES):
            store.enter(league.id, Contestant(name=f"bot {entry}", player="greedy"), Rating(1500.0, 50.0))
        batch: list[MatchResult] = []
        for result in results(number):
            batch.append(result)
            if len(batch) == BATCH or result.number == number - 1:
                start, start_processor = perf_counter(), process_time()
                store.add_results(league.id, batch, rate)
                seconds += perf_counter() - start
                processor += process_time() - start_processor
                batch.clear()
    print(f"stored {number:,} matches: {number / seconds:,.0f}/s; {processor / number * 1e6:.0f} µs of processor each")
    return league.id


def questions(event: int, middle: float) -> dict[str, Callable[[Store], object]]:
    def matches(before: int | None = None, **wanted: object) -> Callable[[Store], object]:
        return lambda store: store.matches(event, MatchFilter(**wanted), before=before)  # type: ignore[arg-type]

    return {
        "the event": lambda store: store.event(event),
        "leaderboard": lambda store: store.leaderboard(event),
        "tallies": lambda store: store.tallies(event),
        "meetings": lambda store: store.meetings(event),
        "matches": matches(),
        "matches, a page far behind": matches(before=2_000),
        "of one": matches(contestant=3),
        "of one, lost": matches(contestant=3, standing=Standing.LOST),
        "of one against another, lost": matches(contestant=3, opponent=5, standing=Standing.LOST),
        "of one against itself (none)": matches(contestant=3, opponent=3),
        "any fault": matches(fault="any"),
        "a rare fault": matches(fault=RARE),
        "a rare fault of one": matches(contestant=3, fault=RARE),
        "a fault that never was": matches(fault="flooded"),
        "a seed": matches(seed=1_234),
        "a seed, of one": matches(seed=1_234, contestant=3),
        "since the middle": matches(since=middle),
        "since now (none)": matches(since=4e9),
        "since the middle, of one, lost": matches(since=middle, contestant=3, standing=Standing.LOST),
        "a match with its record": lambda store: store.match_numbered(event, 1_000),
    }


def ask(where: str, event: int, number: int) -> None:
    with Store.open(where) as store:
        middle = store.match_numbered(event, number // 2).stored
    openings = []
    worst: dict[str, float] = {}
    for _ in range(TIMES):
        start = perf_counter()
        with Store.open(where) as store:
            openings.append(perf_counter() - start)
            for name, question in questions(event, middle).items():
                start = perf_counter()
                question(store)
                worst[name] = max(worst.get(name, 0.0), perf_counter() - start)
    for name, seconds in {"opening": max(openings), **worst}.items():
        print(f"{name:32} {seconds * 1000:7.1f} ms")


def read(where: str, event: int) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = perf_counter()
    with Store.open(where) as store:
        number = sum(1 for _ in store.results(event))
    seconds = perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"read {number:,} one by one: {number / seconds:,.0f}/s; memory {before >> 10} MiB before, {after >> 10} after"
    )


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        where = sys.argv[2] if len(sys.argv) > 2 else str(Path(folder, "arena.db"))
        event = fill(where, number)
        ask(where, event, number)
        read(where, event)


if __name__ == "__main__":
    main()
