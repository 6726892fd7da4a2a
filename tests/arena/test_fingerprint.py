"""What makes another contestant of a player that is named the same, and what does not."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lapilli.arena.matches.versions import bot_files, fingerprint
from lapilli.arena.matches.versions.fingerprint import player_hash, short_hash
from lapilli.core.errors import LapilliError
from lapilli.games import load
from lapilli.match import play_match
from lapilli.players import PlayerSpec
from lapilli.store import EventKind, Store

GAME = load("tictactoe")
FIFTH = Path(__file__).parents[1] / "fifth"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a bot in it that consists of all kinds of files; and where we are, a folder above it."""
    folder = tmp_path / "bots" / "v1"
    (folder / "mypkg").mkdir(parents=True)
    (folder / "nets").mkdir()
    (folder / "bot.py").write_text("import mypkg.core\n")
    (folder / "mypkg" / "__init__.py").write_text("")
    (folder / "mypkg" / "__main__.py").write_text("from mypkg import core\n")
    (folder / "mypkg" / "core.py").write_text("DEPTH = 3\n")
    (folder / "nets" / "net.bin").write_bytes(bytes(range(256)))
    (folder / "params.json").write_text('{"exploration": 0.5}\n')
    monkeypatch.chdir(folder.parent)
    return folder


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def hash_of(player: str | PlayerSpec, folders: tuple[str, ...] = ()) -> str:
    return player_hash(GAME, player, folders)


