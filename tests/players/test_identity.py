"""The identities of players in records."""

from __future__ import annotations

import hashlib
import os
import sys
from importlib.metadata import version
from pathlib import Path

import msgspec
import pytest

import lapilli
from lapilli.core.api import State
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.players import BotProcess, Identity, PlayerLike, PlayerSpec, check_startable, make_player
from lapilli.players.processes.command import program_hash
from lapilli.players.processes.launcher import PlainLauncher
from lapilli.players.sandbox.sandbox import BubblewrapLauncher

GAME = lapilli.load("volcanoes")


def test_an_exit_code_of_a_program_that_is_not_found_names_the_sandbox() -> None:
    advice = BubblewrapLauncher().advice(127)
    assert "sandbox" in advice
    assert "--bot-folder" in advice
    assert BubblewrapLauncher().advice(1) == ""
    assert PlainLauncher().advice(127) == ""


def hash_of(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def identity(spec: PlayerLike) -> Identity:
    return make_player(GAME, spec, 0, 7).identity


def test_a_built_in_opponent_and_a_function() -> None:
    assert identity("greedy") == Identity("greedy", engine="greedy", version=version("lapilli"))

    def mine(state: State) -> int:
        return 0

    assert identity(mine) == Identity("mine")
    mine.__name__ = "half\ud800"
    assert identity(mine) == Identity("half\ufffd")


def test_a_bots_program_is_known_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").write_text("one")
    (tmp_path / "weights").write_text("two")
    (tmp_path / "bot").write_text("three")
    (tmp_path / "folder").mkdir()
    (tmp_path / "python3").symlink_to("bot")
    os.mkfifo(tmp_path / "fifo")
    for command, content in {
        "./bot": "three",
        "./bot weights": "three",
        f"{tmp_path}/bot --fast": "three",
        "python3 bot.py": "one",
        "python3 -u bot.py weights": "one",
        f"{sys.executable} bot.py": "one",
        "/usr/bin/env A=1 python bot.py": "one",
        "timeout 5 ./bot weights": "three",
        "java -jar bot": "three",
        "java -cp folder Bot": None,
        "./missing bot.py": None,
        "folder/bot": None,
        "no-such-bot --fast": None,
        "./fifo": None,
        "python3": None,
        f"sh -c '{'x' * 5000}'": None,
        "sh -c 'read x'": None,
        "": None,
    }.items():
        assert identity(command).program == (hash_of(content) if content else ""), command
    assert program_hash(["./bot"], cwd=str(tmp_path / "folder")) == ""
    assert BotProcess(PlayerSpec(command="./bot", folder=str(tmp_path)), 0).identity.program == hash_of("three")
    (tmp_path / "bot.py").write_text("changed")
    assert identity("python3 bot.py").program == hash_of("changed")


def test_a_bots_command_is_kept_in_words() -> None:
    assert identity("python3 'my bot.py' 7").command == ("python3", "my bot.py", "7")
    assert identity(["python3", "my bot.py"]).name == "python3 'my bot.py'"
    assert identity("python3 'bot.py") == Identity("python3 'bot.py"), "no words, since it cannot be split"
    assert identity(["./bot\udcff"]) == Identity("'./bot\ufffd'", command=("./bot\ufffd",))


def test_half_characters_do_not_reach_a_record() -> None:
    assert Identity("a\ud800", command=("b\udcff",)) == Identity("a\ufffd", command=("b\ufffd",))


def test_nothing_is_written_that_is_not_known() -> None:
    assert msgspec.json.encode(Identity("Ada")) == b'{"name":"Ada"}'
    assert msgspec.json.decode(b'{"name":"Ada","country":"England"}', type=Identity) == Identity("Ada")


def test_a_name_means_the_same_before_and_in_a_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").write_text("print(1)")
    for name, kind, message in (
        ("rnadom", UnknownName, "did you mean 'random'"),
        ("bot.py", LapilliError, r'for the file in this directory say "python3 bot\.py"'),
    ):
        for resolve in (check_startable, identity_in):
            with pytest.raises(kind, match=message):
                resolve(GAME, name)


def identity_in(_: object, name: str) -> None:
    identity(name)
