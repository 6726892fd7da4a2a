"""What a bot sees of the folders around it, and of its rival's: its own files, and no more."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import lapilli
from lapilli.players import PlayerSpec, make_player
from lapilli.players.bots.process import BotProcess, Prompt, ask

pytestmark = pytest.mark.usefixtures("needs_sandbox")
LOOK = """
import os
while True:
    input()
    seen = []
    for folder, _, files in os.walk(ROOT):
        for file in files:
            try:
                text = open(os.path.join(folder, file)).read()
            except OSError:
                continue
            if text:
                seen.append(os.path.relpath(os.path.join(folder, file), ROOT))
    print(*sorted(seen), flush=True)
"""


def seen(player: str | PlayerSpec, *rivals: str | PlayerSpec, bot_folders: Sequence[str] = ()) -> str:
    """The files with something in them that a bot finds below a folder."""
    game = lapilli.load("volcanoes")
    bot = make_player(game, player, 0, 1, "require", rivals=[player, *rivals], bot_folders=bot_folders)
    assert isinstance(bot, BotProcess)
    with bot:
        assert bot.start() is None
        [answer] = ask([Prompt(bot, "go\n", 1, 10_000)])
    return answer.reply if isinstance(answer.reply, str) else answer.reply.reason


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which somebody keeps versions of a bot, and is."""
    for name in ("v1/bot.py", "v2/bot.py", "v2/old/bot.py", "a.py", "b.py"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(LOOK.replace("ROOT", repr(str(tmp_path))))  # a command that named it would have it shown
    for name in ("v1/weights", "v2/weights", "lost.json", "notes"):
        (tmp_path / name).write_text("secret")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_versions_in_folders_of_their_own(root: Path) -> None:
    one, two = f"{sys.executable} v1/bot.py", f"{sys.executable} v2/bot.py"
    assert seen(one, two) == "v1/bot.py v1/weights"
    assert seen(two, one) == "v2/bot.py v2/old/bot.py v2/weights"


def test_two_in_one_folder_see_their_files_alone(root: Path) -> None:
    one, two = f"{sys.executable} a.py", f"{sys.executable} b.py notes"
    assert seen(one, two) == "a.py"
    assert seen(two, one) == "b.py notes"


def test_a_path_in_an_option_is_named_as_well(root: Path) -> None:
    one, two = f"{sys.executable} v1/bot.py --net=v2/weights", f"{sys.executable} b.py notes"
    assert seen(one, two) == "v1/bot.py v1/weights v2/bot.py v2/old/bot.py v2/weights"
    assert seen(f"{sys.executable} v1/bot.py --path=a.py:notes", two) == "a.py notes v1/bot.py v1/weights"


def test_one_alone_sees_its_programs_folder(root: Path) -> None:
    assert "lost.json" in seen(f"{sys.executable} a.py").split()


def test_a_rival_within_ones_own_folder_is_hidden(root: Path) -> None:
    whole, inner = f"{sys.executable} v2/bot.py", f"{sys.executable} v2/old/bot.py"
    assert seen(whole, inner) == "v2/bot.py v2/weights"
    assert seen(inner, whole) == "v2/old/bot.py"


def test_a_rival_in_a_folder_that_one_was_given_is_hidden(root: Path) -> None:
    given = PlayerSpec(command=(sys.executable, "a.py"), folder=str(root))
    assert seen(given, f"{sys.executable} v1/bot.py") == "a.py b.py lost.json notes v2/bot.py v2/old/bot.py v2/weights"
    assert "b.py" not in seen(given, f"{sys.executable} b.py").split()


def test_more_is_shown_where_one_asks_for_it(root: Path) -> None:
    one, two = f"{sys.executable} a.py", f"{sys.executable} b.py"
    assert seen(one, two, bot_folders=["v1"]) == "a.py v1/bot.py v1/weights"
    everything = seen(one, two, bot_folders=["."]).split()
    assert "notes" in everything
    assert "b.py" not in everything, "but never the rival"


def test_links_are_no_way_around(root: Path) -> None:
    (root / "latest").symlink_to("v2")
    (root / "all").mkdir()
    (root / "all" / "everything").symlink_to(root)
    whole, rival = PlayerSpec(command=(sys.executable, "a.py"), folder=str(root)), f"{sys.executable} latest/bot.py"
    assert seen(whole, rival) == "a.py b.py lost.json notes v1/bot.py v1/weights"
    through_a_link = PlayerSpec(command=(sys.executable, "a.py"), folder=str(root / "all" / "everything"))
    assert "v2/bot.py" not in seen(through_a_link, rival).split()


def test_one_bot_against_itself_sees_its_folder(root: Path) -> None:
    bot = f"{sys.executable} v1/bot.py"
    assert seen(bot, f"{bot} --depth 3") == "v1/bot.py v1/weights"


def test_who_misses_a_file_is_told_how_to_show_it(root: Path) -> None:
    (root / "a.py").write_text("import b\n")
    record = lapilli.play_match("volcanoes", [f"{sys.executable} a.py", f"{sys.executable} b.py"], seed=1)
    assert record.outcome is not None
    assert record.outcome.culprit == 0
    assert record.outcome.reason.startswith("exited with code 1 (it sees no other files of ")
    assert "--bot-folder shows it more" in record.outcome.reason


def test_a_folder_that_is_not_there(root: Path) -> None:
    record = lapilli.play_match("volcanoes", [f"{sys.executable} a.py", "random"], seed=1, bot_folders=["nowhere"])
    assert record.outcome is not None
    assert record.outcome.reason == "there is no 'nowhere' that it could be shown"


def test_an_interpreter_below_home_by_links_and_by_a_first_line(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As pyenv and uv put them: the program's first line names a link in a virtual environment, which leads there."""
    home = root / "home"
    monkeypatch.setenv("HOME", str(home))
    real = Path(os.path.realpath(sys.executable))
    (home / "versions").mkdir(parents=True)
    shutil.copytree(
        real.parents[1], home / "versions" / "python", symlinks=True, ignore=shutil.ignore_patterns("site-*", "test")
    )
    (home / "project" / "venv" / "bin").mkdir(parents=True)
    link = home / "project" / "venv" / "bin" / "python"
    link.symlink_to(home / "versions" / "python" / "bin" / real.name)
    for first_line, path in ((f"#!{link}", ""), ("#!/usr/bin/env python", str(link.parent))):
        program = home / "project" / "bot"
        program.write_text(
            f"{first_line}\nimport sys\nwhile True:\n    input()\n    print(sys.executable, flush=True)\n"
        )
        program.chmod(0o755)
        if path:
            monkeypatch.setenv("PATH", f"{path}:{os.environ['PATH']}")
        assert seen(PlayerSpec(command=str(program))) == str(link)
