"""lapilli import."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import lapilli
from cli.running import run
from lapilli.arena.interop.sdk import sdk_result
from lapilli.match.record import parse_record


def imported(*words: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    return run("import", *words, code=code)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A match as `lapilli referee -l` writes it."""
    file = tmp_path / "game1.json"
    words = ["referee", "kingdomino", "-p1", "random", "-p2", "greedy", "-p3", "random", "-d", "seed=-8"]
    words += ["-l", str(file), "--record", str(tmp_path / "played.json")]
    run(*words)
    return file


def test_what_the_referee_writes_is_read_back(log: Path) -> None:
    played = lapilli.load_record(log.parent / "played.json")
    out = log.parent / "season.jsonl"
    assert imported(log, log.parent / "played.json", "-o", out).stdout == f"Wrote 2 records to {out}.\n"
    for record in lapilli.load_records(out):
        assert lapilli.verify(record) is not None
        assert [(e.turn, e.player, e.action) for e in record.turns] == [
            (e.turn, e.player, e.action) for e in played.turns
        ]
        assert (record.setup, record.outcome) == (played.setup, played.outcome)
    assert imported(log, "-o", log.parent / "one.json").stdout.startswith("Wrote 1 record to")
    assert lapilli.verify(lapilli.load_record(log.parent / "one.json")) is not None


def test_without_a_file_to_write_records_come_as_lines(log: Path) -> None:
    lines = imported(log, log).stdout.splitlines()
    assert len(lines) == 2
    assert parse_record(lines[0]) == parse_record(lines[1])


def test_a_file_of_others_needs_the_game(log: Path) -> None:
    told = json.loads(log.read_text())
    del told["metadata"]
    log.write_text(json.dumps(told))
    assert "name it with --game" in imported(log, code=2).stderr
    record = parse_record(imported(log, "--game", "kingdomino", "--league", "wood", "--set", "harmony=false").stdout)
    assert (record.setup["league"], record.setup["seed"]) == ("wood", -8)
    assert "no league" in imported(log, "--game", "kingdomino", "--league", "tin", code=2).stderr


def test_bad_files_do_not_hide_the_others(log: Path) -> None:
    bad = log.parent / "bad.json"
    bad.write_text('{"players": ["a", "b"], "ranks": [0, 1], "errors": [0, 0]}\n')
    out = log.parent / "season.jsonl"
    done = imported(bad, log.parent / "none.json", log, "-o", out, code=2)
    assert done.stderr.count("\n") == 2
    assert "contains results but no replies" in done.stderr
    assert done.stdout.startswith("Wrote 1 record to")
    assert len([*lapilli.load_records(out)]) == 1


def test_targets_that_cannot_be(log: Path) -> None:
    season = log.parent / "season.jsonl"
    lapilli.load_record(log.parent / "played.json").save(season)
    before = season.read_bytes()
    assert "one of the files to read" in imported(season, "-o", season, code=2).stderr
    assert "name a .jsonl" in imported(log, log, "-o", log.parent / "two.json", code=2).stderr
    assert "cannot write" in imported(log, "-o", log.parent / "no" / "where.json", code=2).stderr
    assert season.read_bytes() == before
    imported(log, "-o", season)
    assert "and there are more" in imported(season, "-o", log.parent / "two.json", code=2).stderr
    assert lapilli.load_record(log.parent / "two.json") == next(lapilli.load_records(season))


def test_a_position_to_start_from_comes_back(tmp_path: Path) -> None:
    position = lapilli.load("volcanoes").new_initial_state(seed=1)
    position.apply_action(position.string_to_action("N07"))
    played = lapilli.play_match("volcanoes", ["random", "random"], seed=3, position=position.position())
    (tmp_path / "g.json").write_text(json.dumps(sdk_result(played)))
    assert parse_record(imported(tmp_path / "g.json").stdout).setup == played.setup


def test_empty_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").touch()
    assert imported(tmp_path / "none.jsonl", code=2).stdout == ""
