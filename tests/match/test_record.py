"""Records: reading, writing, replaying and refusing them."""

from __future__ import annotations

import gzip
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

import lapilli
from lapilli.core.api import Termination
from lapilli.core.errors import RecordError
from lapilli.match.files.writing import check_writable
from lapilli.match.inputs import inputs
from lapilli.match.record import FORMAT, Entry, Record, RecordedOutcome, parse_record

MINIMAL: dict[str, Any] = {"format": FORMAT, "game": "volcanoes", "setup": {"seed": 7}}


def record(*turns: tuple[int, int, str | None], **more: Any) -> Record:
    entries = [{"turn": turn, "player": player, "action": action} for turn, player, action in turns]
    return parse_record(json.dumps({**MINIMAL, "turns": entries, **more}))


def positions(played: Record) -> list[str]:
    return [state.position() for state, _ in lapilli.replay(played)]


def test_the_least_record_replays_with_growth_of_its_own() -> None:
    found = positions(record((1, 0, "N07"), (2, 1, "s01")))
    assert [text.split()[1] for text in found] == ["1", "2", "3", "4"]
    assert found[3][6] == "2"
    assert found[3][40] == "b"


def test_who_is_asked_and_has_no_entry_did_not_answer() -> None:
    outcome = lapilli.verify(record((1, 0, "N07"), outcome={"scores": [100, 0]}))
    assert outcome is not None
    assert outcome.culprit == 1
    assert outcome.termination == Termination.TIMEOUT
    with pytest.raises(RecordError, match=r"turn 4: the game was already over \(player 1: no entry for turn 2, "):
        lapilli.verify(record((1, 0, "N07"), (4, 1, "N08")))


def test_why_there_is_no_reply_is_kept() -> None:
    fault = {"termination": "exited", "reason": "exited with code 3"}
    entries = [{"turn": 1, "player": 0, "fault": fault}]
    outcome = {"scores": [0, 100], "termination": "exited", "culprit": 0}
    verdict = lapilli.verify(parse_record(json.dumps({**MINIMAL, "turns": entries, "outcome": outcome})))
    assert verdict is not None
    assert verdict.reason == "exited with code 3"


@pytest.mark.parametrize(
    ("turns", "message"),
    [
        ([(1, 1, "N07")], "turn 1: player 1 was not asked, player 0 was"),
        ([(2, 1, "N07"), (1, 0, "N08")], "turn 2: the game was already over"),
        ([(1, 0, "N07"), (1, 0, "N08")], "turn 1: player 0 has two entries"),
        ([(1, 0, "N07"), (2, 1, "N08"), (3, 1, "N09")], "turn 3: nobody is asked on this turn"),
        ([(1, 0, "N07"), (2, 1, "N08"), (1, 0, "N09")], "turn 1: out of order, turn 3 comes next"),
        ([(1, 0, "N07"), (2, 1, "N07"), (4, 1, "N09")], "turn 4: the game was already over"),
    ],
)
def test_what_does_not_fit_the_rules_is_refused_with_the_turn(turns: list[Any], message: str) -> None:
    with pytest.raises(RecordError, match=message):
        lapilli.verify(record(*turns))


@pytest.mark.parametrize(
    "outcome",
    [
        {"scores": [0, 100]},
        {"ranks": [2, 1]},
        {"termination": "decided"},
        {"scores": [100, 0], "ranks": [1, 1]},
        {"culprit": 0},
    ],
)
def test_a_false_outcome_is_refused(outcome: dict[str, Any]) -> None:
    with pytest.raises(RecordError, match=r"turn 2: \w+: .* in the record, .* by the rules"):
        lapilli.verify(record((1, 0, "N07"), (2, 1, "N07"), outcome=outcome))


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            {"action": "N01", "fault": {"termination": "invalid"}},
            "turn 1: player 0: invalid in the record, but the rules",
        ),
        ({"fault": {"termination": "decided", "reason": "I win"}}, "turn 1: player 0: 'decided' is no fault"),
    ],
)
def test_a_false_fault_is_refused(entry: dict[str, Any], message: str) -> None:
    told = parse_record(json.dumps({**MINIMAL, "turns": [{"turn": 1, "player": 0, **entry}]}))
    with pytest.raises(RecordError, match=message):
        lapilli.verify(told)


