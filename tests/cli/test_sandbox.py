"""lapilli match --sandbox, where there is bubblewrap and where there is none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cli.running import run, run_anyhow
from players.conftest import needs_sandbox

__all__ = ["needs_sandbox"]

SHOWS_ITS_HOME = (
    "import os, sys\n"
    "print(os.environ.get('HOME'), file=sys.stderr, flush=True)\n"
    "for line in sys.stdin:\n"
    "    print('RANDOM', flush=True)\n"
)


def match(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A match between this bot and a built-in opponent."""
    bot = folder / "bot.py"
    bot.write_text(SHOWS_ITS_HOME)
    return run("match", "volcanoes", f"{sys.executable} {bot}", "random", "-v", *words, code=None, env=environment)


def said(folder: Path, *words: str) -> str:
    """All that a command says, in a folder."""
    done = run_anyhow(*words, cwd=folder)
    assert "Traceback" not in done.stderr.partition("lapilli: ")[0]
    log = folder / "log"
    return done.stdout + done.stderr + (log.read_text() if log.exists() else "")


@pytest.mark.usefixtures("needs_sandbox")
@pytest.mark.parametrize(("mode", "home"), [("auto", "/tmp"), ("require", "/tmp"), ("off", "/home/ada")])
def test_where_there_is_bubblewrap(tmp_path: Path, mode: str, home: str) -> None:
    done = match(tmp_path, "--sandbox", mode, HOME="/home/ada")
    assert done.returncode == 0
    assert home in done.stdout
    assert "without a sandbox" not in done.stderr


@pytest.mark.usefixtures("needs_sandbox")
def test_whoever_writes_a_log_is_told_where_a_bot_may_write(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(f"open('log.txt', 'w').write('hello')\n{SHOWS_ITS_HOME}")
    words = ("match", "volcanoes", f"{sys.executable} bot.py", "random")
    done = run(*words, "--record", "lost.json", cwd=tmp_path)
    hint = "In the sandbox, a bot can write files only in /tmp. With --sandbox off, it can write anywhere."
    assert hint in done.stdout.splitlines()
    assert hint in run("show", "lost.json", cwd=tmp_path).stdout.splitlines()
    assert hint not in run(*words, "--sandbox", "off", cwd=tmp_path).stdout
    assert (tmp_path / "log.txt").read_text() == "hello"


@pytest.mark.usefixtures("needs_sandbox")
def test_a_bot_that_is_lapilli_finds_the_plain_compilers_code_there(tmp_path: Path) -> None:
    """Here the rules are all that the match and its players need; to compile the searches, too, takes much longer."""
    plain = {"LAPILLI_COMPILER": "plain", "NUMBA_CACHE_DIR": str(tmp_path)}
    assert "compiling" in run("match", "tictactoe", "random", "random", "-q", env=plain).stderr
    bot = f"{sys.executable} -m lapilli bot tictactoe --player random"
    done = run("match", "tictactoe", bot, "random", "-v", "--no-timeout", "--sandbox", "require", env=plain)
    assert "compiling" not in done.stdout + done.stderr


def test_where_there_is_none(tmp_path: Path) -> None:
    nowhere = str(tmp_path)
    auto = match(tmp_path, PATH=nowhere)
    assert auto.returncode == 0
    (line,) = [line for line in auto.stderr.splitlines() if "sandbox" in line]
    assert "without a sandbox: there is no bubblewrap" in line
    assert "apt install bubblewrap" in line
    assert "sandbox" not in match(tmp_path, "--sandbox", "off", PATH=nowhere).stderr
    required = match(tmp_path, "--sandbox", "require", PATH=nowhere)
    assert (required.returncode, required.stdout) == (2, "")
    assert required.stderr.count("\n") == 1
    assert "no sandbox: there is no bubblewrap" in required.stderr


@pytest.mark.usefixtures("needs_sandbox")
@pytest.mark.parametrize("command", ["match", "compare", "tournament", "referee"])
def test_two_bots_of_one_folder_are_shown_more_where_one_says_so(tmp_path: Path, command: str) -> None:
    """Their folder has a book that both read, and that neither names."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "book").write_text("RANDOM\n")
    bots = []
    for name in ("a", "b"):
        file = tmp_path / f"{name}.py"
        file.write_text("book = open('lib/book').read()\nwhile input():\n    print(book, end='', flush=True)\n")
        bots.append(f"{sys.executable} {file.name}")
    end = {"match": ["--json"], "referee": ["-d", "seed=1", "-l", str(tmp_path / "log")]}
    usual = ["--matches", "2", "--json", "--store", str(tmp_path / "arena.db")]
    seats = ["-p1", bots[0], "-p2", bots[1]] if command == "referee" else bots
    words = [command, "volcanoes", "--no-timeout", *seats, *end.get(command, usual)]
    assert "--bot-folder shows it more" in said(tmp_path, *words)
    assert "sees no other files" not in said(tmp_path, *words[:2], "--bot-folder", "lib", *words[2:])
