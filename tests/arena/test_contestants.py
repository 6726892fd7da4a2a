"""From what a user names as a player to a contestant."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lapilli.arena.matches.contestants import check_starting, contestants_of, free_name, functions_of
from lapilli.arena.matches.playing import Recipe
from lapilli.arena.matches.versions.bot_files import folder_hash
from lapilli.core.errors import LapilliError
from lapilli.games import load
from lapilli.players import PlayerSpec

GAME = load("tictactoe")


def hash_of(player: object) -> str:
    [one] = contestants_of(GAME, [player])  # type: ignore[list-item]
    return one.hash


def test_a_name_stands_before_the_command(tmp_path: Path) -> None:
    bot = tmp_path / "bot.sh"
    bot.write_text("#!/bin/sh\ncat\n")
    bot.chmod(0o755)
    told = contestants_of(GAME, [f"v2={bot} --depth=3", "random", "random", "env A=1 cat"])
    assert [(one.name, one.player) for one in told] == [
        ("v2", f"{bot} --depth=3"),
        ("random", "random"),
        ("random (2)", "random"),
        ("env A=1 cat", "env A=1 cat"),
    ]
    with pytest.raises(LapilliError, match="two players are called 'a'"):
        contestants_of(GAME, ["a=random", "a=cat"])


def test_a_change_of_its_program_changes_its_hash(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("print(1)")
    helper = tmp_path / "helper.py"
    before = hash_of(f"python3 {bot}")
    assert hash_of(f"v1=python3 {bot}") == before
    helper.write_text("x = 1")
    with_helper = hash_of(f"python3 {bot}")
    bot.write_text("print(2)")
    assert len({before, with_helper, hash_of(f"python3 {bot}")}) == 3


def test_a_folder_has_a_hash_of_all_that_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "table.txt").write_text("1 2 3")
    before = folder_hash(tmp_path)
    (tmp_path / "table.txt").write_text("1 2 4")
    assert folder_hash(tmp_path) != before


def test_built_ins_and_functions() -> None:
    def mine(state: object) -> int:
        return 0

    assert hash_of("random") == hash_of("random")
    assert functions_of(["random", mine, PlayerSpec(command="cat")]) == {1: mine}
    with pytest.raises(LapilliError, match="nobody"):
        contestants_of(GAME, ["nobody"])


def test_who_does_not_stay_is_found() -> None:
    bot = Path(__file__).parents[1] / "fifth" / "tictactoe" / "starters" / "bot.py"
    check_starting(recipe(f"{sys.executable} {bot}"))
    ending = recipe("x=sh -c 'echo where am I >&2; exit 3'")
    with pytest.raises(LapilliError, match="player 'x' exited with code 3: where am I"):
        check_starting(ending)
    check_starting(ending, without=[0])


def recipe(player: str) -> Recipe:
    return Recipe(game=GAME.name, contestants=contestants_of(GAME, [player, "random"]))


def test_a_name_that_is_taken_gets_the_first_free_number() -> None:
    assert free_name("mine", ["greedy"]) == "mine"
    assert free_name("mine", ["mine", "mine (2)"]) == "mine (3)"
