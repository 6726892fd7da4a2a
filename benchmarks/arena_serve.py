"""Time of the pages of `lapilli arena serve`, for a comparison of a million matches.

    python benchmarks/arena_serve.py [MATCHES]

The matches are generated, not played, and inserted into a SQLite file in large portions. Then the command is started in
a process of its own. The output is the median and the maximum time of a request, in milliseconds, and the time to read
all matches once.
"""

from __future__ import annotations

import http.client
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import lapilli
from lapilli.store import EventKind, Store
from lapilli.store.results import Contestant, pack_record

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from generated_matches import NAMES, fill, played

KEPT = 200
"""Number of matches with a record, which are the last ones."""
TIMES = 20
PLAN = {"games": None, "sprt": {"elo0": 0.0, "elo1": 40.0, "alpha": 0.05, "beta": 0.05, "model": "logistic"}}


def make(file: Path, number: int) -> int:
    """Creates the store `file`, with a comparison of `number` matches. Returns the id of this comparison."""
    record = lapilli.play_match(lapilli.names()[-1], ["random", "greedy"], seed=3)
    with Store.open(file) as store:
        who = [Contestant(name=name, player=name, hash=name) for name in NAMES]
        for other in range(60):
            store.open_event(EventKind.COMPARISON, f"earlier {other}", record.game, {"seed": other}, who)
        event = store.open_event(EventKind.COMPARISON, "v2 against v1", record.game, {}, who)
        store.plan_event(event.id, PLAN)
        store._database.write(fill, event.id, number - KEPT)
        store.add_results(event.id, [played(one, pack_record(record)) for one in range(number - KEPT, number)])
    return event.id


class Served:
    """The command `lapilli arena serve` in another process, and requests to it."""

    def __init__(self, file: Path) -> None:
        command = [sys.executable, "-m", "lapilli", "arena", "serve", "--port", "0", "--store", str(file)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r":(\d+)/", line)
        assert found is not None, line
        self.connection = http.client.HTTPConnection("127.0.0.1", int(found[1]))

    def get(self, path: str, version: str = "") -> tuple[int, str, str]:
        """Requests a page. Returns the response's status, ETag and text.

        `version`: the ETag that the client has already; "" for none.
        """
        self.connection.request("GET", path, headers={"If-None-Match": version} if version else {})
        answer = self.connection.getresponse()
        return answer.status, answer.headers.get("ETag", ""), answer.read().decode()

    def memory_mib(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


def measure(what: str, ask: Callable[[], object], times: int = TIMES, before: Callable[[], object] = int) -> None:
    """Makes the same request several times, and prints the median and the maximum time.

    Args:
        what: name of the request in the output.
        ask: function that makes the request.
        times: number of requests.
        before: function that is called before each request; its time is not counted.
    """
    spent = []
    for _ in range(times):
        before()
        began = perf_counter()
        ask()
        spent.append(1000 * (perf_counter() - began))
    print(f"{what}: median {statistics.median(spent):.0f} ms, maximum {max(spent):.0f} ms", flush=True)


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "arena.db"
        began = perf_counter()
        event = make(file, number)
        print(f"{number:,} matches inserted in {perf_counter() - began:.0f} s, {file.stat().st_size >> 20:,} MiB")
        served = Served(file)
        try:
            path, began = f"/events/{event}", perf_counter()
            measure("first page, the very first time", lambda: served.get("/"), 1)
            measure("first page", lambda: served.get("/"))
            measure("event's page, the very first time (its matches are not read yet)", lambda: served.get(path), 1)
            began = perf_counter()
            measure("first page while matches are read", lambda: served.get("/"))
            measure("event's page while matches are read", lambda: served.get(path))
            while "Reading the matches" in served.get(path)[2]:
                time.sleep(0.5)
            print(f"all matches read once: {perf_counter() - began:.0f} s; {served.memory_mib():.0f} MiB of memory")
            measure("event's page", lambda: served.get(path))
            version = served.get(f"{path}/live")[1]
            measure("question whether it has changed", lambda: served.get(f"{path}/live", version))
            measure("first page", lambda: served.get("/"))
            with Store.open(file) as store:
                new = iter(range(number, number + 1000))

                def play() -> None:
                    store.add_results(event, [played(next(new), None), played(next(new), None)])

                measure("event's page after two more matches", lambda: served.get(f"{path}/live"), before=play)
            measure("page of 50 lost matches", lambda: served.get(f"{path}/matches?lost_by=0"))
            measure("film of a match", lambda: served.get(f"{path}/matches/{number - 1}"), 5)
        finally:
            served.process.send_signal(2)
            print(f"exit code {served.process.wait()}")


if __name__ == "__main__":
    main()
