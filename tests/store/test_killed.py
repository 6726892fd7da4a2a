"""Whoever is killed at whatever moment: what was said to be stored is there, once, and whole."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from random import Random
from typing import TextIO

import pytest

from lapilli.store import Store
from store.made import event, result
from store.test_matches import counted, met

WRITERS = str(Path(__file__).with_name("writers.py"))
WARM = 4
"""How many portions a writer stores before it is killed: the first ones take it longer, and some are known already."""
KILLS = {"sqlite": 80, "postgresql": 30}


def start(*arguments: object) -> subprocess.Popen[str]:
    folders = [str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, WRITERS, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(folders)},
    )


class Nursery:
    """Starts processes that are at work at once, one after the other."""

    def __init__(self) -> None:
        self._process = start("fork")

    def until(self, word: str) -> tuple[list[str], list[str]]:
        """Reads up to the line that begins with this word; also the lines before."""
        assert self._process.stdout is not None
        before: list[str] = []
        while (line := self._process.stdout.readline().split())[0] != word:
            assert line[0] != "ended", before
            before.append(" ".join(line))
        return line, before

    def start(self, *arguments: object) -> int:
        """Starts one, and returns its number. The next one can be started once this one has ended."""
        self._ask(arguments)
        return int(self.until("started")[0][1])

    @contextmanager
    def beside(self, folder: Path, *arguments: object) -> Iterator[tuple[int, TextIO]]:
        """One of several at once, that writes to a pipe in this folder; its number and what it writes."""
        pipe = folder / f"pipe{len([*folder.glob('pipe*')])}"
        os.mkfifo(pipe)
        self._ask([arguments[0], str(pipe), *arguments[1:]])
        with pipe.open() as lines:
            started, number = lines.readline().split()
            assert started == "started"
            yield int(number), lines

    def _ask(self, arguments: Sequence[object]) -> None:
        assert self._process.stdin is not None
        print(json.dumps(arguments), file=self._process.stdin, flush=True)

    def close(self) -> None:
        self._process.communicate()


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    made = Nursery()
    try:
        yield made
    finally:
        made.close()


def killed(writers: Nursery, how: signal.Signals, delay: float, where: str, event_id: int, first: int) -> list[str]:
    """Starts a writer, kills it that long after it has got going, and returns what it said then."""
    writer = writers.start("write", where, event_id, first)
    for _ in range(WARM):
        stored, _ = writers.until("stored")
    time.sleep(delay)
    os.kill(writer, how)
    _, rest = writers.until("ended")
    return [" ".join(stored), *rest]


def far(said: list[str]) -> int:
    """How far a writer is by its own word."""
    return int([line for line in said if line.startswith("stored")][-1].split()[1])


def check(store: Store, event_id: int, promised: int, after: int) -> tuple[int, int]:
    """Checks what came after a match; returns how many matches there are, and the last one."""
    store.release(event_id, [0], "nobody")  # a server may still be at what it was last told: that ends first
    played = store.event(event_id).played
    new = list(store.results(event_id, after=after))
    assert [match.result for match in new] == [result(number) for number in range(played - len(new), played)]
    assert played >= promised
    assert [tally.matches for tally in store.tallies(event_id)] == [played, played]
    assert sum(tally.won + tally.drawn + tally.lost for tally in store.tallies(event_id)) == 2 * played
    return played, new[-1].id if new else after


def test_killing_loses_nothing_and_counts_nothing_twice(where: str, nursery: Nursery) -> None:
    """A writer that goes on begins before where its forerunner has said that it was."""
    lots = Random(1)
    kills = KILLS["postgresql" if "://" in where else "sqlite"]
    with Store.open(where) as store:
        made = event(store)
        promised = last = midst = 0
        for _ in range(kills):
            said = killed(nursery, signal.SIGKILL, lots.random() * 0.02, where, made.id, max(0, promised - 20))
            promised = max(promised, far(said))
            played, last = check(store, made.id, promised, last)
            midst += said[-1].startswith("storing")
        assert midst > kills / 2, "most were killed in the midst of it"
        results = [result(number) for number in range(played)]
        assert [match.result for match in store.results(made.id)] == results
        assert store.tallies(made.id) == [counted(results, 0), counted(results, 1)]
        assert store.meetings(made.id) == [met(results, 0, 1), met(results, 1, 0)]
        assert store.match_numbered(made.id, played - 1).result == result(played - 1, record=b"x" * 300)


def test_ctrl_c_loses_nothing(where: str, nursery: Nursery) -> None:
    lots = Random(2)
    with Store.open(where) as store:
        made = event(store)
        promised = last = 0
        for _ in range(20):
            said = killed(nursery, signal.SIGINT, lots.random() * 0.02, where, made.id, promised)
            assert said[-1] == "interrupted"
            assert store.event(made.id).verdict == "interrupted", "it could still write"
            promised = far(said)
            promised, last = check(store, made.id, promised, last)


def test_killed_while_it_makes_a_store(places: Iterator[str], nursery: Nursery) -> None:
    """There is a store or none, and the next one opens it."""
    lots = Random(3)
    delay = 0.03
    whole = 0
    for where in islice(places, 25):
        maker = nursery.start("create", where)
        time.sleep(delay * lots.uniform(0.5, 1))
        os.kill(maker, signal.SIGKILL)
        _, said = nursery.until("ended")
        delay *= 0.7 if "open" in said else 1.3  # about the time that it takes here and now
        whole += "open" in said
        with Store.open(where) as store:
            assert store.add_results(event(store).id, [result(0)]) == [0]
    assert 0 < whole < 25, "some were killed before, some after"


def test_processes_share_the_work(where: str, nursery: Nursery, tmp_path: Path) -> None:
    """Nobody plays a match that another one has, and all are played."""
    with Store.open(where) as store, ExitStack() as stack:
        made = event(store)
        workers = [
            stack.enter_context(nursery.beside(tmp_path, "share", where, made.id, 600, f"worker {number}", 60))
            for number in range(3)
        ]
        said = [lines.read().splitlines() for _, lines in workers]
        assert [lines[-1] for lines in said] == ["done"] * 3
        played = [int(number) for lines in said for line in lines if "played" in line for number in line.split()[1:]]
        assert sorted(played) == list(range(600))
        assert all(any("played" in line for line in lines) for lines in said), "everybody has played"
        check(store, made.id, 600, 10**9)


def test_the_work_of_one_who_is_killed_is_done_by_others(where: str, nursery: Nursery, tmp_path: Path) -> None:
    with Store.open(where) as store:
        made = event(store)
        with nursery.beside(tmp_path, "share", where, made.id, 200, "victim", 0.5) as (victim, lines):
            claimed = [int(number) for number in lines.readline().split()[1:]]
            os.kill(victim, signal.SIGKILL)
        assert len(claimed) == 6
        with nursery.beside(tmp_path, "share", where, made.id, 200, "worker", 60) as (_, lines):
            said = lines.read().splitlines()
        assert said[-1] == "done"
        assert sorted(match.result.number for match in store.results(made.id)) == list(range(200))
        again = [int(number) for line in said if "played" in line for number in line.split()[1:]]
        assert set(again) >= set(claimed) - {match for match in range(200) if match not in again}
        assert len(again) == len(set(again))
