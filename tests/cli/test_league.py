"""lapilli league as scripts see it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli import running
from lapilli.players.sandbox.sandbox import why_no_sandbox

CHAIN = Path(__file__).parents[2] / "examples" / "volcanoes" / "chain.py"


def run(store: Path, *words: str, code: int = 0, path: str = "") -> subprocess.CompletedProcess[str]:
    return running.run("league", *words, "--store", store, code=code, env={"PATH": path} if path else None)


def refused(store: Path, *words: str, path: str = "") -> str:
    return running.refused("league", *words, "--store", store, env={"PATH": path} if path else None)


@pytest.mark.skipif(bool(why_no_sandbox()), reason="there is no bubblewrap")
def test_from_wood_on(tmp_path: Path) -> None:
    store = tmp_path / "arena.db"
    assert "wood: level1" in run(store, "create", "spring", "volcanoes").stdout
    assert run(store, "enter", "spring", f"chain={sys.executable} {CHAIN}").stdout == (
        "Entered chain. It plays in the division wood.\n"
    )
    assert (tmp_path / "arena.leagues" / "spring").is_dir()
    told = json.loads(run(store, "run", "spring", "--matches", "6", "--jobs", "2", "--json").stdout)
    assert told == {"league": "spring", "ending": "played", "played": 6, "abandoned": 0, "promoted": []}
    board = json.loads(run(store, "board", "spring", "--json").stdout)
    played = {entry["name"]: entry["matches"] for entry in board["entries"] if entry["matches"]}
    assert played == {"chain": 6, "wood boss": 6}
    listed = json.loads(run(store, "matches", "spring", "--player", "chain", "--limit", "3", "--json").stdout)
    assert len(listed) == 3
    assert run(store, "withdraw", "spring", "chain").stdout == "Withdrew 1 version of chain.\n"
    assert "too few bots" in refused(store, "run", "spring", "--matches", "1")


def test_bad_input_is_one_line(tmp_path: Path) -> None:
    store = tmp_path / "arena.db"
    assert "arena.db" in refused(store, "board", "spring")
    run(store, "create", "spring", "tictactoe")
    assert "no league 'autumn'; available: spring" in refused(store, "run", "autumn")
    assert "expected NAME=COMMAND" in refused(store, "enter", "spring", "./bot")
    assert "no sandbox" in refused(store, "enter", "spring", f"x={sys.executable} {CHAIN}", path="/nowhere")
