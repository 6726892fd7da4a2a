"""lapilli arena rename, note, delete and serve, as people call them."""

from __future__ import annotations

import json
import os
import pty
import sys
from pathlib import Path

import pytest

from arena.filled import compare_good, league
from cli.running import LAPILLI, refused, run
from lapilli.store import Store, worker_name


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A comparison and a league."""
    made = tmp_path / "arena.db"
    with Store.open(made) as store:
        compare_good(store, 2)
        league(store, 3)
    return made


def told(file: Path, *words: object) -> str:
    return run("arena", *words, "--store", file).stdout


def test_an_event_is_renamed(file: Path) -> None:
    assert told(file, "rename", 1, "  before the\nrewrite ").startswith(
        "Event 1 is now called before the rewrite (before"
    )
    assert "before the rewrite" in told(file, "list")
    assert "before the rewrite" in told(file, "show", 1)
    assert "there is no event 9" in refused("arena", "rename", 9, "x", "--store", file)
    assert "1 to 200 characters" in refused("arena", "rename", 1, " ", "--store", file)


def test_a_league_keeps_to_the_names_of_leagues(file: Path) -> None:
    assert "a league's name has" in refused("arena", "rename", 2, "spring cup", "--store", file)
    told(file, "rename", 2, "autumn")
    assert "climber" in run("league", "board", "autumn", "--store", file).stdout
    assert "no league 'ladder'" in refused("league", "board", "ladder", "--store", file)


def test_a_note_is_shown_everywhere(file: Path, tmp_path: Path) -> None:
    words = "with <b>the</b> new \x1b[31m evaluation"
    assert "Event 1 has this note now: with" in told(file, "note", 1, words)
    assert "with <b>the</b> new" in told(file, "list")
    shown = told(file, "show", 1)
    assert "Note: with <b>the</b> new \\x1b[31m evaluation" in shown
    assert json.loads(told(file, "show", 1, "--json"))["note"] == words
    assert [event["note"] for event in json.loads(told(file, "list", "--json"))] == ["", words]
    told(file, "page", 1, "-o", tmp_path / "page.html")
    assert '<p class="note">with &lt;b&gt;the&lt;/b&gt; new' in (tmp_path / "page.html").read_text("utf-8")
    assert told(file, "note", 1, "") == "Event 1 has no note now.\n"
    assert "Note" not in told(file, "show", 1)
    assert "at most 2,000 characters, not 2,001" in refused("arena", "note", 1, "x" * 2001, "--store", file)


def test_an_event_is_deleted(file: Path) -> None:
    refusal = refused("arena", "delete", 2, "--store", file)
    assert "add --yes" in refusal
    assert (
        told(file, "delete", 2, "--yes") == "Deleted league 2, ladder, with 3 matches; the copies of its bots stay.\n"
    )
    assert [event["event"] for event in json.loads(told(file, "list", "--json"))] == [1]
    assert "there is no event 2" in refused("arena", "delete", 2, "--yes", "--store", file)


def test_a_running_event_is_not_deleted(file: Path) -> None:
    with Store.open(file) as store:
        store.claim_next(2, 3, worker_name(), 600.0)
        line = refused("arena", "delete", 2, "--yes", "--store", file)
        assert f"event 2 is running: process {os.getpid()} on this machine plays its matches; stop that first" in line


@pytest.mark.parametrize(("answer", "left"), [("n\n", 2), ("\n", 2), ("\x04", 2), ("y\n", 1)])
def test_a_terminal_is_asked(file: Path, answer: str, left: int) -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [*LAPILLI, "arena", "delete", "2", "--store", str(file)])
    os.write(terminal, answer.encode())
    text = b""
    while True:
        try:
            more = os.read(terminal, 4096)
        except OSError:  # the other side is closed
            break
        if not more:
            break
        text += more
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert b"Delete league 2, ladder, with 3 matches? [y/N]" in text
    assert (b"Nothing was deleted." in text) == (left == 2)
    with Store.open(file) as store:
        assert len(store.events()) == left


def test_serve_refuses_in_one_line(file: Path, tmp_path: Path) -> None:
    assert "there is no store" in refused("arena", "serve", "--store", tmp_path / "none.db", "--port", 0)
    assert "choose another one with --port" in refused("arena", "serve", "--store", file, "--host", "192.0.2.1")
