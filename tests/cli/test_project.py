"""lapilli test, with real bots in real processes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cli.running import LAPILLI, refused, run, until
from players.conftest import need_sandbox

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "volcanoes"
BOTS = Path(__file__).resolve().parents[1] / "bots"
RANDOM = """\
import sys
for _ in range(int(input())):
    input()
while sys.stdin.readline():
    input()
    print("RANDOM", flush=True)
"""
"""A bot that plays at random. It is better than the example."""
PYTHON = f"{sys.executable} -S -E"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with a bot, which meets a random player in two matches."""
    need_sandbox()
    place = tmp_path / "project"
    place.mkdir()
    shutil.copy(EXAMPLES / "chain.py", place / "bot.py")
    write(place)
    return place


def write(place: Path, bot: str = "", test: str = "", matches: int = 2) -> None:
    text = f'game = "volcanoes"\nprevious = 60\n[bots.mine]\nrun = "{PYTHON} bot.py"\n{bot}\n'
    (place / "lapilli.toml").write_text(f'{text}[[tests]]\nagainst = ["random"]\nmatches = {matches}\n{test}\n')


def words(place: Path) -> tuple[object, ...]:
    return ("test", place, "--store", place.parent / "arena.db", "--jobs", "1")


def test_a_good_bot_passes_and_its_matches_count_again(folder: Path) -> None:
    done = run(*words(folder))
    assert "passed  mine volcanoes: mine against random: " in done.stdout
    assert "There is no last good version yet." in done.stdout
    assert "Last good version now: mine\nPassed.\n" in done.stdout
    again = run(*words(folder), "--json")
    result = json.loads(again.stdout)
    assert (result["passed"], result["last_good"]) == (True, [])
    against, previous = result["cases"]
    assert (against["matches"]["resumed"], against["matches"]["counted"]) == (2, 2)
    assert previous["sentence"] == "Nothing has changed since the last good version."
    quiet = run(*words(folder), "-q", "--only", "mine")
    assert (quiet.stdout, quiet.stderr) == ("Passed.\n", "")
    assert "no test or tested bot 'nime' (did you mean 'mine'?)" in refused(*words(folder), "--only", "nime")


def test_the_store_may_lie_in_the_projects_own_folder(folder: Path) -> None:
    """As in the workflows of docs/testing-bots.md, where it is missing in the first run."""
    run("test", folder, "--store", folder / ".lapilli" / "matches.db")
    assert (folder / ".lapilli" / "matches.db").is_file()
    assert "cannot make the store" in refused("test", folder, "--store", folder / "elsewhere" / "matches.db")


def test_a_bot_that_crashes_fails_with_its_last_words(folder: Path, tmp_path: Path) -> None:
    shutil.copy(BOTS / "exits.py", folder / "bot.py")
    (folder / "lapilli.toml").write_text((folder / "lapilli.toml").read_text().replace("bot.py", "bot.py 2"))
    results = tmp_path / "results.xml"
    done = run(*words(folder), "--junit", results, code=1)
    assert "failed  mine volcanoes: mine against random: mine ended by its own fault in 2 of 2 matches" in done.stdout
    assert "see `lapilli view 1/" in done.stdout
    assert "         out of ideas" in done.stderr
    suite = ElementTree.parse(results).getroot().find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("2", "1", "1")
    failed = suite[0]
    assert failed.get("name") == "mine against random"
    assert "2 of 2 matches" in str(failed[0].get("message"))
    assert failed.findtext("system-err") == "out of ideas\n"
    assert not (folder / ".lapilli" / "last-good.json").exists()
    write(folder, test="faults = 2")
    (folder / "lapilli.toml").write_text((folder / "lapilli.toml").read_text().replace("bot.py", "bot.py 2"))
    assert "passed" in run(*words(folder)).stdout


