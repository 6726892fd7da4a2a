"""Training with matches on a real Ray cluster: the same weights as on one machine, whatever is lost on the way."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from cli.running import LAPILLI, Started, refused, run
from clusters import need_ray
from lapilli.core.errors import LapilliError
from lapilli.envs.learning.training.training import new_training
from lapilli.games import load, names
from lapilli.workers import ray_pool
from lapilli.workers.ray_mapper import ray_mapper
from players.conftest import running, wait_until

need_ray()
GAME = next(game for game in map(load, names()) if game.policy is not None)
NODES, ROUND = 300, 16
TRAIN = ["train", GAME.name, "--nodes", str(NODES), "--seed", "5"]
AT_PLAY = "ray::_done"
"""What Ray calls a process while it plays a match of ours."""


def killed_at_play() -> bool:
    """Kills a process in the midst of a match, if one is found: it is stopped first, so that it cannot end it."""
    for number in map(int, running(AT_PLAY)):
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGSTOP)
            if str(number) in running(AT_PLAY):
                os.kill(number, signal.SIGKILL)
                return True
            os.kill(number, signal.SIGCONT)
    return False


def test_the_same_weights_as_on_one_machine_though_a_worker_is_killed(cluster: Any, tmp_path: Path) -> None:
    here, there = tmp_path / "here.npz", tmp_path / "there.npz"
    words = [*TRAIN, "--matches", str(2 * ROUND), "--out"]
    run(*words, here)
    with Started(*words, there, "--ray", cluster.address) as going:
        wait_until(killed_at_play, 120)
        _, complaints = going.communicate(timeout=240)
        assert going.returncode == 0, complaints
    assert there.read_bytes() == here.read_bytes()


def test_ctrl_c_keeps_what_was_learned_and_stops_the_cluster(cluster: Any, tmp_path: Path) -> None:
    out = tmp_path / "weights.npz"
    words = [*LAPILLI, *TRAIN, "--matches", "100000", "--out", str(out), "--ray", cluster.address]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as going:
        assert going.stdout is not None
        said = going.stdout.readline()
        assert said.startswith(str(ROUND)), said or going.communicate()[1]
        wait_until(lambda: running(AT_PLAY), 60)
        going.send_signal(signal.SIGINT)
        _, complaints = going.communicate(timeout=120)
    assert (going.returncode, complaints) == (130, "")
    assert out.exists()
    wait_until(lambda: not running(AT_PLAY), 60)


def test_what_cannot_be_played_is_said_in_one_line(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_pool, "sources", lambda: "of another version")
    with (
        ray_mapper(cluster.address) as play,
        pytest.raises(
            LapilliError,
            match=r"^\S+ has another version of Lapilli: install the same as on this machine$",
        ),
    ):
        new_training(GAME, 5, NODES).after_round(play)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--ray", "127.0.0.1:9"], "no Ray cluster is at 127.0.0.1:9: Connection refused"),
        (["--ray", "auto", "--jobs", "2"], "it has cores for: omit jobs"),
    ],
)
def test_no_cluster(words: list[str], said: str, tmp_path: Path) -> None:
    assert refused(*TRAIN, *words, cwd=tmp_path).endswith(said)
    assert not list(tmp_path.iterdir())
