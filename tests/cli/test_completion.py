"""The shell's completion: what Tab offers for a command line, and the one command that installs it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def lapilli(tmp_path: Path) -> str:
    """The command under its own name, as after an installation."""
    program = tmp_path / "lapilli"
    program.write_text(f"#!{sys.executable}\nfrom lapilli.__main__ import main\nmain()\n")
    program.chmod(0o755)
    return str(program)


def run(lapilli: str, *words: str, **environment: str) -> list[str]:
    """Runs the command in a shell, which it looks for among the processes that have started it."""
    shell = ["bash", "-c", f"{shlex.join([lapilli, *words])}; exit $?"]
    done = subprocess.run(shell, env=os.environ | environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("lapilli tourn", ["tournament"]),
        ("lapilli match vol", ["volcanoes"]),
        ("lapilli match volcanoes gre", ["greedy"]),
        ("lapilli compare volcanoes random level9", ["level9"]),
        ("lapilli match volcanoes --rec", ["--record"]),
        ("lapilli match volcanoes ./bo", []),
    ],
)
def test_what_tab_offers(lapilli: str, line: str, offered: list[str]) -> None:
    words = line.split()
    found = run(lapilli, _LAPILLI_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1))
    assert found == offered


def test_one_command_installs_it(lapilli: str, tmp_path: Path) -> None:
    script = "complete -o default -F _lapilli_completion lapilli"
    assert script in " ".join(run(lapilli, "--show-completion", "bash"))
    run(lapilli, "--install-completion", "bash", HOME=str(tmp_path))
    assert script in (tmp_path / ".bash_completions" / "lapilli.sh").read_text()
    assert "lapilli.sh" in (tmp_path / ".bashrc").read_text()
