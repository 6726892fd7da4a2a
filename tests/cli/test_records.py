"""The commands on records that are odd, on names that are none, and the pages that `lapilli view` leaves."""

from __future__ import annotations

import gzip
import io
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PIL import Image

import lapilli
from cli.running import LAPILLI, run
from lapilli.cli.records.view import _animation
from lapilli.games import load
from lapilli.players.engines.precompile import compile_ahead

RECORD = '{"format": "lapilli-record/1", "game": "volcanoes", "turns": [{"turn": 1, "player": 0, "action": "N07"}]}\n'


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Commands that must compile say so among their complaints."""
    compile_ahead(load("volcanoes"), lambda done, wanted: None)


def told(*words: object, **environment: str) -> tuple[int, str, str]:
    """Exit code, output and complaints of a command."""
    done = run(*words, code=None, env=environment)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("text", [b"", b"\n", b" \n" * 5_000_000])
@pytest.mark.parametrize("words", [["verify"], ["verify", "--positions"], ["inputs", "--player", "0"], ["view"]])
def test_a_file_without_a_record_is_refused(tmp_path: Path, words: list[str], text: bytes) -> None:
    for name in ("none.jsonl", "none.jsonl.gz"):
        file = tmp_path / name
        file.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
        assert told(*words, file) == (2, "", f"lapilli: {file}: there is no record in it\n")


def test_a_file_without_a_record_does_not_hide_the_others(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").touch()
    (tmp_path / "good.jsonl").write_text(RECORD)
    code, shown, refused = told("verify", tmp_path / "none.jsonl", tmp_path / "good.jsonl")
    assert (code, shown) == (2, f"{tmp_path / 'good.jsonl'}, record 1: follows the rules; unfinished\n")
    assert refused.count("\n") == 1


def test_a_gzip_bomb_is_refused_in_one_line(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.jsonl.gz"
    with gzip.open(bomb, "wb") as file:
        for _ in range(200):
            file.write(bytes(1 << 20))
    code, shown, refused = told("verify", bomb)
    assert (code, shown) == (2, "")
    assert refused == (f"lapilli: {bomb}, line 1: longer than 64 MiB, the limit for a record; the rest was not read\n")


@pytest.mark.parametrize(
    "words",
    [
        ["match", "volcanoes", "random", "random", "--record", ""],
        ["verify", ""],
        ["inputs", "", "--player", "0"],
        ["view", "m.json", "--html", ""],
        ["view", "m.json", "--png", ""],
        ["view", "m.json", "--svg", ""],
        ["view", "m.json", "--gif", ""],
        ["show", "m.json", "--svg", ""],
        ["new", "volcanoes", ""],
    ],
    ids=lambda words: " ".join(words[:1] + [word for word in words if word.startswith("--")]),
)
def test_an_empty_name_is_none(tmp_path: Path, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "m.json").write_text(RECORD)
    monkeypatch.chdir(tmp_path)
    code, shown, refused = told(*words)
    assert (code, shown) == (2, "")
    assert "expected a path, not an empty text" in refused
    assert refused.count("\n") == 1
    assert os.listdir(tmp_path) == ["m.json"]


INTERRUPTED_BEFORE_THE_FIRST_QUESTION = """\
import os, signal, sys
from lapilli.cli import main
def seen(frame, event, argument):
    if event == "call" and frame.f_code.co_qualname == "BotProcess.start":
        sys.setprofile(None)
        os.kill(os.getpid(), signal.SIGINT)
sys.setprofile(seen)
main()
"""


@pytest.mark.parametrize("as_json", [False, True])
def test_ctrl_c_before_the_first_question_does_not_name_a_record(tmp_path: Path, as_json: bool) -> None:
    bot, record = tmp_path / "bot.py", tmp_path / "m.json"
    bot.write_text("input()\n")
    words = ["match", "volcanoes", f"{sys.executable} {bot}", "random", "--record", str(record)]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_BEFORE_THE_FIRST_QUESTION, *words, *(["--json"] if as_json else [])],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (130, "")
    assert not record.exists()
    assert "Wrote the record to" not in done.stdout
    if not as_json:
        assert done.stdout.endswith("Stopped on turn 1.\nNo player was asked yet, so no record was written.\n")


INTERRUPTED_AT_A_CALL = """\
import os, signal, sys
from lapilli import cli
calls = int(sys.argv.pop(1))
def seen(frame, event, argument):
    global calls
    if event in ("call", "c_call"):
        calls -= 1
        if calls == 0:
            sys.setprofile(None)
            os.kill(os.getpid(), signal.SIGINT)
install = cli.stop_on_signals
def installed():
    install()
    sys.setprofile(seen)
