"""lapilli compare."""

from __future__ import annotations

import json
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.filled import BOTS
from cli.running import run
from lapilli.cli.arena.compare import LengthOptions
from lapilli.store import Store
from players.conftest import need_sandbox


def told(*words: str, store: Path) -> tuple[int, str, str]:
    """Exit code, output and complaints of `lapilli compare`."""
    done = run("compare", *words, "--store", store, code=None)
    return done.returncode, done.stdout, done.stderr


def test_the_verdict_is_the_exit_code(tmp_path: Path) -> None:
    store = tmp_path / "arena.db"
    code, out, _ = told("volcanoes", "v2=greedy", "v1=random", store=store)
    assert code == 0
    assert "v2 is better than v1: keep it" in out
    assert "LLR" in out
    assert told("volcanoes", "random", "greedy", store=store)[0] == 1
    code, out, _ = told("kingdomino", "random", "random", "--matches", "20", "--json", store=store)
    assert code == 4
    verdict = json.loads(out)
    assert verdict["verdict"] == "undecided"
    assert verdict["wins"] + verdict["draws"] + verdict["losses"] == 20
    assert verdict["elo_low"] < verdict["elo"] < verdict["elo_high"]
    assert [player["name"] for player in verdict["players"]] == ["random", "random (2)"]
    assert verdict["players"][0]["timing"]["answers"] > 0


def test_the_hypotheses_are_those_of_the_documentation() -> None:
    usual = LengthOptions()
    text = (Path(__file__).parents[2] / "docs" / "sequential-test.md").read_text(encoding="utf-8")
    assert f"The default is **elo0 = {usual.elo0}, elo1 = {usual.elo1}**" in text


def test_quietly(tmp_path: Path) -> None:
    code, out, complaints = told("volcanoes", "greedy", "random", "-q", store=tmp_path / "arena.db")
    assert (code, complaints) == (0, "")
    assert out.count("\n") == 1


def test_earlier_matches_are_mentioned(tmp_path: Path) -> None:
    store = tmp_path / "arena.db"
    words = ("kingdomino", "a=random", "b=random", "--matches", "4")
    assert "--fresh" not in told(*words, store=store)[1]
    _, out, _ = told(*words, store=store)
    [line] = [line for line in out.splitlines() if "--fresh" in line]
    sentence = r"4 earlier matches of a \((\w{6})\) and b \(\1\), stored since \d\d:\d\d, count, too; --fresh begins .*"
    found = re.fullmatch(sentence, line)
    assert found, line
    _, out, complaints = told(*words, "-q", store=store)
    assert (out.count("\n"), complaints) == (1, f"{line}\n")
    verdict = json.loads(told(*words, "--json", store=store)[1])
    assert verdict["resumed"] == 4
    assert verdict["hashes"] == {"a": found[1], "b": found[1]}
    age = datetime.now(UTC) - datetime.fromisoformat(verdict["resumed_since"])
    assert timedelta() <= age < timedelta(minutes=5)
    fresh = json.loads(told(*words, "--json", "--fresh", store=store)[1])
    assert (fresh["resumed"], fresh["resumed_since"]) == (0, None)
    assert fresh["event"] != verdict["event"]


def test_a_wait_is_explained(tmp_path: Path) -> None:
    store = tmp_path / "arena.db"
    words = ("kingdomino", "random", "random", "--matches")
    event = json.loads(told(*words, "2", "--json", store=store)[1])["event"]
    with Store.open(store) as opened:
        opened.claim(event, [2], "host/0-0:1/17/4/ab", 4)
    code, _, complaints = told(*words, "4", store=store)
    assert code == 4
    assert re.match(
        r"Waiting for 1 match of process 17 on host; played here in \d s unless it is alive then\.\n", complaints
    )


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("volcanoes", "greedy", "nobody"), "no command or built-in opponent 'nobody'"),
        (("volcanoes", "greedy", "cat", "--elo0", "50", "--elo1", "10"), "elo1 must be greater"),
        (("volcanoes", "greedy", "python3 nowhere/bot.py"), "there is no file 'nowhere/bot.py'"),
        (("volcanoes", "greedy", "./nowhere"), "there is no file './nowhere'"),
        (("volcanoes", "greedy", "false"), "player 'false' exited with code 1"),
        (("volcanoes", "greedy"), "is for 2 players, not 1"),
        (("volcanoes", "greedy", "random", "--limit", "0"), "a limit must be milliseconds above 0"),
    ],
)
def test_bad_input_gets_one_line(words: tuple[str, ...], complaint: str, tmp_path: Path) -> None:
    need_sandbox()  # without one, the program prints one line more
    code, out, complaints = told(*words, store=tmp_path / "arena.db")
    assert (code, out) == (2, "")
    assert complaint in complaints
    assert complaints.count("\n") == 1


def test_a_store_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "arena.db").write_text("this is no database, but a text that is long enough to look like a file" * 20)
    code, _, complaints = told("volcanoes", "greedy", "random", store=tmp_path / "arena.db")
    assert code == 2
    assert complaints.count("\n") == 1


def test_a_bot_that_crashes_is_named_with_its_last_words(tmp_path: Path) -> None:
    store = tmp_path / "arena.db"
    bot = f"v2={sys.executable} {BOTS / 'exits.py'} 2"
    code, out, _ = told("volcanoes", bot, "random", "--matches", "4", "--jobs", "1", store=store)
    assert code in (1, 4)
    sentence = "v2 ended by its own fault in all 4 matches (4 exited): mend that first"
    assert f"{sentence}; see `lapilli view 1/3 --store {store}`" in out
    assert f"Details: lapilli arena show 1 --store {store}" in out
    for words in (("arena", "show", 1), ("arena", "match", "1/3"), ("show", "1/3")):
        shown = run(*words, "--store", store).stdout
        assert "Its last lines on stderr:\nout of ideas\n" in shown, words
    [fault] = json.loads(run("arena", "show", 1, "--json", "--store", store).stdout)["last_faults"]
    assert (fault["name"], fault["match"], fault["stderr"]) == ("v2", "1/3", "out of ideas")


def test_the_first_fault_ends_a_comparison_that_is_to_stop_there(tmp_path: Path) -> None:
    store = tmp_path / "arena.db"
    bot = f"v2={sys.executable} {BOTS / 'exits.py'} 2"
    code, out, _ = told("volcanoes", bot, "random", "--stop-at-fault", "--json", "--jobs", "1", store=store)
    verdict = json.loads(out)
    assert (code, verdict["ending"], verdict["verdict"]) == (4, "fault", "undecided")
    assert verdict["sentence"].startswith(f"Stopped at a fault in match {verdict['fault']}; see `lapilli view")


def test_the_bounds_can_be_normalized_elo(tmp_path: Path) -> None:
    words = ("volcanoes", "random", "random", "--normalized", "--elo1", "200", "--most", "4", "--json")
    _, out, _ = told(*words, store=tmp_path / "arena.db")
    assert json.loads(out)["elo_model"] == "normalized"
    _, out, _ = told("volcanoes", "random", "random", "--most", "4", "--json", store=tmp_path / "arena.db")
    assert json.loads(out)["elo_model"] == "logistic"