CHANGES: dict[str, Callable[[Path], object]] = {
    "the file that is named": lambda home: (home / "bot.py").write_text("import mypkg.core, sys\n"),
    "a module of a package": lambda home: (home / "mypkg" / "core.py").write_text("DEPTH = 4\n"),
    "a new module": lambda home: (home / "mypkg" / "more.py").write_text("x = 1\n"),
    "a module that is gone": lambda home: (home / "mypkg" / "core.py").unlink(),
    "weights": lambda home: (home / "nets" / "net.bin").write_bytes(bytes(reversed(range(256)))),
    "parameters": lambda home: (home / "params.json").write_text('{"exploration": 0.6}\n'),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("command", ["python3 v1/bot.py", "in its folder", "python3 -m mypkg", "python3 -m mypkg.core"])
def test_a_change_of_any_file_makes_another_contestant(
    change: str, command: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot: str | PlayerSpec = command
    if command == "in its folder":
        bot = PlayerSpec(command="python3 bot.py", folder=str(home))
    elif " -m " in command:
        monkeypatch.chdir(home)
    before = hash_of(bot)
    assert hash_of(bot) == before
    CHANGES[change](home)
    assert hash_of(bot) != before


def write_record(home: Path) -> None:
    record = play_match(GAME, ["random", "random"], seed=1)
    record.save(home / "match.json")
    record.save(home / "match.json.gz")
    (home / "lost.jsonl").write_text(json.dumps(json.loads((home / "match.json").read_text())) + "\n")


def fill_store(home: Path) -> None:
    with Store.open(home / "arena.db") as store:
        store.open_event(EventKind.COMPARISON, "a against b", GAME.name, {}, ())
        shutil.copy(home / "arena.db", home / "killed.db")  # as kill -9 leaves it
        shutil.copy(home / "arena.db-wal", home / "killed.db-wal")


def write_page(home: Path) -> None:
    write_record(home)
    words = [sys.executable, "-m", "lapilli", "view", str(home / "match.json"), "--html", str(home / "page.html")]
    subprocess.run(words, check=True, capture_output=True)


def ignore_notes(home: Path) -> None:
    (home / ".lapilliignore").write_text("# mine\nnotes/\n*.tmp\nnets/*.old\n")
    (home / "notes").mkdir()
    for name in ("notes/a.txt", "b.tmp", "nets/net.old"):
        (home / name).write_text("x")


def touch(home: Path) -> None:
    for file in home.rglob("*"):
        os.utime(file, (1, 1))


def make_caches(home: Path) -> None:
    script(home / "mypkg" / "__pycache__" / "core.cpython-311.pyc", "x")
    script(home / ".git" / "HEAD", "ref: refs/heads/main")
    script(home / ".bot.py.swp", "x")
    script(home / "bot.py~", "x")
    script(home / "venv" / "pyvenv.cfg", "home = /usr/bin")
    script(home / "venv" / "lib" / "x.py", "x")
    script(home / "logs" / "match.log", "x")


@pytest.mark.parametrize("made", [write_record, fill_store, write_page, ignore_notes, touch, make_caches])
def test_playing_and_working_make_no_other_contestant(made: Callable[[Path], object], home: Path) -> None:
    before = hash_of("python3 v1/bot.py")
    made(home)
    assert hash_of("python3 v1/bot.py") == before
    (home / "book.json").write_text('{"format": "mine"}')
    assert hash_of("python3 v1/bot.py") != before, "not every file of the same kind is ours"


def test_the_place_makes_no_other_contestant(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = hash_of("python3 v1/bot.py --net=v1/nets/net.bin")
    assert hash_of(f"python3 {home}/bot.py --net={home}/nets/net.bin") == before
    monkeypatch.chdir(home)
    assert hash_of("python3 bot.py --net=nets/net.bin") == before
    assert hash_of("python3 bot.py --net=nets/other.bin") != before
    classes = hash_of("java -cp bot.py:nets Main")
    assert hash_of(f"java -cp {home}/bot.py:{home}/nets Main") == classes
    shutil.copytree(home, home.parent / "copy")
    assert hash_of("python3 ../copy/bot.py --net=../copy/nets/net.bin") == before


@pytest.mark.parametrize(
    "text",
    [
        '#!/bin/sh\nexec "$(dirname "$0")"/../build/bot "$@"\n',
        "#!/bin/sh\nHERE=${0%/*}\n$HERE/../build/bot --fast\n",
        "#!/bin/sh\nexec {build}/bot\n",
        '#!/usr/bin/env python3\nimport os\nos.execv("{build}/bot", ["bot"])\n',
        '#!/bin/sh\nexec "$(dirname "$0")"/second.sh\n',
    ],
)
def test_a_wrapper_is_what_it_starts(text: str, home: Path) -> None:
    """The program lies outside the wrapper's folder."""
    build = home.parent / "build"
    program = script(build / "bot", "\0ELF 1")
    script(home / "second.sh", f"#!/bin/sh\nexec {build}/bot\n")
    script(home / "run", text.format(build=build) if "{build}" in text else text)
    before = hash_of("./v1/run")
    script(build / "bot.o", "of no interest")
    assert hash_of("./v1/run") == before
    program.write_text("\0ELF 2")
    assert hash_of("./v1/run") != before


def test_a_program_beside_its_wrapper(home: Path) -> None:
    """Even in a folder that does not count by its name."""
    program = script(home / ".build" / "release" / "bot", "\0ELF 1")
    script(home / "run.sh", '#!/bin/sh\nexec "$(dirname "$0")/.build/release/bot"\n')
    for command in ("./v1/run.sh", "sh v1/run.sh", f"sh -c 'cd / && {home}/run.sh'"):
        program.write_text("\0ELF 1")
        before = hash_of(command)
        program.write_text("\0ELF 2")
        assert hash_of(command) != before, command


def test_a_file_in_a_folder_that_is_everybodys(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as ~ or /tmp: what else lies there is not the bot's, but what it imports and names is."""
    monkeypatch.setenv("HOME", str(home))
    (home / "bot.py").write_text("import mypkg.core\nopen('params.json')\n")
    before = hash_of("python3 v1/bot.py")
    (home / "letter.txt").write_text("Dear all")
    assert hash_of("python3 v1/bot.py") == before
    hashes = {before}
    for change in ("a module of a package", "parameters"):
        CHANGES[change](home)
        hashes.add(hash_of("python3 v1/bot.py"))
    (home / "helper.py").write_text("x = 1")
    hashes.add(hash_of("python3 v1/bot.py"))
    assert len(hashes) == 4


def test_a_folder_that_is_too_large(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fingerprint, "MAX_FILES", 20)
    (home / "data").mkdir()
    for number in range(20):
        (home / "data" / f"{number}.txt").write_text("x")
    before = hash_of("python3 v1/bot.py")
    assert hash_of("python3 v1/bot.py") == before
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"lapilli: player 'python3 v1/bot.py': {home} holds more than 20 files or 512 MiB, so ")
    assert f"list in {home}/.lapilliignore what is not the bot's" in line
    CHANGES["a module of a package"](home)
    changed = hash_of("python3 v1/bot.py")
    assert changed != before, "what the script imports counts all the same"
    (home / ".lapilliignore").write_text("data\n")
    whole = hash_of("python3 v1/bot.py")
    CHANGES["weights"](home)
    assert hash_of("python3 v1/bot.py") != whole
    assert capsys.readouterr().err == ""


def test_other_folders_that_are_named(home: Path) -> None:
    lib = home.parent / "lib"
    script(lib / "shared.py", "x = 1")
    with_lib = hash_of("python3 v1/bot.py", (str(lib),))
    by_path = hash_of(PlayerSpec(command="python3 v1/bot.py", environment={"PYTHONPATH": str(lib)}))
    script(lib / "shared.py", "x = 2")
    assert hash_of("python3 v1/bot.py", (str(lib),)) != with_lib
    assert hash_of(PlayerSpec(command="python3 v1/bot.py", environment={"PYTHONPATH": str(lib)})) != by_path


def test_a_linked_folder_counts_by_its_content_and_may_go_round(home: Path) -> None:
    elsewhere = home.parent / "elsewhere"
    script(elsewhere / "net.bin", "1")
    (home / "linked").symlink_to(elsewhere)
    (elsewhere / "back").symlink_to(home)
    before = hash_of("python3 v1/bot.py")
    (elsewhere / "net.bin").write_text("2")
    assert hash_of("python3 v1/bot.py") != before


def test_a_file_is_read_again_only_if_it_has_changed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    digest = hashlib.file_digest

    def noted(file: Any, kind: str) -> Any:
        read.append(file.name)
        return digest(file, kind)

    monkeypatch.setattr(hashlib, "file_digest", noted)
    before = hash_of("python3 v1/bot.py")
    assert len(read) == 6
    hash_of("python3 v1/bot.py")
    assert len(read) == 12, "they have only just changed: size and times might be the same after a further change"
    monkeypatch.setattr(bot_files, "_SETTLED_S", -1.0)
    hash_of("python3 v1/bot.py")
    assert hash_of("python3 v1/bot.py") == before
    assert len(read) == 18
    (home / "params.json").write_text('{"exploration": 0.7}\n')
    os.utime(home / "params.json", (1, 1))
    assert hash_of("python3 v1/bot.py") != before
    assert len(read) == 19


def test_what_cannot_be_read_is_said_in_one_line(home: Path) -> None:
    (home / ".lapilliignore").write_bytes(b"\xff\xfe")
    with pytest.raises(LapilliError, match=r"\.lapilliignore cannot be read: it is no text$"):
        hash_of("python3 v1/bot.py")
    with pytest.raises(LapilliError, match=r"^player \"python3 'v1\": the command"):
        hash_of(PlayerSpec(command="python3 'v1"))


def test_short_hashes() -> None:
    assert short_hash(f"sha256:{'3f2a91':0<64}") == "3f2a91"
    assert len(short_hash("random of Lapilli 0.3")) == 6, "in an older store"


def builtin_hashes(games: Path, *names: str) -> list[str]:
    """Hashes of built-in opponents in a process with its own games: sources are read once a process."""
    code = (
        "import json, sys\n"
        "from lapilli.arena.matches.versions.fingerprint import player_hash\n"
        "from lapilli.games import load\n"
        "print(json.dumps([player_hash(load('tictactoe'), name) for name in sys.argv[1:]]))\n"
    )
    words = [sys.executable, "-c", code, *names]
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ | {"LAPILLI_GAMES": str(games)})
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout)
    return found


def test_a_built_in_is_its_sources_and_weights(tmp_path: Path) -> None:
    for name in ("a", "b"):
        shutil.copytree(
            FIFTH / "tictactoe", tmp_path / name / "tictactoe", ignore=shutil.ignore_patterns("__pycache__")
        )
    before = builtin_hashes(tmp_path / "a", "random")
    assert builtin_hashes(tmp_path / "b", "random") == before, "wherever it lies"
    weights = tmp_path / "a" / "tictactoe" / "content" / "weights.npz"
    weights.write_bytes(b"1")
    with_weights = builtin_hashes(tmp_path / "a", "random")
    weights.write_bytes(b"2")
    other_weights = builtin_hashes(tmp_path / "a", "random")
    rules = tmp_path / "a" / "tictactoe" / "rules.py"
    rules.write_text(f"{rules.read_text()}\n# changed\n")
    assert len({*before, *with_weights, *other_weights, *builtin_hashes(tmp_path / "a", "random")}) == 4


def test_settings_of_a_built_in(tmp_path: Path) -> None:
    game = load("volcanoes")
    shipped = Path(str(game.content / "weights.npz"))
    copy = tmp_path / "copy.npz"
    shutil.copy(shipped, copy)
    names = [
        "rave",
        "rave:nodes=100",
        "rave:nodes=100,exploration=1",
        "rave:ms=100",
        "uct",
        "level1",
        "greedy",
        "random",
    ]
    hashes = [player_hash(game, name) for name in [*names, f"rave:weights={copy}"]]
    assert len({*hashes}) == len(hashes)
    assert player_hash(game, f"rave:weights={shipped}") == hashes[-1], "by its content"
