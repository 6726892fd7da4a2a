"""lapilli tournament as scripts see it."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

from cli import running
from cli.running import Started
from lapilli.store import Store
from players.conftest import need_sandbox

CHAIN = f"{sys.executable} {Path(__file__).parents[2] / 'examples' / 'volcanoes' / 'chain.py'}"


def run(store: Path, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    return running.run("tournament", *words, "--store", store, code=code)


def test_a_table_for_people_and_files(tmp_path: Path) -> None:
    store, table, page = (tmp_path / name for name in ("arena.db", "table.csv", "table.md"))
    done = run(
        store, "tictactoe", "random", "b=random", "c=random", "--matches=4", f"--csv={table}", f"--markdown={page}"
    )
    assert "12 of 12 matches" in done.stdout
    assert "lapilli arena show 1" in done.stdout
    head, *lines = csv.reader(table.read_text().splitlines())
    assert {line[head.index("player")] for line in lines} == {"random", "b", "c"}
    assert page.read_text().startswith("| rank | player |")
    assert run(store, "tictactoe", "random", "b=random", "c=random", "--matches=4", "-q").stdout.count("\n") == 1
    with Store.open(store) as opened:
        [event] = opened.events()
        assert event.finished
        assert event.verdict.endswith(".")


def test_killed_it_goes_on_and_loses_nothing(tmp_path: Path) -> None:
    store = tmp_path / "arena.db"
    words = [
        "tournament",
        "volcanoes",
        "greedy",
        "random",
        f"chain={CHAIN}",
        "--matches",
        "20",
        "--jobs",
        "2",
        "--json",
    ]
    deadline = time.monotonic() + 60
    with Started(*words, "--store", store) as killed:
        while played(store) < 6:
            assert time.monotonic() < deadline
            assert killed.poll() is None
            time.sleep(0.05)
    before = played(store)
    with Started(*words, "--store", store) as stopped:
        while played(store) < before + 4:
            assert time.monotonic() < deadline + 60
            assert stopped.poll() is None
            time.sleep(0.05)
        stopped.send_signal(signal.SIGINT)
        out, _ = stopped.communicate(timeout=30)
        assert stopped.returncode == 130
    told = json.loads(out)
    assert told["ending"] == "interrupted"
    assert told["resumed"] == before
    assert told["matches"] == played(store) >= before + 4
    with Store.open(store) as opened:
        [event] = opened.events()
        numbers = [stored.result.number for stored in opened.results(event.id)]
    assert len(numbers) == len(set(numbers)) == event.played


def played(store: Path) -> int:
    if not store.exists():
        return 0
    with Store.open(store) as opened:
        return sum(event.played for event in opened.events())


def test_bad_input_is_one_line(tmp_path: Path) -> None:
    need_sandbox()  # without one, the program prints one line more
    store = tmp_path / "arena.db"
    for words, complaint in (
        (["volcanoes", "random"], "2 to 500 players"),
        (["volcanoes", "random", "false"], "player 'false'"),
        (["volcanoes", "random", "greedy", "--format", "cup"], "cup"),
        (["volcanoes", "random", "greedy", "--csv", str(tmp_path / "no" / "x.csv")], "x.csv"),
    ):
        done = run(store, *words, code=2)
        assert done.stdout == ""
        assert complaint in done.stderr
        assert done.stderr.count("\n") == 1
    assert not store.exists()
