"""lapilli analyse, and lapilli view --analysis: exit codes, files, Ctrl-C."""

from __future__ import annotations

import base64
import gzip
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import lapilli
from cli.running import LAPILLI, refused, run
from lapilli.cli.records.analysis import analysis_file
from lapilli.match.analysis import load_analysis


def script_of(page: Path) -> str:
    """What a page runs."""
    (held,) = re.findall(r'<script id="script"[^>]*>([^<]*)<', page.read_text())
    return gzip.decompress(base64.b64decode(held)).decode()


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A match of volcanoes in a file."""
    file = tmp_path / "m.json"
    lapilli.play_match("volcanoes", ["random", "greedy"], seed=3).save(file)
    return file


def test_the_table_tells_where_a_game_was_lost(record: Path) -> None:
    shown = run("analyse", record, "--nodes", 300).stdout
    place = record.with_name("m.analysis.json")
    found = load_analysis(place, lapilli.load_record(record))
    assert found.whole
    lines = shown.splitlines()
    assert lines[0].split() == ["turn", "player", "played", "before", "after", "lost", "better"]
    marked = [one for one in found.turns if one.mark]
    assert marked
    for one, line in zip(marked, lines[1:], strict=False):
        assert line.split()[0] == str(one.turn)
        assert {one.mark, f"{one.before:.2f}", f"{one.loss:.2f}"} <= {word.strip("!") for word in line.split()}
        if one.reason:
            assert f"Turn {one.turn}, {('Blue', 'Orange')[one.player]}: {one.reason}" in lines
    assert any(one.reason for one in marked)
    unexplained = [f"{one.turn}" for one in marked if not one.reason]
    [line] = [line for line in lines if line.startswith("No simple reason found for turn")]
    assert line.endswith(f" {', '.join(unexplained)}.")
    assert "a steadier verdict" not in shown, "the user has chosen a limit"
    for player, side in enumerate(("Blue", "Orange")):
        assert f"{side} ({'greedy' if player else 'random'}): accuracy {found.accuracy[player]:.1f} %; " in shown
    assert lines[-1] == f"Wrote the analysis to {place}. View it: lapilli view {record} --analysis"
    everything = run("analyse", record, "--nodes", 300, "--all").stdout.splitlines()
    rows = [line for line in everything if line.split()[0].isdigit()]
    assert len(rows) == len(found.turns)
    legend = [line for line in everything if line.startswith("A value with ! is proven")]
    assert len(legend) == any("!" in row for row in rows) == any(one.proven for one in found.turns)
    assert len(everything) - len(legend) - len(lines) == len(found.turns) - len(marked)


def test_it_is_the_same_every_time_and_as_json(record: Path, tmp_path: Path) -> None:
    files = [tmp_path / "one.json", tmp_path / "two.json"]
    printed = [run("analyse", record, "--nodes", 200, "-o", file, "--json").stdout for file in files]
    assert printed[0] == printed[1]
    assert files[0].read_bytes() == files[1].read_bytes()
    assert json.loads(printed[0]) == json.loads(files[0].read_text())
    assert not record.with_name("m.analysis.json").exists()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--ms", "0"], "ms must be milliseconds above 0, not 0"),
        (["--ms", "-5"], "ms must be milliseconds above 0, not -5"),
        (["--ms", "nan"], "ms must be milliseconds above 0, not nan"),
        (["--ms", "inf"], "ms must be milliseconds above 0, not inf"),
        (["--nodes", "0"], "nodes must be a number from 1 to 1000000000, not 0"),
        (["--nodes", "-1"], "nodes must be a number from 1 to 1000000000, not -1"),
        (["--nodes", "1.5"], "Invalid value for '--nodes'"),
        (["--threads", "0"], "Invalid value for '--threads'"),
        (["--engine", "besst"], "'besst' is not a search of Volcanoes; available: "),
        (["--engine", "uct:depth=3"], "no setting 'depth'"),
        (["--engine", "uct:nodes=0"], "nodes must be a number from 1"),
        (["-o", "FOLDER"], "it is a folder"),
        (["-o", "FOLDER/none/a.json"], "No such file or directory"),
        (["-o", "RECORD"], "is the record: name another file for the analysis"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_is_refused(record: Path, words: list[str], reason: str) -> None:
    data = record.read_bytes()
    names = {"FOLDER": str(record.parent), "RECORD": str(record)}
    given = [re.sub("FOLDER|RECORD", lambda name: names[name[0]], word) for word in words]
    assert reason in refused("analyse", record, *given)
    assert os.listdir(record.parent) == ["m.json"]
    assert record.read_bytes() == data


def test_a_record_that_does_not_verify_is_refused(record: Path, tmp_path: Path) -> None:
    data = json.loads(record.read_text())
    data["outcome"]["scores"] = [7, 7]
    record.write_text(json.dumps(data))
    for words in (["analyse"], ["view", "--analysis"]):
        line = refused(*words, record)
        assert line.startswith(f"lapilli: {record}: turn ")
        assert "scores: [7, 7] in the record" in line
    data["turns"][1]["player"] = 0
    record.write_text(json.dumps(data))
    assert "turn 2: player 0 was not asked, player 1 was" in refused("analyse", record)
    record.write_text("[]")
    assert "not a record" in refused("analyse", record)
    assert "No such file" in refused("analyse", tmp_path / "none.json")
    assert os.listdir(tmp_path) == ["m.json"]


# -- Ctrl-C


def stop_after_turns(words: list[str], turns: int) -> tuple[int, str]:
    """Exit code and output of a command that gets SIGINT when its progress bar shows so many turns."""
    outer, inner = pty.openpty()
    with subprocess.Popen(
        [*LAPILLI, *words],
        stdout=subprocess.PIPE,
        stderr=inner,
        text=True,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "120"},
    ) as process:
        os.close(inner)
        try:
            seen, end = "", time.monotonic() + 90
            while not any(int(done) >= turns for done in re.findall(r"(\d+)/\d+", seen)):
                assert time.monotonic() < end
                seen += os.read(outer, 4096).decode(errors="replace")
            process.send_signal(signal.SIGINT)
            assert process.stdout is not None
            printed = process.stdout.read()
            code = process.wait(30)
        finally:
            process.kill()
            os.close(outer)
    assert "Traceback" not in seen + printed
    return code, printed


def test_ctrl_c_keeps_what_is_done(record: Path) -> None:
    run("analyse", record, "--nodes", 1)  # what is to be compiled is compiled
    place = record.with_name("m.analysis.json")
    place.unlink()
    code, printed = stop_after_turns(["analyse", str(record), "--ms", "400"], 2)
    assert code == 130
    kept = load_analysis(place, lapilli.load_record(record))
    assert not kept.whole
    assert 2 <= len(kept.turns) < 12
    assert kept.turns[0].loss is not None
    assert kept.accuracy[0] is not None
    total = len(lapilli.load_record(record).turns)
    assert f"Stopped. Wrote the analysis of {len(kept.turns)} of {total} turns to {place}." in printed
    page = record.with_name("m.html")
    run("view", record, "--analysis", "--html", page)
    assert "Next mistake" in script_of(page)


def test_ctrl_c_while_a_page_waits_for_its_analysis_keeps_that(record: Path) -> None:
    page = record.with_name("m.html")
    code, printed = stop_after_turns(["view", str(record), "--analysis", "--html", str(page)], 2)
    assert code == 130
    assert "Stopped. Wrote the analysis of" in printed
    assert not load_analysis(record.with_name("m.analysis.json"), lapilli.load_record(record)).whole
    assert not page.exists()


INTERRUPTED_AT_THE_FIRST_TURN = """\
import os, signal, sys
from lapilli.cli import main
def seen(frame, event, argument):
    if event == "call" and frame.f_code.co_qualname == "Analyser._analyse_turn":
        sys.setprofile(None)
        os.kill(os.getpid(), signal.SIGINT)