def test_an_honest_record_of_a_stopped_match_is_not_refuted() -> None:
    stopped = {"termination": "interrupted", "reason": "the match was stopped"}
    assert lapilli.verify(record((1, 0, "N07"), outcome=stopped)) is None
    # no entry is missing, so the rules know an outcome that the record of a stopped match does not contain
    whole = lapilli.play_match("volcanoes", ["greedy", "random"], seed=3)
    whole.outcome = msgspec.convert(stopped, RecordedOutcome)
    assert lapilli.verify(whole) is not None


def test_inputs_are_those_of_the_protocol() -> None:
    texts = inputs(record((1, 0, "N07"), (2, 1, "N08"), (4, 1, "N08"), (5, 0, "N07")), 1)
    assert [text.count("\n") for text in texts] == [83, 2]
    assert texts[1].split("\n")[0].split()[6:8] == ["-2", "2"]
    with pytest.raises(RecordError, match="players 0 to 1"):
        inputs(record(), 2)


def test_files_round_trip(tmp_path: Path) -> None:
    played = lapilli.play_match("volcanoes", ["random", "greedy"], seed=9)
    for name in ("a.json", "a.json.gz", "a.jsonl", "a.jsonl.gz"):
        played.save(tmp_path / name)
        again = lapilli.load_record(tmp_path / name)
        assert again == played
        assert again.to_json() == played.to_json()
    assert json.loads((tmp_path / "a.json").read_text())["turns"][0]["turn"] == 1
    assert sorted(os.listdir(tmp_path)) == ["a.json", "a.json.gz", "a.jsonl", "a.jsonl.gz"], "no scratch files"
    assert (tmp_path / "a.json").stat().st_mode & 0o777 == 0o666 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_many_records_in_one_file(tmp_path: Path) -> None:
    lines = [json.dumps({**MINIMAL, "setup": {"seed": seed}}) for seed in range(5)]
    (tmp_path / "many.jsonl").write_text("\n".join(lines) + "\n\n")
    assert [r.setup["seed"] for r in lapilli.load_records(tmp_path / "many.jsonl")] == list(range(5))
    with pytest.raises(RecordError, match="expected one record, found several"):
        lapilli.load_record(tmp_path / "many.jsonl")


@pytest.mark.parametrize("name", ["season.jsonl", "season.jsonl.gz"])
def test_a_record_is_added_on_a_line_of_its_own(tmp_path: Path, name: str) -> None:
    foreign = json.dumps(MINIMAL).encode()  # without a line end
    (tmp_path / name).write_bytes(gzip.compress(foreign) if name.endswith(".gz") else foreign)
    record((1, 0, "N07")).save(tmp_path / name)
    record((1, 0, "N08")).save(tmp_path / name)
    assert [len(found.turns) for found in lapilli.load_records(tmp_path / name)] == [0, 1, 1]


@pytest.mark.parametrize("name", ["season.jsonl", "season.jsonl.gz"])
def test_processes_that_save_to_one_file_lose_nothing(tmp_path: Path, name: str) -> None:
    save = (
        "import sys, lapilli\n"
        "record = lapilli.play_match('volcanoes', ['random', 'random'], seed=int(sys.argv[2]))\n"
        "sys.stdin.readline()\n"
        "for _ in range(25): record.save(sys.argv[1])"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", save, str(tmp_path / name), str(seed)], stdin=subprocess.PIPE)
        for seed in (1, 2)
    ]
    for writer in writers:
        writer.communicate(b"go\n", timeout=60)
        assert writer.returncode == 0
    seeds = [found.setup["seed"] for found in lapilli.load_records(tmp_path / name)]
    assert sorted(seeds) == [1] * 25 + [2] * 25


def test_a_full_disk_takes_nothing_away(tmp_path: Path) -> None:
    season = tmp_path / "season.jsonl"
    record((1, 0, "N07")).save(season)
    before = season.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 20, hard))
    try:
        with pytest.raises(RecordError, match="cannot write"):
            record((1, 0, "N08")).save(season)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert season.read_bytes() == before


def test_what_cannot_be_added_to_is_refused_before_the_match(tmp_path: Path) -> None:
    season = tmp_path / "season.jsonl.gz"
    season.write_bytes(gzip.compress(b"x" * 1000)[:20])
    for act in (check_writable, record().save):
        with pytest.raises(RecordError, match=r"cannot add to .*damaged gzip file"):
            act(season)


