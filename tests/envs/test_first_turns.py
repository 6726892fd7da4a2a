"""Counts of first turns from self-play: the same on any number of processes, varied, and whole after Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.running import refused, run
from lapilli.core.content.first_turns import read_first_turns
from lapilli.envs.learning.datasets.first_turns import count_first_turns, turns_of_match
from lapilli.envs.learning.datasets.playing import Plan
from lapilli.games import load, names
from lapilli.workers.mappers import mapper

GAME = "tictactoe"
PLAN = Plan(GAME, "best:nodes=20", 12, seed=3)


def test_processes_do_not_change_it_and_matches_branch() -> None:
    shown: list[tuple[int, int]] = []
    with mapper(2) as run_apart:
        found = count_first_turns(PLAN, 1, run_apart, lambda *progress: shown.append(progress))
    again = count_first_turns(PLAN, 1, map, lambda *_: None)
    assert (found.origin, found.turns) == (again.origin, again.turns)
    assert shown == [(number, 12) for number in range(1, 13)]
    first = turns_of_match(PLAN, 0)[0].position
    assert sum(turn.matches for turn in found.of(first)) == found.origin.matches == 12
    assert len(found.of(first)) > 1
    few = count_first_turns(PLAN, 3, map, lambda *_: None)
    assert few.turns == [turn for turn in found.turns if turn.matches >= 3]


def test_ctrl_c_keeps_the_matches_so_far() -> None:
    def stopped(work: Callable[[int], Any], numbers: Iterable[int]) -> Iterator[Any]:
        for number in numbers:
            if number == 4:
                raise KeyboardInterrupt
            yield work(number)

    found = count_first_turns(PLAN, 1, stopped, lambda *_: None)
    assert found.origin.matches == 4


@pytest.mark.parametrize("game", [name for name in names() if load(name).first_turns()])
def test_counts_that_come_with_a_game_are_made_by_the_command(game: str, tmp_path: Path) -> None:
    """The first matches of the file are played again: they lead to positions that the file has."""
    found = load(game).first_turns()
    assert found is not None
    origin = found.origin
    plan = Plan(game, origin.player, origin.matches, origin.seed, setup=origin.setup)
    for turn in turns_of_match(plan, 0)[:1]:
        (known,) = [one for one in found.of(turn.position) if one.after == turn.after]
        assert known.won >= turn.won
        assert known.lost >= turn.lost


def test_the_command_writes_a_file(tmp_path: Path) -> None:
    said = run("first-turns", GAME, "--matches", "3", "--player", "best:nodes=5", "--least", "1", cwd=tmp_path).stdout
    found = read_first_turns(tmp_path, None)
    assert found is not None
    assert said.startswith(f"{len(found)} turns of 3 matches, ")
    assert "first_turns.npz" in said
    assert "needs a limit of nodes" in refused("first-turns", GAME, "--player", "best", cwd=tmp_path).replace("\n", " ")
