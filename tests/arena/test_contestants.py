"""From what a user names as a player to a contestant."""

from __future__ import annotations

from pathlib import Path

import pytest

from lapilli.arena.contestants import contestant, distinct, folder_hash, named
from lapilli.arena.results import Contestant
from lapilli.games import load
from lapilli.games.errors import LapilliError
from lapilli.players import PlayerSpec

GAME = load("tictactoe")


@pytest.mark.parametrize(
    ("text", "name", "command"),
    [
        ("v2=python3 bot.py", "v2", "python3 bot.py"),
        ("my bot = ./bot --depth=3", "my bot", "./bot --depth=3"),
        ("random", "", "random"),
        ("./bot --depth=3", "", "./bot --depth=3"),
        ("env A=1 ./bot", "", "env A=1 ./bot"),
    ],
)
def test_a_name_stands_before_the_command(text: str, name: str, command: str) -> None:
    assert named(text) == (name, command)


def test_a_change_of_its_program_changes_its_hash(tmp_path: Path) -> None:
    bot = tmp_path / "bot.sh"
    bot.write_text("#!/bin/sh\ncat\n")
    bot.chmod(0o755)
    before = contestant(GAME, str(bot))
    assert before.name == "bot.sh"
    assert contestant(GAME, str(bot), "v1").hash == before.hash
    bot.write_text("#!/bin/sh\ncat -\n")
    assert contestant(GAME, str(bot)).hash != before.hash


def test_a_change_in_its_folder_changes_its_hash(tmp_path: Path) -> None:
    (tmp_path / "table.txt").write_text("1 2 3")
    spec = PlayerSpec(command="cat", folder=str(tmp_path))
    before = contestant(GAME, spec)
    (tmp_path / "table.txt").write_text("1 2 4")
    assert contestant(GAME, spec).hash != before.hash
    with pytest.raises(LapilliError, match="nowhere"):
        folder_hash(tmp_path / "nowhere")


def test_equal_names_are_told_apart() -> None:
    twice = [Contestant(name="bot", player="random"), Contestant(name="bot", player="cat")]
    assert [one.name for one in distinct(twice)] == ["bot #1", "bot #2"]


def test_built_ins_and_functions_have_hashes_too() -> None:
    assert contestant(GAME, "random").hash == contestant(GAME, "random").hash
    assert contestant(GAME, lambda state: 0).hash != contestant(GAME, lambda state: 0).hash
    with pytest.raises(LapilliError, match="nobody"):
        contestant(GAME, "nobody")