def test_a_seed_that_is_null_is_a_missing_one(tmp_path: Path) -> None:
    for game in lapilli.names():
        found = parse_record(json.dumps({"format": FORMAT, "game": game, "setup": {"seed": None}}))
        assert found.load_setup().seed == 0
        assert lapilli.verify(found) is None


def test_a_record_made_in_python_that_fits_no_game_is_refused() -> None:
    for bad in (
        Record(format=FORMAT, game="chess"),
        Record(format=FORMAT, game="volcanoes", setup={"variant": "flat"}),
        Record(format=FORMAT, game="volcanoes", setup={"position": "?"}),
    ):
        with pytest.raises(RecordError):
            lapilli.verify(bad)


@pytest.mark.parametrize("text", ["N07", "", "\n", "a\nb", "a\n", "a\n\n"])
def test_a_reply_is_kept_to_the_letter(text: str) -> None:
    assert Entry(turn=1, player=0, action=Entry.action_of(text)).reply() == text


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a record: it is empty"),
        (b"\xef\xbb\xbf \n", "not a record: it is empty"),
        (b"{", "not a record"),
        (b"[1, 2]", "not a record"),
        (b'{"format": "lapilli-record/1"}', "missing required field `game`"),
        (b'{"format": "lapilli-record/9", "game": "volcanoes"}', "this program reads 'lapilli-record/1'"),
        (b'{"format": "lapilli-record/1", "game": "chess"}', "no game 'chess'"),
        (b'{"format": "lapilli-record/1", "game": "volcanoes", "setup": {"seed": "x"}}', "seed must be int"),
        (b'{"format": "lapilli-record/1", "game": "volcanoes", "turns": [{"turn": "x"}]}', "not a record"),
        (b"\xff\xfe\x00", "not a record"),
    ],
)
def test_foreign_files_are_refused_in_one_line(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "bad.json").write_bytes(data)
    with pytest.raises(RecordError, match=message) as caught:
        lapilli.load_record(tmp_path / "bad.json")
    assert "bad.json" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_damaged_gzip_and_missing_files_are_refused(tmp_path: Path) -> None:
    whole = gzip.compress(json.dumps(MINIMAL).encode() * 200)
    for name, data in (
        ("cut.json.gz", whole[:60]),
        ("not.json.gz", b"hello"),
        ("flip.json.gz", whole[:30] + b"\x00" * 9 + whole[39:]),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(RecordError, match=r"damaged gzip file|not a record"):
            lapilli.load_record(tmp_path / name)
    with pytest.raises(RecordError, match="No such file"):
        lapilli.load_record(tmp_path / "none.json")
    with pytest.raises(RecordError, match="Is a directory"):
        lapilli.load_record(tmp_path)


@pytest.mark.parametrize("name", ["n" * 300 + ".json", "n" * 300 + ".jsonl.gz", "nul\0.json"])
def test_names_that_no_file_can_have(tmp_path: Path, name: str) -> None:
    with pytest.raises(RecordError, match="cannot write"):
        check_writable(tmp_path / name)
    with pytest.raises(RecordError, match="cannot write"):
        record().save(tmp_path / name)
    with pytest.raises(RecordError):
        lapilli.load_record(tmp_path / name)


def test_the_longest_name_is_as_good_as_any(tmp_path: Path) -> None:
    longest = tmp_path / ("n" * 250 + ".json")
    record((1, 0, "N07")).save(longest)
    assert len(lapilli.load_record(longest).turns) == 1


def test_a_record_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot write"):
        check_writable(tmp_path / "no" / "folder.json")
    with pytest.raises(RecordError, match="is a folder"):
        check_writable(tmp_path)
    with pytest.raises(RecordError, match="cannot write"):
        record().save(tmp_path / "no" / "folder.json")
    (tmp_path / "kept.json").mkdir()
    with pytest.raises(RecordError):
        record().save(tmp_path / "kept.json")
    assert os.listdir(tmp_path) == ["kept.json"]


def test_a_record_shows_itself_in_a_notebook() -> None:
    played = lapilli.play_match("volcanoes", ["random", "greedy"], seed=9)
    assert played._repr_html_().startswith("<iframe")
    state = lapilli.load("volcanoes").new_initial_state()
    assert "Blue to move" in state._repr_svg_()
