"""Files of other tools, good ones, bad ones and those that are made to hurt."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import lapilli
from lapilli.arena.interop.reading import one_record_in, records_in
from lapilli.arena.interop.sdk import sdk_result
from lapilli.core.errors import RecordError
from lapilli.match import Record


def refusals(path: Path) -> list[str]:
    """What is said of a file in which there is no good match."""
    found = [*records_in(path)]
    texts = [str(problem) for problem in found if isinstance(problem, RecordError)]
    assert len(texts) == len(found)
    assert all("\n" not in text and len(text) < 400 + len(str(path)) for text in texts)
    assert all(text.startswith(str(path)) for text in texts)
    return texts


@pytest.fixture(scope="module")
def played() -> Record:
    return lapilli.play_match("volcanoes", ["random", "random"], seed=4)


def test_records_and_the_sdks_json_are_read(tmp_path: Path, played: Record) -> None:
    played.save(tmp_path / "record.json")
    played.save(tmp_path / "0a1b")  # a replay may be called anything
    (tmp_path / "game1.json").write_text("\ufeff" + json.dumps(sdk_result(played)))
    (tmp_path / "game1.json.gz").write_bytes(gzip.compress(json.dumps(sdk_result(played)).encode()))
    for file in ("record.json", "0a1b", "game1.json", "game1.json.gz"):
        record = one_record_in(tmp_path / file)
        assert [entry.action for entry in record.turns] == [entry.action for entry in played.turns]
    assert one_record_in(tmp_path / "record.json") == played
    for _ in range(2):
        played.save(tmp_path / "season.jsonl")
    assert [*records_in(tmp_path / "season.jsonl")] == [played, played]
    with pytest.raises(RecordError, match="found several"):
        one_record_in(tmp_path / "season.jsonl")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (b"", "not a match in a known format"),
        (b"hello", "not a match in a known format"),
        (b"[]", "not a match in a known format"),
        (b"{}", "neither a record nor the SDK's JSON"),
        (b'{"outputs": 3}', "not a match in a known format"),
        (b'{"outputs": {"0": [3]}}', "not a match in a known format"),
        (b'{"outputs": {"0": ["\xff"]}}', "not a match in a known format"),
        (b'{"outputs": {"0": ["\\ud800"]}}', "not a match in a known format"),
        (b'{"outputs": {}}', "name it with --game"),
        (b'{"format": "other/1"}', "format is 'other/1'"),
        (b'{"format": 3}', "not a record"),
        (b'{"ranks": [0, 1], "errors": [0, 0], "scores": [], "attributes": []}', "contains results but no replies"),
        (b'{"players": ["a", "b"], "ranks": [0, 1]}\n{"players": ["a", "b"], "ranks": [1, 0]}\n', "contains results"),
        (b"[" * 1_000_000, "not a match in a known format"),
        (b'{"outputs": {"0": ' + b"[" * 100_000, "not a match in a known format"),
        (b'{"outputs": {"0": [' + b"null," * 500_000 + b"null]}}", "more than 500,000 values"),
        (b'{"outputs": {"0": ["' + b"x" * (64 << 20) + b'"]}}', "longer than 64 MiB"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_match(tmp_path: Path, text: bytes, complaint: str) -> None:
    for name, data in (("bad.json", text), ("bad.json.gz", gzip.compress(text, 1))):
        (tmp_path / name).write_bytes(data)
        (told,) = refusals(tmp_path / name)
        assert complaint in told


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert "No such file" in refusals(tmp_path / "none.json")[0]
    assert "directory" in refusals(tmp_path)[0]
    (tmp_path / "bad.json.gz").write_bytes(gzip.compress(b"{}" * 100)[:-9])
    assert "damaged gzip file" in refusals(tmp_path / "bad.json.gz")[0]
    assert [str(problem) for problem in records_in(Path("a\0b"))] == ["'a\\x00b': embedded null byte"]


def test_a_record_that_the_rules_refute_is_none(tmp_path: Path, played: Record) -> None:
    played = lapilli.play_match("volcanoes", ["random", "random"], seed=4)
    played.turns[0].action = "N99"
    played.save(tmp_path / "bad.json")
    played.save(tmp_path / "bad.jsonl")
    assert "by the rules" in refusals(tmp_path / "bad.json")[0] or "over" in refusals(tmp_path / "bad.json")[0]
    assert ", record 1: " in refusals(tmp_path / "bad.jsonl")[0]