cli.stop_on_signals = installed
cli.main()
"""


@pytest.mark.parametrize("calls", [1, 2, 10, 100, 1000, 10_000, 30_000])
def test_ctrl_c_at_any_time_after_the_handlers_are_there_shows_no_traceback(calls: int) -> None:
    """Typer answers those that come once it parses; what it does before takes ten thousand calls."""
    command = [sys.executable, "-c", INTERRUPTED_AT_A_CALL, str(calls), "games"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, "")


FEW_DESCRIPTORS = """\
import os, resource, sys
from lapilli{module} import main
resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))
held = []
try:
    while True:
        held.append(os.open(os.devnull, os.O_RDONLY))
except OSError:
    for _ in range(int(sys.argv.pop(1))):
        os.close(held.pop())
main()
"""


@pytest.mark.parametrize(
    ("module", "left", "complaint"),
    [
        (".__main__", 0, "lapilli: cannot start: Too many open files"),
        (".__main__", 1, "lapilli: this machine has run out of a resource: too many open files"),
        (".cli", 0, "lapilli: this machine has run out of a resource: too many open files"),
        (".cli", 1, "lapilli: this machine has run out of a resource: too many open files"),
    ],
)
def test_too_few_descriptors_for_the_kernels_are_told_in_one_line(module: str, left: int, complaint: str) -> None:
    for name in ("kingdomino", "pyramids"):
        compile_ahead(load(name), lambda done, wanted: None)
        command = [sys.executable, "-c", FEW_DESCRIPTORS.format(module=module), str(left)]
        words = ["match", name, "random", "random"]
        done = subprocess.run([*command, *words], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout, done.stderr) == (3, "", f"{complaint}\n")


def pages(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.glob("*/*.html"))


def test_pages_are_there_for_the_browser_and_removed_when_they_are_old(tmp_path: Path) -> None:
    record, place, elsewhere = tmp_path / "m.json", tmp_path / "temporary", tmp_path / "elsewhere"
    record.write_text(RECORD)
    place.mkdir()
    elsewhere.mkdir()
    seen = {"TMPDIR": str(place), "BROWSER": "true"}
    code, shown, _ = told("view", record, **seen)
    assert code == 0
    (folder,) = place.glob("lapilli-view-*")
    assert shown == f"The match is in {folder / 'm.html'} (kept for a day).\n"
    told("view", record, **seen)
    assert pages(place) == ["m.html"] * 2, "the one before may still be looked at"
    _, shown, _ = told("view", record, TMPDIR=str(elsewhere), BROWSER="false")
    assert shown.endswith(
        "No browser could be started. Open this file in one. 'lapilli view --html FILE' writes a page that stays.\n"
    )
    _, shown, _ = told("view", record, "--no-browser", TMPDIR=str(elsewhere), BROWSER="false")
    assert shown.endswith("(kept for a day).\n")
    kept = place / "lapilli-view-link"
    kept.symlink_to(elsewhere)
    yesterday = time.time() - 25 * 3600
    for old in (folder, elsewhere):
        os.utime(old, (yesterday, yesterday))
    os.utime(kept, (yesterday, yesterday), follow_symlinks=False)
    told("view", record, **seen)
    assert pages(place) == ["m.html"] * 2, "the one before, and this one"
    assert not folder.exists()
    assert kept.is_symlink()
    assert elsewhere.is_dir(), "what a link leads to is not ours"


def test_an_animation_shows_the_turns_that_are_asked_for() -> None:
    record = lapilli.play_match("tictactoe", ["random", "random"], seed=1)

    def frames(first: int | None, last: int | None) -> int:
        drawn = Image.open(io.BytesIO(_animation(record, first, last, 200, 50, dark=False, letters=False)))
        return int(getattr(drawn, "n_frames", 1))

    last = record.turns[-1].turn
    assert frames(None, None) == frames(0, last) == last + 1
    assert frames(2, None) == frames(2, last) == last - 1
    assert frames(None, 2) == frames(0, 2) == 3


def test_a_page_that_nobody_was_asked_to_show_is_removed(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(RECORD)
    (tmp_path / "place").mkdir()
    stop = "sh -c 'kill -INT $PPID; sleep 1' %s"
    code, _, _ = told("view", tmp_path / "m.json", TMPDIR=str(tmp_path / "place"), BROWSER=stop)
    assert code == 130
    assert os.listdir(tmp_path / "place") == []


def test_a_full_disk_is_told_and_leaves_no_page(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(RECORD)
    (tmp_path / "place").mkdir()
    environment = os.environ | {"TMPDIR": str(tmp_path / "place"), "BROWSER": "true"}
    done = subprocess.run(
        [*LAPILLI, "view", str(tmp_path / "m.json")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)),
    )
    assert done.returncode == 74
    assert "Traceback" not in done.stderr
    assert os.listdir(tmp_path / "place") == []
