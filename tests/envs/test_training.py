"""Training: what samples are, how they are learned, and that the same training makes the same weights."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

from cli.running import Started, run
from lapilli.core.errors import LapilliError
from lapilli.core.search.policy import read_weights
from lapilli.envs.learning.training.selfplay import sample_dtype, samples_of
from lapilli.envs.learning.training.training import checkpoint_of, new_training, resumed_training
from lapilli.games import load, names
from lapilli.search import families
from lapilli.search.mcts import Mcts
from lapilli.search.searcher import new_searcher
from players.conftest import children_of, is_running, wait_until

LEARNING = [game for game in map(load, names()) if game.policy is not None]
OTHERS = [game for game in map(load, names()) if game.policy is None]
GAME = LEARNING[0]
NODES = 120
TRAIN = ["train", GAME.name, "--nodes", str(NODES), "--seed", "5"]
ROUND = 16


def train(*words: str | Path | int, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return run(*TRAIN, *words, code=None, cwd=cwd)


def trees() -> Mcts:
    """A search of the kind that training asks."""
    assert GAME.policy is not None
    searcher = new_searcher(GAME, GAME.searches[GAME.policy.search], {})
    assert isinstance(searcher, Mcts)
    return searcher


def test_a_sample_is_how_often_the_search_tried_what_does_not_surely_lose() -> None:
    found = samples_of(GAME.name, GAME.weights, 400, 5, 3)
    assert len(found) > 5
    searched = trees()
    state, text = (
        GAME.new_initial_state(seed=1),
        GAME.instantiate_search("lapilli.envs.learning.training.samples_template"),
    )
    tree, root = searched.grow(state, 400, 9)
    positions, samples = np.zeros(9, state.DTYPE), np.zeros(9, sample_dtype(GAME))
    scratch = np.zeros(9, np.int64), np.zeros(GAME.verbs.MAX_LEGAL, np.int64)
    count = text.harvest(tree, root, 20, scratch[0], positions, samples, scratch[1])
    assert positions[0] == state.array[0]
    children, first = families.children_of(tree, 0), families.first_child(tree[0]["family"])
    many = len(children)
    assert samples[0]["actions"][:many].tolist() == children["action"].tolist()
    assert samples[0]["visits"][:many].sum() == children["visits"].sum() == tree[0]["visits"]
    deeper = [child for child in children if child["visits"] >= 20 and child["family"]]
    assert 0 < len(deeper) <= count - 1
    after = state.clone()
    after.apply_action(int(deeper[0]["action"]))
    while after.current_player() < 0:
        after.apply_action(after.legal_actions()[0])
    assert positions[1] == after.array[0]
    tree["upper"][first], tree["lower"][first] = -1, -1
    text.harvest(tree, root, 20, scratch[0], positions, samples, scratch[1])
    assert samples[0]["visits"][0] == 0
    tree["upper"][first + 1] = tree["lower"][first + 1] = 1
    text.harvest(tree, root, 20, scratch[0], positions, samples, scratch[1])
    assert samples[0]["visits"][:many].tolist() == [0, 1] + [0] * (many - 2)


def test_weights_learn_what_the_samples_say() -> None:
    """The loss is the cross entropy, recomputed here in plain NumPy, and falls while the same samples are learned."""
    training = new_training(GAME, 5, NODES)
    policy = GAME.policy
    assert policy is not None
    samples = samples_of(GAME.name, training.weights, 400, 5, 0)
    order = np.arange(len(samples))
    by_hand = []
    for position, sample in zip(samples.positions, samples.samples, strict=True):
        count = int(sample["count"])
        patterns, scratch = np.zeros((count, policy.features), np.int64), np.zeros(policy.scratch, np.int64)
        actions = sample["actions"][:count].astype(np.int64)
        GAME.search_hooks.features(position, int(sample["player"]), actions, count, patterns, scratch)  # type: ignore[union-attr]
        logits = training.weights[patterns].astype(float).sum(1)
        logits -= np.log(np.exp(logits).sum())
        share = sample["visits"][:count] / max(1, sample["visits"][:count].sum())
        by_hand.append(-float(share @ logits))
    losses = [training.learn(samples, order[:1])]
    assert losses[0] == pytest.approx(by_hand[0])
    losses = [training.learn(samples, order) for _ in range(4)]
    assert losses[0] == pytest.approx(np.mean(by_hand), rel=0.1)
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0] - 0.05


def test_the_same_training_makes_the_same_weights_killed_or_not_alone_or_not(tmp_path: Path) -> None:
    whole, killed, together = (tmp_path / name for name in ("whole.npz", "killed.npz", "together.npz"))
    done = train("--matches", 3 * ROUND, "--out", whole)
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()[:3]] == [str(ROUND), str(2 * ROUND), str(3 * ROUND)]
    assert "minutes left" in done.stdout
    with Started(*TRAIN, "--matches", "100000", "--out", killed):
        wait_until(checkpoint_of(killed).exists, 120)
    kept = resumed_training(GAME, 5, NODES, killed)
    assert 0 < kept.games < 3 * ROUND
    again = train("--matches", 3 * ROUND, "--out", killed)
    assert again.stdout.startswith(f"Continuing after {kept.games} matches")
    assert killed.read_bytes() == whole.read_bytes()
    assert train("--matches", 3 * ROUND, "--out", together, "--jobs", "2").returncode == 0
    assert together.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("killed", [False, True])
def test_ctrl_c_or_a_killed_worker_keeps_what_was_learned_and_leaves_no_process(tmp_path: Path, killed: bool) -> None:
    """A training by two workers, after three rounds."""
    out = tmp_path / "weights.npz"
    with Started(*TRAIN, "--matches", "100000", "--out", out, "--jobs", "2") as going:
        wait_until(lambda: f"\n{3 * ROUND}" in going.said()[0] or going.poll() is not None, 120)
        assert going.poll() is None, going.said()
        workers = children_of(going.pid)
        assert len(workers) >= 2
        if killed:
            for worker in workers:
                os.kill(worker, signal.SIGKILL)
        else:
            os.kill(going.pid, signal.SIGINT)
        _, problems = going.communicate(timeout=60)
        assert going.returncode == (2 if killed else 130)
    told = (
        "lapilli: a worker process was killed (SIGKILL), perhaps because this machine had no memory left: try again\n"
    )
    assert (told in problems) is killed
    assert "Traceback" not in problems
    assert resumed_training(GAME, 5, NODES, out).games >= 3 * ROUND
    wait_until(lambda: not any(map(is_running, workers)), 20)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["weights.npz", "weights.npz.training"]


def test_what_is_kept_is_on_the_disk_before_it_replaces_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    sync = os.fsync

    def noted(file: int) -> None:
        synced.append(os.fstat(file).st_size)
        sync(file)

    monkeypatch.setattr(os, "fsync", noted)
    new_training(GAME, 5, NODES).keep(tmp_path / "weights.npz")
    assert {file.stat().st_size for file in tmp_path.iterdir()} <= set(synced)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["weights.npz", "weights.npz.training"]


def test_what_cannot_be_trained_or_gone_on_with_is_said_in_one_line(tmp_path: Path) -> None:
    training = new_training(GAME, 5, NODES)
    training.keep(tmp_path / "weights.npz")
    cases = [([OTHERS[0].name], f"no policy to train; games with a policy: {GAME.name}")] if OTHERS else []
    cases += [([GAME.name, "--seed", "6"], "with seed 5"), ([GAME.name, "--nodes", "77", "--seed", "5"], "120 nodes")]
    cases += [([*TRAIN[1:], "--from-scratch"], "120 nodes and not from scratch: pass the same settings")]
    for words, said in cases:
        assert said in run("train", *words, "--out", tmp_path / "weights.npz", code=2).stderr
    done = train("--out", tmp_path / "nowhere" / "weights.npz")
    assert (done.returncode, "no folder" in done.stderr) == (2, True)
    done = train("--out", tmp_path)
    assert (done.returncode, "is a folder: name a file in it" in done.stderr) == (2, True)
    kept = checkpoint_of(tmp_path / "weights.npz").read_bytes()
    for damaged in (b"PK\x03\x04 and no more", kept[:-50], b"", kept.replace(b"begun.npy", b"begum.npy")):
        checkpoint_of(tmp_path / "weights.npz").write_bytes(damaged)
        with pytest.raises(LapilliError, match="cannot be continued"):
            resumed_training(GAME, 5, NODES, tmp_path / "weights.npz")
    checkpoint_of(tmp_path / "weights.npz").unlink()
    done = train("--out", tmp_path / "weights.npz")
    assert (done.returncode, done.stdout) == (2, "")
    assert "exists, but weights.npz.training is missing" in done.stderr


def test_from_scratch_it_begins_with_nothing_and_what_it_learns_can_be_played(tmp_path: Path) -> None:
    """Both by its own name for the file, in the folder where it is started."""
    before = GAME.weights
    done = train("--matches", ROUND, "--from-scratch", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()[-1]
    assert told == f"Wrote the weights to {GAME.name}.npz. Play with them: {GAME.policy.search}:weights={GAME.name}.npz"  # type: ignore[union-attr]
    learned = read_weights(GAME, tmp_path / f"{GAME.name}.npz")
    assert learned.any()
    assert np.count_nonzero(learned) < np.count_nonzero(before)
    assert not new_training(GAME, 5, NODES, scratch=True).weights.any()
    assert np.array_equal(new_training(GAME, 5, NODES).weights, before)
    player = f"{told.rpartition(' ')[2]},nodes=20"
    run("match", GAME.name, player, "random", "--quiet", cwd=tmp_path)
