"""Ctrl-C at commands for learning that take long: the message, and the exit code."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

from cli.running import Started
from players.conftest import wait_until


def stop(started: Started, when: Callable[[], bool]) -> str:
    """Sends Ctrl-C to a command once `when()` is true; returns the last line that the command prints then."""
    wait_until(lambda: when() or started.poll() is not None, seconds=60)
    assert started.poll() is None
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert started.returncode == 130
    assert "Traceback" not in err
    return out.splitlines()[-1]


def test_an_evaluation_says_that_nothing_is_stored() -> None:
    with Started("evaluate", "volcanoes", "greedy", "--matches", 100_000, "--jobs", 1) as started:
        children = Path(f"/proc/{started.pid}/task/{started.pid}/children")
        said = stop(started, lambda: bool(children.read_text()))
    assert said.startswith("Stopped ")
    assert said.endswith(": there is no result. A smaller --matches takes less time.")


def test_a_data_set_says_how_to_continue(tmp_path: Path) -> None:
    with Started("dataset", "volcanoes", "--matches", 100_000, "--jobs", 1, cwd=tmp_path) as started:
        said = stop(started, (tmp_path / "volcanoes-data.npz.parts" / "about.json").exists)
    assert said == "Stopped. Run the same command again to continue."


def test_a_training_says_how_to_continue(tmp_path: Path) -> None:
    with Started("train", "volcanoes", "--nodes", 8, "--jobs", 1, cwd=tmp_path) as started:
        said = stop(started, lambda: "16 matches" in started.said()[0])
    assert said.startswith("Stopped after ")
    assert said.endswith(" matches. Run the same command again to continue.")
    assert (tmp_path / "volcanoes.npz").exists()
