"""Each command in a process that starts from nothing, as people start it: the same as in those that other tests ask."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from cli.running import run, run_process
from lapilli.cli import app

CALLS = {
    "games": "",
    "rules": "volcanoes",
    "match": "volcanoes random random --seed 3 -q",
    "site": "--url https://play.example.org",
    "puzzles": "mine nosuch",
    "view": "none.json",
    "show": "none.json",
    "analyse": "none.json",
    "compare": "volcanoes greedy",
    "tournament": "volcanoes random",
    "tune": "volcanoes level1:blunder={b}",
    "arena": "list --store none.db",
    "league": "board spring --store none.db",
    "new-game": "class",
    "check-game": "nosuch",
    "new": "volcanoes mybot --lang pyhton",
    "example": "nosuch",
    "test": "none.toml",
    "inputs": "none.json --player 0",
    "bot": "volcanoes",
    "connect": "ftp://x --bot cat --token x",
    "bench": "nosuch",
    "verify": "none.json",
    "referee": "volcanoes",
    "import": "none.json",
    "compile": "nosuch",
    "train": "nosuch",
    "dataset": "nosuch",
    "first-turns": "nosuch",
    "evaluate": "nosuch random",
}
"""Words that each command is called with: they lead past what it loads, and end soon."""


def test_all_commands_are_here() -> None:
    group = typer.main.get_command(app)
    context = group.make_context("lapilli", [], resilient_parsing=True)
    assert sorted(group.list_commands(context)) == sorted(CALLS)  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", CALLS)
def test_a_command_does_the_same_from_nothing(tmp_path: Path, command: str) -> None:
    words = [command, *CALLS[command].split()]
    told = [call(*words, code=None, cwd=tmp_path) for call in (run, run_process)]
    warm, cold = [(done.returncode, done.stdout, done.stderr) for done in told]
    assert warm == cold
    assert cold[0] in (0, 2)
