"""Reading of files that unpack to huge texts: the text that is read is limited, and so is the memory."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import lapilli
from lapilli.core.errors import RecordError
from lapilli.core.setup import Setup
from lapilli.match.files.bounds import MAX_RECORD, MAX_VALUES, amount, check_values, lines_of, whole_text
from lapilli.match.record import FORMAT, Record, parse_record, read_records

MIB = 1 << 20
MINIMAL: dict[str, Any] = {"format": FORMAT, "game": "volcanoes"}

MEMORY_FOR_READING = """\
import sys
from lapilli.match.record import read_records

def most():
    status = open("/proc/self/status").read()
    return int(status.split("VmHWM:")[1].split()[0]) // 1024

before = most()
for read in read_records(sys.argv[1]):
    print(type(read).__name__, read)
print(most() - before)
"""


def reading(file: Path) -> tuple[list[str], int]:
    """Reads a file in a process of its own. Returns the lines it prints, and its greatest additional memory in MiB."""
    command = [sys.executable, "-c", MEMORY_FOR_READING, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    *lines, memory = done.stdout.splitlines()
    return lines, int(memory)


def write_mebibytes(file: Path, number: int, mebibyte: bytes) -> None:
    """Writes a gzip file of `number` times the same mebibyte, compressed quickly."""
    with gzip.open(file, "wb", compresslevel=1) as out:
        for _ in range(number):
            out.write(mebibyte)


@pytest.mark.parametrize(
    ("name", "refusal"),
    [
        ("zeros.jsonl.gz", ", line 1: longer than 64 MiB, the limit for a record; the rest was not read"),
        ("zeros.json.gz", ": longer than 64 MiB, the limit for a record"),
        ("zeros.jsonl", ", line 1: longer than 64 MiB, the limit for a record; the rest was not read"),
        ("zeros.json", ": longer than 64 MiB, the limit for a record"),
    ],
)
def test_a_line_without_end_is_not_read_to_its_end(tmp_path: Path, name: str, refusal: str) -> None:
    if name.endswith(".gz"):
        write_mebibytes(tmp_path / name, 300, bytes(MIB))
        assert (tmp_path / name).stat().st_size < 2 * MIB
    else:
        with open(tmp_path / name, "wb") as file:
            file.truncate(300 * MIB)
    told, memory = reading(tmp_path / name)
    assert told == [f"RecordError {tmp_path / name}{refusal}"]
    assert memory < 160


@pytest.mark.parametrize("line", [b"\n", b" " * 100 + b"\n", b"\r\n\t\n"])
def test_blank_lines_take_no_memory(tmp_path: Path, line: bytes) -> None:
    file = tmp_path / "blank.jsonl.gz"
    write_mebibytes(file, 300, (line * MIB)[:MIB])
    told, memory = reading(file)
    assert told == []
    assert memory < 16


def test_blanks_on_one_line_are_a_line(tmp_path: Path) -> None:
    file = tmp_path / "blanks.jsonl.gz"
    write_mebibytes(file, 100, b" " * MIB)
    told, memory = reading(file)
    assert [line.split(": ")[-1] for line in told] == [
        "longer than 64 MiB, the limit for a record; the rest was not read"
    ]
    assert memory < 16, "blanks are not kept"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("turns", [{"turn": 1, "player": 0, "notes": ["ab"] * 5_000_000}]),
        ("turns", [{"turn": 1, "player": 0}] * 1_000_000),
        ("outcome", {"scores": [1] * 10_000_000}),
    ],
    ids=["notes", "entries", "scores"],
)
def test_a_text_of_very_many_values_is_refused_before_it_is_decoded(tmp_path: Path, key: str, value: Any) -> None:
    file = tmp_path / "many.json.gz"
    file.write_bytes(gzip.compress(json.dumps({**MINIMAL, key: value}, separators=(",", ":")).encode(), 1))
    told, memory = reading(file)
    assert told == [f"RecordError {file}: more than 500,000 values, the limit for a record"]
    assert memory < 160


def test_commas_in_texts_are_not_values() -> None:
    text = ',"' * (MAX_VALUES + 1)
    found = parse_record(json.dumps({**MINIMAL, "turns": [{"turn": 1, "player": 0, "stderr": text}]}))
    assert found.turns[0].stderr == text
    check_values(b"[" + b"1," * 9 + b"1]", "ten", most=10)
    with pytest.raises(RecordError, match="eleven: more than 10 values"):
        check_values(b"[" + b"1," * 10 + b"1]", "eleven", most=10)


def test_a_text_that_does_not_end_is_counted_in_time_that_grows_with_its_length() -> None:
    """Four megabytes, such as a visitor may send to a site, once took hours."""
    start = time.monotonic()
    check_values(b"[" + b"," * 8 + b'"' + rb"\"," * 1_300_000, "no end", most=10)
    check_values(b"[" + b"," * 8 + b'"' + b"\\\\" * 1_000_000 + b"\\", "a backslash at the end", most=10)
    assert time.monotonic() - start < 5
    with pytest.raises(RecordError, match="more than 10 values"):
        check_values(rb'["a\"b","' + rb"\"" * 9 + rb'",' + b"1," * 10 + b'"', "enough before it", most=10)


@pytest.mark.parametrize("key", ["setup", "players"])
def test_what_may_have_any_shape_is_short(key: str) -> None:
    deep: Any = {"nothing": [[]] * 400_000}
    value = deep if key == "setup" else [{"name": "x", "settings": deep}]
    with pytest.raises(RecordError, match=f"record: {key} is longer than 1 MiB, its limit"):
        parse_record(json.dumps({**MINIMAL, key: value}))


def test_the_limit_in_all() -> None:
    text = b'{"a": 1}\n' * 10_000
    assert len(list(lines_of(io.BytesIO(text), "season", most_in_all=len(text)))) == 10_000
    given: list[bytes] = []
    refused = r"^season: more than 80 KiB of text, the limit for a file; the rest was not read$"
    with pytest.raises(RecordError, match=refused):
        given.extend(line for _, line in lines_of(io.BytesIO(text), "season", most_in_all=80 << 10))
    assert len(given) > 7000, "what comes before is given"


@pytest.mark.parametrize("blanks", [b"", b"\n \n", b"\n" * 200_000, b" \r\n" * 70_000])
def test_lines_keep_their_numbers(blanks: bytes) -> None:
    long = b"x" * 150_000
    text = blanks + b"first\n" + blanks + long + b"\n" + blanks + b"last"
    skipped = blanks.count(b"\n")
    assert [(number, line.strip()) for number, line in lines_of(io.BytesIO(text), "")] == [
        (skipped + 1, b"first"),
        (2 * skipped + 2, long),
        (3 * skipped + 3, b"last"),
    ]


def test_a_line_may_be_as_long_as_the_limit() -> None:
    for end in (b"", b"\n", b"\nmore"):
        assert next(lines_of(io.BytesIO(b"12345678" + end), "", most=8)) == (1, b"12345678")
        with pytest.raises(RecordError, match="line 1: longer than 8 bytes"):
            next(lines_of(io.BytesIO(b"123456789" + end), "", most=8))
    assert whole_text(io.BytesIO(b"12345678"), "", most=8) == b"12345678"
    with pytest.raises(RecordError, match="longer than 8 bytes"):
        whole_text(io.BytesIO(b"123456789"), "", most=8)


def test_blanks_before_a_line_count_wherever_a_file_is_cut() -> None:
    class Pieces(io.BytesIO):
        def read1(self, _size: int | None = -1) -> bytes:
            return pieces.pop(0) if pieces else b""

    pieces = [b"\n  ", b"123456"]
    assert list(lines_of(Pieces(), "", most=8)) == [(2, b"123456")]
    pieces = [b"\n  ", b"1234567"]
    with pytest.raises(RecordError, match="line 2: longer than 8 bytes"):
        list(lines_of(Pieces(), "", most=8))


def test_amounts() -> None:
    assert [amount(size) for size in (7, 1 << 10, 3 << 20, 4 << 30, (1 << 20) + 1)] == [
        "7 bytes",
        "1 KiB",
        "3 MiB",
        "4 GiB",
        "1048577 bytes",
    ]


def test_what_could_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    record = Record(format=FORMAT, game="volcanoes", setup={"position": "." * MAX_RECORD})
    for name in ("long.json", "long.jsonl", "long.jsonl.gz"):
        with pytest.raises(RecordError, match="longer than 64 MiB, the limit for a record"):
            record.save(tmp_path / name)
    assert os.listdir(tmp_path) == []


def test_one_record_is_enough_to_know_that_there_are_several(tmp_path: Path) -> None:
    file = tmp_path / "two.jsonl"
    file.write_text(f"{json.dumps(MINIMAL)}\n{json.dumps(MINIMAL)}\nno record\n")
    with pytest.raises(RecordError, match="expected one record, found several"):
        lapilli.load_record(file)
    file.write_text("\n")
    with pytest.raises(RecordError, match="there is no record in it"):
        lapilli.load_record(file)


def refusal(fields: dict[str, Any]) -> str:
    """Returns the error of a record that is refused; empty if it is valid."""
    try:
        lapilli.verify(parse_record(json.dumps(fields)))
    except RecordError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("value", [["y" * 3000] * 3, {"a": {"b": ["z" * 4000]}}, "x" * 5000, 10**300, [[[]]] * 2000])
@pytest.mark.parametrize("key", ["format", "game", "seed", "players", "league", "position", "own", "turn", "reason"])
def test_a_foreign_value_is_not_echoed_whole(key: str, value: Any) -> None:
    """Messages shorten long values of every key, including those of the games' own keys."""
    for game in map(lapilli.load, lapilli.names()):
        fields: dict[str, Any] = {"format": FORMAT, "game": game.name, "setup": {}}
        if key in fields:
            fields[key] = value
        elif key == "turn":
            fields["turns"] = [{"turn": value, "player": 0}]
        elif key == "reason":
            fault = {"termination": "exited", "reason": str(value)}
            fields["turns"] = [{"turn": 1, "player": player, "fault": fault} for player in (0, 0)]
        else:
            fields["setup"] |= dict.fromkeys(game.own_keys if key == "own" else [key], value)
        assert len(refusal(fields)) < 400
    for outcome in ({"scores": [10**15] * 900}, {"ranks": [7] * 900}):
        fault = {"termination": "exited", "reason": str(value)}
        fields = {**MINIMAL, "turns": [{"turn": 1, "player": 0, "fault": fault}], "outcome": outcome}
        assert " in the record, " in refusal(fields)
        assert len(refusal(fields)) < 400


def test_a_league_where_there_are_none() -> None:
    with pytest.raises(lapilli.LapilliError, match="'x'; none are available"):
        lapilli.load("volcanoes").complete(Setup(league="x"))


def test_the_records_before_a_torn_end_are_read(tmp_path: Path) -> None:
    file = tmp_path / "season.jsonl.gz"
    for _ in range(3):
        parse_record(json.dumps(MINIMAL)).save(file)
    file.write_bytes(file.read_bytes()[:-5])
    *whole, torn = read_records(file)
    assert len(whole) in (2, 3)
    assert "damaged gzip file" in str(torn)
