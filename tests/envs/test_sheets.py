"""What the sheets in docs/environments tell of a game and its code knows, too: it is the same."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import numpy as np
import pytest

from conformance.walks import in_package
from lapilli.cli.checking.subject import random_step
from lapilli.envs.arrays import has_masks, takes_all
from lapilli.games import load, names
from lapilli.kernels.kernel import CHANCE

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "environments"
OURS = [name for name in names() if in_package(load(name))]


def sheet(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


def told(name: str) -> dict[str, str]:
    """The table of facts."""
    return dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", sheet(name), re.MULTILINE))


def test_every_game_has_a_sheet_and_no_other_lies_there() -> None:
    assert {file.stem for file in FOLDER.glob("*.md")} == set(OURS)


@pytest.mark.parametrize("name", OURS)
def test_the_facts_are_true(name: str) -> None:
    game, facts = load(name), told(name)
    assert sheet(name).startswith(f"# {game.title}\n")
    kind = "masked" if has_masks(game) else "listed"
    expected = {
        "players": ", ".join(map(str, game.players)),
        "turns": "all at once" if takes_all(game) else "one after the other",
        "actions": f"{game.num_distinct_actions}, {kind}; at most {game.verbs.MAX_LEGAL} legal",
        "observation": f"{game.observation.size} numbers of {np.dtype(game.observation.dtype).name}",
        "information hidden": "what the others choose in the same turn" if takes_all(game) else "none",
        "rewards": "only at the end of a game: from +1 for the best rank to -1 for the worst; equal ranks get the same",
        "longest game": f"{game.max_game_length} atomic actions",
        "a position": f"{game.state.DTYPE.itemsize} bytes",
    }
    assert {key: facts.get(key) for key in expected} == expected


@pytest.mark.parametrize("name", OURS)
def test_what_chance_draws(name: str) -> None:
    game, random, outcomes = load(name), Random(3), []
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.current_player() == CHANCE:
            outcomes.append(len(state.chance_outcomes()))
        random_step(state, random)
    lots = [number for number in outcomes if number > 1]  # some games grow at nodes of one outcome
    starts = {game.new_initial_state(seed=seed).position() for seed in (1, 2)}
    late = f"{len(lots)} random draws in a game, each among equally likely outcomes, at most {max(lots, default=0)}"
    early = "the start, drawn by the seed; none after it"
    assert told(name)["chance"] == (late if lots else early if len(starts) > 1 else "none")


@pytest.mark.parametrize("name", OURS)
def test_speed_is_told_by_the_size_of_the_batch(name: str) -> None:
    what = "joint steps" if takes_all(load(name)) else "actions"
    first, *rows = told(name)["speed"].split("; ")
    assert first == f"million {what} a second on two cores, with observations and legal actions, and without"
    numbers = [re.fullmatch(r"([\d,]+) environments: ([\d.]+), ([\d.]+) without", row) for row in rows]
    assert [number and number[1] for number in numbers] == ["1,024", "4,096"]
    assert all(number and float(number[2]) < float(number[3]) for number in numbers)


@pytest.mark.parametrize("name", OURS)
def test_the_parts_of_the_observation_are_told_as_they_are(name: str) -> None:
    section = sheet(name).partition("## Observation")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")][1:]
    parts = load(name).observation.parts
    assert rows == [f"| {part.name} | {' × '.join(map(str, part.shape))} | {part.meaning} |" for part in parts]


@pytest.mark.parametrize("name", OURS)
def test_rewards_come_at_the_end_alone(name: str) -> None:
    state, random = load(name).new_initial_state(seed=3), Random(3)
    while not state.is_terminal():
        assert not any(state.returns())
        random_step(state, random)
    paid = state.returns()
    assert sum(paid) == pytest.approx(0)
    assert max(paid) == -min(paid) in (0, 1)


@pytest.mark.parametrize("name", OURS)
def test_baselines_are_of_built_in_opponents(name: str) -> None:
    table = sheet(name).partition("## Baselines")[2]
    players = re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)
    game = load(name)
    known = {"random", "best", *game.engines, *game.searches, *(f"level{n + 1}" for n in range(len(game.levels)))}
    assert {"random", "greedy"} <= {player.partition(":")[0] for player in players} <= known
