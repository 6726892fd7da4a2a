"""Data sets: the same on any number of processes and after an interruption, and true to the matches they come from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lapilli
from cli.running import refused, run
from lapilli.core.api import Game, Setup
from lapilli.core.errors import LapilliError
from lapilli.envs.learning.datasets import making
from lapilli.envs.learning.datasets.dataset import ABOUT
from lapilli.envs.learning.datasets.making import make_dataset
from lapilli.envs.learning.datasets.playing import LISTS, ROWS, Plan, match_arrays
from lapilli.games import load, names
from lapilli.workers.mappers import mapper

GAMES = [load(name) for name in names()]
MATCHES = 5


def plan_of(game: Game, **other: Any) -> Plan:
    return Plan(game.name, "best:nodes=4", MATCHES, seed=3, **other)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_arrays_are_true_to_the_match(game: Game, tmp_path: Path) -> None:
    plan = Plan(game.name, "best:nodes=4", 2, random_turns=0)
    make_dataset(plan, tmp_path / "data.npz", map)
    data = lapilli.load_dataset(tmp_path / "data.npz")
    assert len(data) >= 10
    assert data.game is game
    own = data.arrays
    setup = game.complete(Setup(seed=0))
    for row in range(0, len(data), 1 + len(data) // 40):
        state, player = game.state.of_record(setup, data.states[row]), int(own["player"][row])
        assert player in state.asked()
        assert state.turn == own["turn"][row]
        assert own["actions"][row] == data.listed("turns", row)[0]
        assert own["actions"][row] in state.legal_actions(player)
        assert (state.observation(player) == own["observations"][row]).all()
        assert set(data.listed("candidates", row).tolist()) <= set(state.legal_actions(player))
    assert set(own["returns"].tolist()) <= {-1.0, 0.0, 1.0}
    assert ((own["values"] >= 0) & (own["values"] <= 1)).all()


@pytest.mark.parametrize("game", GAMES[-1:], ids=str)
def test_neither_processes_nor_interruptions_change_it(
    game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of(game)
    monkeypatch.setattr(making, "PART", 2)
    shown: list[int] = []
    with mapper(2) as run:
        made = make_dataset(plan, tmp_path / "processes.npz", run, lambda done, _: shown.append(done))
    assert shown == sorted(shown)
    assert shown[-1] == MATCHES

    def stopped(work: Callable[[int], Any], numbers: Iterable[int]) -> Iterable[Any]:
        for number in numbers:
            if number == 3:
                raise KeyboardInterrupt
            yield work(number)

    file = tmp_path / "stopped.npz"
    with pytest.raises(KeyboardInterrupt):
        make_dataset(plan, file, stopped)
    assert not file.exists()
    again: list[int] = []

    def counted(work: Callable[[int], Any], numbers: Iterable[int]) -> Iterable[Any]:
        again.extend(numbers)
        return map(work, numbers)

    part = tmp_path / "stopped.npz.parts" / "000000000.npz"
    whole = part.read_bytes()
    part.write_bytes(whole[:-50])
    with pytest.raises(LapilliError, match=r"000000000.npz \(.*\): remove it, and run the same command again"):
        make_dataset(plan, file, map)
    part.write_bytes(whole)
    (part.parent / "000000002.npz").unlink()
    (part.parent / "000000004.npz").unlink()
    assert make_dataset(plan, file, counted) == made
    assert again == [2, 3, 4], "the first part is kept"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["processes.npz", "stopped.npz"]
    assert make_dataset(plan, file, counted) == made, "a whole data set is not made again"
    with pytest.raises(LapilliError, match=r"stopped.npz belongs to another data set \(seed 3\)"):
        make_dataset(Plan(game.name, plan.player, MATCHES, seed=4), file, counted)
    assert len(again) == 3


def test_the_order_of_the_arrays_never_changes() -> None:
    """The hash of a data set depends on it. People publish these hashes."""
    assert ROWS[:8] == ("match", "turn", "player", "states", "observations", "actions", "values", "returns")
    assert ROWS[8:] == ("turn_counts", "candidate_counts")
    assert [*LISTS] == ["turns", "candidates", "nodes", "scores"]


def test_examples_are_what_a_network_learns(tmp_path: Path) -> None:
    game = GAMES[-1]
    make_dataset(plan_of(game), tmp_path / "data.npz", map)
    data = lapilli.load_dataset(tmp_path / "data.npz")
    batches = list(data.batches(16, seed=1))
    assert [len(batch.observations) for batch in batches[:-1]] == [16] * (len(batches) - 1)
    assert sum(len(batch.returns) for batch in batches) == len(data)
    policies = np.concatenate([batch.policies for batch in batches])
    assert policies.shape == (len(data), game.num_distinct_actions)
    assert policies.sum(axis=1) == pytest.approx(1)
    [example] = data.examples([5]).policies
    nodes = data.listed("nodes", 5)
    assert example[data.listed("candidates", 5)] == pytest.approx(nodes / nodes.sum())
    assert data.examples([]).policies.shape == (0, game.num_distinct_actions)
    for size in (0, -1):
        with pytest.raises(LapilliError, match=f"size: expected at least 1, not {size}"):
            next(data.batches(size))


def test_openings_and_random_turns_differ_between_matches() -> None:
    game = next(game for game in GAMES if game.openings(Setup()))
    plan = plan_of(game, random_turns=3)
    firsts = {match_arrays(plan, number)["states"][0].tobytes() for number in range(MATCHES)}
    assert len(firsts) == MATCHES


def test_what_cannot_be_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = GAMES[-1].name
    monkeypatch.chdir(tmp_path)
    assert "limit of nodes, none of time, and one thread, as in best:nodes=1000" in refused(
        "dataset", game, "--player", "best"
    )
    assert "best:nodes=1000" in refused("dataset", game, "--player", "best:nodes=4,ms=5")
    assert "one thread" in refused("dataset", game, "--player", "best:nodes=4,threads=2")
    assert "search" in refused("dataset", game, "--player", "greedy")
    assert "players" in refused("dataset", game, "--players", "7")
    Path("broken.npz").write_bytes(b"PK no archive")
    assert "broken.npz is no data set" in refused("dataset", game, "--out", "broken.npz")
    with pytest.raises(LapilliError, match="is no data set"):
        lapilli.load_dataset("broken.npz")
    numbers: dict[str, Any] = dict.fromkeys((*ROWS, *LISTS), np.zeros((), np.int64))
    for plan in (Plan(game, "best:nodes=8", 1), Plan(5, "best:nodes=8", 1)):  # type: ignore[arg-type]
        np.savez("broken.npz", **numbers | {ABOUT: json.dumps(vars(plan))})
        with pytest.raises(LapilliError, match="is no data set"):
            lapilli.load_dataset("broken.npz")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken.npz"]


def test_the_command_tells_size_and_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = GAMES[-1]
    monkeypatch.chdir(tmp_path)
    told = run("dataset", game.name, "--player", "best:nodes=4", "--matches", str(MATCHES), "--seed", "3").stdout
    assert f"{MATCHES} matches" in told
    assert make_dataset(plan_of(game), Path(f"{game.name}-data.npz"), map).hash in told
