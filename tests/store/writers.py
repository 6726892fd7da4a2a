"""Processes that use a store until they are done, or killed. For tests; started as `python writers.py`.

claim WHERE EVENT NUMBER  claims that many matches, says its name, and reads a line before it ends
fork                      reads lines of JSON, and forks a process for each:
    ["write", where, event, first]                    adds matches without end
    ["create", where]                                 opens the store
    ["share", to, where, event, total, name, lease]   plays matches of an event, with whoever else does; `to` is the
                                                      file that it writes to, and others are forked meanwhile
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from importlib import import_module
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from lapilli.store import Store
from lapilli.store.workers import worker_name
from store.made import result


def say(*words: object) -> None:
    os.write(1, f"{' '.join(map(str, words))}\n".encode())  # a whole line or nothing, whenever we are killed


def write(where: str, event: int, first: int) -> None:
    """Adds matches in small portions without end, and says how far it is."""
    say("started", os.getpid())
    lots = Random(first)
    with Store.open(where) as store:
        try:
            while True:
                end = first + lots.randrange(1, 30)
                results = [result(number, record=b"x" * 300) for number in range(first, end)]
                say("storing", end)
                store.add_results(event, results)
                say("stored", end)
                first = end
        except KeyboardInterrupt:
            store.finish(event, "interrupted")
            say("interrupted")


def create(where: str) -> None:
    say("started", os.getpid())
    with Store.open(where):
        say("open")
    while True:
        time.sleep(1)


def fork_each() -> None:
    """What forks has imported everything: a child is at work at once."""
    with TemporaryDirectory() as folder, Store.open(f"{folder}/arena.db") as store:
        store.events()
    import_module("sqlalchemy.dialects.postgresql.psycopg")  # loaded for the first URL of a server otherwise
    import_module("psycopg")
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        work, *arguments = json.loads(line)
        child = os.fork()
        if not child:
            WORKS[work](*arguments)
            os._exit(0)
        if work != "share":
            os.waitpid(child, 0)
            say("ended")


def claim(where: str, event: int, number: int) -> None:
    with Store.open(where) as store:
        name = worker_name()
        store.claim_next(event, number, name, 60)
    say("worker", name)
    sys.stdin.readline()


def share(to: str, where: str, event: int, total: int, name: str, lease: float) -> None:
    """Claims, plays and stores until all is played; says what it has played."""
    os.dup2(os.open(to, os.O_WRONLY), 1)
    say("started", os.getpid())
    with Store.open(where) as store:
        while store.event(event).played < total:
            claimed = store.claim_next(event, 6, name, lease, below=total)
            say("claimed", *claimed)
            results = [result(number) for number in claimed]
            time.sleep(0.01 if claimed else 0.05)
            store.add_results(event, results)
            say("played", *claimed)
    say("done")


WORKS: dict[str, Any] = {"write": write, "create": create, "share": share}

if __name__ == "__main__":
    if sys.argv[1] == "claim":
        claim(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        fork_each()
