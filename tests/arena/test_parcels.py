"""Bots as files: what travels, and what is started where it arrives."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from lapilli.arena.matches.versions import own_folders, parcels
from lapilli.arena.matches.versions.parcels import packed, unpacked
from lapilli.core.errors import LapilliError
from lapilli.games import load
from lapilli.match import Clock, Match
from lapilli.players import PlayerSpec, Sandbox
from players.conftest import needs_sandbox

__all__ = ["needs_sandbox"]

WEEK = 7 * 24 * 3600


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where bots arrive; another machine's cache."""
    cache = tmp_path / "cache"
    cache.mkdir()
    monkeypatch.setattr(own_folders, "cache_base", lambda: cache / "lapilli")
    return cache / "lapilli-bots"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where we are: a folder with a bot of two files in it."""
    folder = tmp_path / "here" / "bot"
    folder.mkdir(parents=True)
    (folder / "bot.py").write_text("import sys, words\nfor line in sys.stdin:\n    print(words.WORD, flush=True)\n")
    (folder / "words.py").write_text("WORD = 'RANDOM'\n")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("secret")
    monkeypatch.chdir(folder.parent)
    return folder


def arrive(spec: PlayerSpec) -> PlayerSpec:
    bot, data = packed(spec)
    return unpacked(bot, lambda: data)


def plain(command: str, folder: Path | None = None) -> PlayerSpec:
    return PlayerSpec(command=command, folder=str(folder) if folder else None, sandbox=Sandbox.OFF)


def first_fault(spec: PlayerSpec) -> str:
    """Why it is out at the end of its first turn; empty where it has answered."""
    with Match(load("volcanoes"), [spec, "random"], clock=Clock(unlimited=True), sandbox="off") as match:
        next(match.turns())
        return next((entry.fault.reason for entry in match.record.turns if entry.player == 0 and entry.fault), "")


@pytest.mark.parametrize("where", ["by a relative path", "by a whole path", "by its folder"])
def test_a_bot_plays_where_its_files_arrive(where: str, home: Path, elsewhere: Path) -> None:
    spec = {
        "by a relative path": plain("python3 bot/bot.py"),
        "by a whole path": plain(f"{sys.executable} {home}/bot.py"),
        "by its folder": plain("python3 bot.py", home),
    }[where]
    arrived = arrive(spec)
    assert str(arrived.folder).startswith(f"{elsewhere}/")
    assert arrived.name == spec.command
    home.rename(home.with_name("gone"))
    assert first_fault(arrived) == ""


def test_it_plays_in_the_sandbox_there(home: Path, needs_sandbox: None) -> None:
    arrived = arrive(PlayerSpec(command="python3 bot/bot.py", sandbox=Sandbox.REQUIRE))
    home.rename(home.with_name("gone"))
    assert first_fault(arrived) == ""


def test_a_program_that_runs_itself_travels(home: Path) -> None:
    program = home / "run"
    program.write_text("#!/bin/sh\nexec python3 bot/bot.py\n")
    program.chmod(0o755)
    (home / "data").write_text("")
    arrived = arrive(plain("./bot/run bot/data"))
    home.rename(home.with_name("gone"))
    assert first_fault(arrived) == ""


def test_it_is_kept_by_its_hash_for_nobody_to_change(home: Path, elsewhere: Path) -> None:
    bot, data = packed(plain("python3 bot.py", home))
    unpacked(bot, lambda: data)
    unpacked(bot, lambda: pytest.fail("it is there already"))
    assert [place.name for place in elsewhere.iterdir()] == [bot.hash]
    found = {path.name: path.stat().st_mode & 0o777 for path in Path(f"{elsewhere / bot.hash}{home}").rglob("*")}
    assert found == {"bot.py": 0o444, "words.py": 0o444}  # and nothing of .git
    (home / "words.py").write_text("WORD = 'N07'\n")
    assert packed(plain("python3 bot.py", home))[0].hash != bot.hash


def test_who_was_not_used_for_a_week_is_thrown_away(home: Path, elsewhere: Path) -> None:
    first = packed(plain("python3 bot.py", home))
    unpacked(first[0], lambda: first[1])
    old = os.stat(elsewhere / first[0].hash).st_mtime - WEEK - 60
    os.utime(elsewhere / first[0].hash, (old, old))
    (home / "words.py").write_text("WORD = 'N07'\n")
    second = packed(plain("python3 bot.py", home))
    unpacked(second[0], lambda: second[1])
    assert [place.name for place in elsewhere.iterdir()] == [second[0].hash]


def test_what_the_system_has_is_not_packed(home: Path) -> None:
    bot, data = packed(plain(f"{sys.executable} -c pass /usr/bin/env"))
    assert data == b"\x90"  # no file
    assert bot.moved == ()


def refused(spec: PlayerSpec, message: str) -> None:
    with pytest.raises(LapilliError, match=f"^{re.escape(message)}"):
        packed(spec)


def test_what_cannot_be_sent_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused(plain("python3 'bot"), 'player "python3 \'bot": the command "python3 \'bot" cannot be split into words')
    where = os.uname().nodename
    refused(plain("./nobody"), f"player './nobody' on {where}: there is no file './nobody'")
    with (home / "weights").open("wb") as file:
        file.truncate(65 << 20)
    too_much = (
        "the folders that it needs hold more than 64 MB or 10,000 files, too much to send: give it a folder of its own"
        ", or list in .lapilliignore there what is not the bot's"
    )
    refused(plain("python3 bot/bot.py"), f"player 'python3 bot/bot.py': {too_much} ({home})")
    (home / "weights").unlink()
    monkeypatch.setattr(parcels, "MAX_FILES", 2)
    packed(plain("python3 bot/bot.py"))
    (home / "more").write_text("")
    refused(plain("python3 bot/bot.py"), "player 'python3 bot/bot.py': the folders that it needs hold more than 64 MB")


def test_a_program_that_is_missing_there_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = home.parent / "tools" / "lonely-interpreter"
    program.parent.mkdir()
    program.symlink_to(sys.executable)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    bot, data = packed(plain("lonely-interpreter bot/bot.py"))
    program.unlink()
    where = os.uname().nodename
    message = rf"^player 'lonely-interpreter bot/bot.py' on {where}: there is no command 'lonely-interpreter'"
    with pytest.raises(LapilliError, match=message):
        unpacked(bot, lambda: data)
