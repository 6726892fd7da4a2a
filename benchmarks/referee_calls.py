"""Processor time of one call of `lapilli referee`: alone, with a resident process, and of a match inside `compare`.

    python benchmarks/referee_calls.py [volcanoes] [20]

Both players are built in, so that no bot's time is counted. A call with a resident process counts what the caller and
the fork that plays the match use. Loading the resident process itself is left out: it happens once, and takes as long
as a call without one.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import lapilli
from lapilli.games import load

PATH = "from lapilli.resident.socket_path import socket_path; print(socket_path())"


def children_s() -> float:
    """Processor time of this process's ended children, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def forks_s(process: int) -> float:
    """Processor time of another process's ended children, in seconds."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def calls(game: str, number: int, environment: dict[str, str]) -> float:
    """Calls `lapilli referee` for `number` matches. Returns the processor time of these processes, in seconds.

    `environment`: environment variables of the calls.
    """
    before = children_s()
    for seed in range(number):
        words = [sys.executable, "-m", "lapilli", "referee", game, str(seed), *players(game)]
        subprocess.run(words, env=environment, check=True, stdout=subprocess.DEVNULL)
    return children_s() - before


def players(game: str) -> list[str]:
    return ["random"] * load(game).players[0]


def main() -> None:
    game = sys.argv[1] if len(sys.argv) > 1 else "volcanoes"
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    start = time.process_time()
    lapilli.play_match(game, players(game), seed=0)
    start = time.process_time()
    for seed in range(number):
        lapilli.play_match(game, players(game), seed=seed)
    print(f"a match in this process       {1000 * (time.process_time() - start) / number:7.0f} ms")
    alone = calls(game, number, {**os.environ, "LAPILLI_RESIDENT": "0"}) / number
    print(f"a call alone                  {1000 * alone:7.0f} ms")
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_RUNTIME_DIR": folder, "LAPILLI_RESIDENT": "1"}
        found = subprocess.run(
            [sys.executable, "-c", PATH], env=environment, capture_output=True, text=True, check=True
        )
        path = found.stdout.strip()
        server = subprocess.Popen(
            [sys.executable, "-P", "-m", "lapilli.resident.server", path], env=environment, cwd="/"
        )
        while not Path(path).exists():
            time.sleep(0.05)
        calls(game, 2, environment)
        before = forks_s(server.pid)
        callers = calls(game, number, environment) / number
        calls(game, 1, environment)  # the forks before it are counted when the next call comes
        forks = (forks_s(server.pid) - before) / number
        server.kill()
        server.wait()
    print(
        f"a call with a resident one    {1000 * (callers + forks):7.0f} ms: {1000 * callers:.0f} + {1000 * forks:.0f}"
    )
    print(f"that is one {alone / (callers + forks):.1f}th of a call alone")


if __name__ == "__main__":
    main()