def test_a_bot_that_does_not_start_is_an_error(folder: Path) -> None:
    (folder / "bot.py").write_text("import nothing_of_this_name\n")
    done = run(*words(folder), code=1)
    assert "error   mine volcanoes: mine against random: player 'mine' exited with code 1" in done.stdout
    assert "No module named 'nothing_of_this_name'" in done.stdout


def test_a_build_that_fails_is_one_line(folder: Path, tmp_path: Path) -> None:
    program = "import sys; print('bot.x:3: error: no such word'); print('1 error'); sys.exit(4)"
    (folder / "build.py").write_text(program)
    write(folder, bot=f'build = ["true", "{PYTHON} build.py"]')
    results = tmp_path / "results.xml"
    done = run(*words(folder), "-q", "--junit", results, code=1)
    assert done.stdout.count("\n") == 1
    assert "build.py' ended with code 4: bot.x:3: error: no such word; mine against random: Not played" in done.stdout
    assert ElementTree.parse(results).getroot().findtext("testsuite/testcase/system-err", "").count("\n") == 2
    write(folder, bot='build = "nosuchcompiler bot.c"')
    assert "there is no command 'nosuchcompiler'" in run(*words(folder), code=1).stdout


def test_a_weaker_version_fails_and_the_last_good_one_stays(folder: Path) -> None:
    (folder / "bot.py").write_text(RANDOM)
    run(*words(folder))
    kept = (folder / ".lapilli" / "last-good.json").read_text()
    shutil.copy(EXAMPLES / "chain.py", folder / "bot.py")
    done = run(*words(folder), code=1)
    assert (
        "failed  mine volcanoes: mine against its last good version: Weaker than the last good version" in done.stdout
    )
    assert "Last good version now" not in done.stdout
    assert (folder / ".lapilli" / "last-good.json").read_text() == kept


def test_init_writes_a_file_that_passes(tmp_path: Path) -> None:
    need_sandbox()
    assert "there is no bot in" in refused("test", "--init", "volcanoes", cwd=tmp_path)
    shutil.copy(EXAMPLES / "chain.py", tmp_path / "bot.py")
    run("test", "--init", "volcanoes", cwd=tmp_path)
    file = tmp_path / "lapilli.toml"
    text = file.read_text()
    assert 'run = "python3 ./bot.py"' in text
    assert "lapilli.toml exists already" in refused("test", "--init", "volcanoes", cwd=tmp_path)
    assert file.read_text() == text
    file.write_text(text.replace('"random", "greedy"', '"random"').replace("matches = 20", "matches = 2"))
    run("test", "--store", "arena.db", cwd=tmp_path)
    file.write_text(text.replace("matches", "matchse"))
    assert refused("test", cwd=tmp_path).endswith("unknown key 'matchse' in [[tests]] (did you mean 'matches'?)")


def test_every_save_is_tested_until_ctrl_c(folder: Path, tmp_path: Path) -> None:
    write(folder, matches=400)
    lines = tmp_path / "lines"
    with lines.open("w") as out:
        command = [*LAPILLI, *map(str, words(folder)), "--watch"]
        process = subprocess.Popen(command, stdout=out, stderr=out, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    try:
        copies = folder / ".lapilli" / "versions"
        until(lambda: copies.is_dir() and len([*copies.glob("[0-9a-f]*")]) == 1)
        write(folder, matches=2)  # in the middle of 400 matches
        until(lambda: "A file was saved: testing again." in lines.read_text())
        until(lambda: lines.read_text().count("Watching ") == 1)
        assert "Last good version now: mine" in lines.read_text()
        write(folder, test="matchse = 2")
        until(lambda: lines.read_text().count("Watching ") == 2)
        assert "unknown key 'matchse'" in lines.read_text()
        write(folder, matches=2)
        until(lambda: lines.read_text().count("Watching ") == 3)
        assert lines.read_text().count("Passed.") == 2
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    finally:
        process.kill()
        process.wait()
    assert "Traceback" not in lines.read_text()
