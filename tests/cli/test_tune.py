"""lapilli tune."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from cli.running import refused, run
from players.conftest import need_sandbox

BOT = f"{sys.executable} -S {Path(__file__).resolve().parents[1] / 'bots' / 'parameters.py'}"
BLUNDERS = ("volcanoes", "level2:blunder={b}", "--param", "b=0..1:start=0.8", "--matches", "40")


def test_values_a_sentence_and_a_file(tmp_path: Path) -> None:
    store, file = tmp_path / "arena.db", tmp_path / "tuned.json"
    done = run("tune", *BLUNDERS, "--confirm", "20", "--json", "-o", file, "--store", store, code=None)
    assert done.returncode in (0, 1, 4)
    tuned = json.loads(done.stdout)
    assert json.loads(file.read_text()) == tuned["values"]
    assert tuned["start"] == {"b": 0.8}
    assert tuned["confirmation"]["verdict"] in ("better", "worse", "not better", "undecided")
    assert done.returncode == {"better": 0, "undecided": 4}.get(tuned["confirmation"]["verdict"], 1)
    again = run("tune", *BLUNDERS, "--confirm", "20", "-q", "--store", store, code=done.returncode)
    assert (again.stdout, again.stderr) == (tuned["sentence"] + "\n", "")
    shown = run("arena", "show", tuned["event"], "--store", store).stdout
    assert tuned["sentence"] in shown
    path = json.loads(run("arena", "show", tuned["event"], "--json", "--store", store).stdout)["tuning"]["path"]
    assert (path[0], path[-1]) == (tuned["start"], tuned["values"])
    page = tmp_path / "page.html"
    run("arena", "page", tuned["event"], "-o", page, "--store", store)
    assert "What another value is worth" in page.read_text(encoding="utf-8")
    listed = run("arena", "list", "--kind", "tuning", "--json", "--store", store).stdout
    assert [event["kind"] for event in json.loads(listed)] == ["tuning"]


def test_a_bot_in_words_and_a_table(tmp_path: Path) -> None:
    need_sandbox()
    done = run(
        *("tune", "volcanoes", f"mine={BOT} {{a}}", "--param", "a=0..1", "--env", "RISK={a}", "--matches", "20"),
        *("--confirm", "0", "--store", tmp_path / "arena.db"),
        code=4,
    )
    assert "mine: 20 of 20 matches" in done.stdout
    assert "after 20 matches" in done.stdout


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((f"{BOT} {{a}}", "--param", "a=1..0"), "the range 1..0 is reversed"),
        ((f"{BOT} {{a}}", "--param", "a=0..1", "--param", "b=0..1"), "parameter 'b' is not in the command"),
        ((f"{BOT} {{a}} {{b}}", "--param", "a=0..1"), "the placeholder {b} has no parameter: add --param b=LOW..HIGH"),
        ((f"{BOT} {{a}}",), "tuning needs 1 to 100 parameters, not 0"),
        (
            (f"{BOT} {{a}}", "--param", "a=0..1", "--matches", "5"),
            "the number of matches must be 20 to 10,000,000, not 5",
        ),
        ((f"{BOT} {{a}}", "--param", "a=0..1", "--env", "A"), "--env A: expected VARIABLE=TEXT"),
        ((f"{BOT} {{a}}", "--param", "a=0..1", "--against", "nobody"), "no command or built-in opponent 'nobody'"),
        ((f"{BOT} {{a}}", "--param", "a=0..1", "--set", "players=3"), "this key has an option of its own"),
        (("nobody {a}", "--param", "a=0..1"), "there is no command 'nobody'"),
        (("uct:exploring={c}", "--param", "c=0..1"), "no setting 'exploring'"),
        (("uct:nodes={n}", "--param", "n=0..9:int"), "nodes"),
        (("uct:exploration={params}", "--param", "c=0..1"), "a built-in opponent reads no file"),
        (("false {a}", "--param", "a=0..1"), "exited with code 1"),
        ((f"b={BOT} {{a}}", "--param", "a=0..1", "--odds", "c=2"), "no player 'c'"),
        ((f"{BOT} {{a}}", "--param", "a=0..1", "--openings", "/nowhere"), "cannot read the openings in /nowhere"),
    ],
)
def test_bad_input_gets_one_line(words: tuple[str, ...], complaint: str, tmp_path: Path) -> None:
    need_sandbox()  # without one, the program prints one line more
    assert complaint in refused("tune", "volcanoes", *words, "--store", tmp_path / "arena.db")