sys.setprofile(seen)
main()
"""


def test_ctrl_c_before_anything_is_done_leaves_an_analysis_that_was_there(record: Path) -> None:
    run("analyse", record, "--nodes", 5)
    place = record.with_name("m.analysis.json")
    whole = place.read_bytes()
    command = [sys.executable, "-c", INTERRUPTED_AT_THE_FIRST_TURN, "analyse", str(record)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, "")
    assert done.stdout == "Stopped before the first turn was analysed, so no analysis was written.\n"
    assert place.read_bytes() == whole


# -- the page


def test_a_page_takes_the_analysis_beside_the_record_or_makes_one(record: Path) -> None:
    page, place = record.with_name("m.html"), record.with_name("m.analysis.json")
    run("view", record, "--html", page)
    assert "Next mistake" not in script_of(page)
    assert not place.exists()
    shown = run("view", record, "--analysis", "--html", page).stdout
    assert shown.startswith(f"Wrote the analysis to {place}.\nWrote {page} (")
    assert "Next mistake" in script_of(page)
    assert load_analysis(place, lapilli.load_record(record)).whole
    run("analyse", record, "--nodes", 3)
    made = place.read_bytes()
    assert run("view", record, "--analysis", "--html", page).stdout.startswith("Wrote")
    assert place.read_bytes() == made


def test_it_is_shown_in_the_browser(record: Path, tmp_path: Path) -> None:
    run("analyse", record, "--nodes", 3)
    (tmp_path / "place").mkdir()
    shown = run("view", record, "--analysis", env={"TMPDIR": str(tmp_path / "place"), "BROWSER": "true"}).stdout
    (page,) = tmp_path.glob("place/*/m.html")
    assert shown == f"The match is in {page} (kept for a day).\n"
    assert "Next mistake" in script_of(page)


def changed(place: Path, **values: Any) -> None:
    place.write_text(json.dumps(json.loads(place.read_text()) | values))


def test_an_analysis_that_is_not_of_the_match_is_refused(record: Path) -> None:
    page, place = record.with_name("m.html"), record.with_name("m.analysis.json")
    other = record.with_name("other.json")
    lapilli.play_match("volcanoes", ["random", "random"], seed=8).save(other)
    words = ["view", record, "--analysis", "--html", page]
    again = f"(make a new analysis: lapilli analyse {record})"
    run("analyse", other, "--nodes", 3, "-o", place)
    assert refused(*words) == f"lapilli: {place}: this is the analysis of another match {again}"
    place.write_text("{")
    assert refused(*words).startswith(f"lapilli: {place}: not a valid analysis: ")
    run("analyse", record, "--nodes", 3)
    turns = json.loads(place.read_text())["turns"]
    turns[0]["best"][0]["reply"] = "N99"
    changed(place, turns=turns)
    assert refused(*words) == (f"lapilli: {place}: turn 1: the rules refuse the suggestion 'N99' {again}")
    turns[0]["best"] = []
    turns[0]["turn"] = 3
    changed(place, turns=turns)
    assert "the analysis contains turn 3 of player 0, who was not asked then" in refused(*words)
    assert not page.exists()


def test_pictures_alone_show_no_analysis(record: Path) -> None:
    line = refused("view", record, "--analysis", "--svg", record.with_name("m.svg"))
    assert "--analysis needs a page" in line
    assert os.listdir(record.parent) == ["m.json"]


def test_where_an_analysis_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert analysis_file(Path("a/b.json")) == Path("a/b.analysis.json")
    assert analysis_file(Path("a/b.json.gz")) == Path("a/b.analysis.json")
    assert analysis_file(Path("b.jsonl")) == Path("b.analysis.json")
    assert analysis_file(Path("a/b")) == Path("a/b.analysis.json")
    monkeypatch.chdir(tmp_path)
    assert analysis_file(Path("3/17")) == Path("3-17.analysis.json")
    (tmp_path / "3").mkdir()
    (tmp_path / "3" / "17").touch()
    assert analysis_file(Path("3/17")) == Path("3/17.analysis.json")
